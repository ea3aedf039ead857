import ArgumentParser
import BrowseScreen
import FoundationEssentials
import PodcastBrowse
import PodcastKit

/// The settings of podcasts that are followed, as `podget subscribe` and `podget pause` change them.
extension BrowseEngine {
  /// Sends the settings of a podcast.
  func loadSettings(_ source: String) async throws(PodgetError) {
    guard let name = await followed(source)?.subscription.name else {
      throw PodgetError(.notFound, "It is not followed.")
    }
    let library = library
    let result = await disk.perform {
      Result { () throws(PodgetError) in try FollowedPodcast.all(in: library) }
    }
    guard let podcast = try result.get().first(where: { $0.subscription.name == name }) else {
      throw PodgetError(.notFound, "It is not followed.")
    }
    let given = podcast.subscription.settings
    let sources = try? CommandContext.processSettings()
    send(
      .settings(
        source,
        PodcastSettings(
          title: podcast.subscription.title, about: Self.about(podcast),
          settings: SubscriptionSettings.Name.allCases.map {
            PodcastSetting($0, text: given[$0], sources)
          })))
  }

  /// Changes settings, and says what takes that back: a change of one may change another.
  func set(_ change: SettingChange) async throws(PodgetError) {
    guard let subscription = await followed(change.source)?.subscription else {
      throw PodgetError(.notFound, "It is not followed.")
    }
    do throws(PodgetError) {
      try await store(change, of: subscription)
    } catch {
      // What the page shows may be older.
      await perform(.loadSubscriptions)
      throw error
    }
    let now = await followed(change.source)?.subscription.settings ?? SubscriptionSettings()
    let before = subscription.settings
    if !change.isUndo {
      let others = SubscriptionSettings.Name.allCases.filter { before[$0] != now[$0] }
      func texts(_ settings: SubscriptionSettings) -> [String: String] {
        Dictionary(uniqueKeysWithValues: others.map { ($0.rawValue, settings[$0] ?? "") })
      }
      guard !others.isEmpty else { return await perform(.loadSubscriptions) }
      send(
        .settingChanged(
          SettingChange(
            of: change.source, to: texts(before), from: texts(now), isUndo: true)))
    }
    let sentences = change.texts.sorted { $0.key < $1.key }.map { name, text in
      "\(name) is \(text.isEmpty ? "not set any more" : "now \(text)")"
    }
    let undo = change.isUndo ? "" : "; \(keyMap.name("u")) takes that back"
    send(.message("\(sentences.joined(separator: ", "))\(undo)."))
    await perform(.loadSubscriptions)
  }

  private func store(
    _ change: SettingChange, of subscription: Subscription
  ) async throws(PodgetError) {
    var settings = SubscriptionSettings()
    var removed: [SubscriptionSettings.Name] = []
    var pauses: Bool?
    for text in change.texts.sorted(by: { $0.key < $1.key }) {
      guard let name = SubscriptionSettings.Name(rawValue: text.key) else { continue }
      let now = subscription.settings[name] ?? ""
      guard now == change.before[text.key] ?? "" else {
        throw PodgetError(
          .notFound,
          "\(text.key) was changed elsewhere: it is \(now.isEmpty ? "not set" : now). Nothing is changed."
        )
      }
      do throws(OptionValueError) {
        if !text.value.isEmpty { try SubscriptionSettings.check(text.value, of: name) }
      } catch {
        throw PodgetError(.decoding, "\(text.key) is not changed. \(error.description)")
      }
      if name == .paused {
        pauses = !text.value.isEmpty
      } else if text.value.isEmpty {
        removed.append(name)
      } else {
        settings[name] = text.value
      }
    }
    if let pauses {
      let library = library
      _ = try await disk.perform {
        Result { () throws(PodgetError) in
          try Subscriber.pause([subscription.name], pauses, in: library)
        }
      }.get()
    }
    guard pauses == nil || change.texts.count > 1 else { return }
    let subscriber = Subscriber(library, resolver: resolver(details: .none))
    let changes = try await subscriber.subscribe(
      [subscription.name], settings: settings, removing: removed, name: nil)
    if let error = changes.lazy.compactMap(\.error).first { throw error }
  }
}

extension PodcastSetting {
  /// A setting of a subscription, with what holds without it.
  fileprivate init(
    _ name: SubscriptionSettings.Name, text: String?, _ sources: SettingSources?
  ) {
    let general = SettingTable.setting(name.rawValue)
    let standard = sources.flatMap { try? general?.reported(by: $0).value }
    self.init(
      name.rawValue, text: text, standard: standard.flatMap { SettingsTable.text($0) } ?? "",
      help: general?.help ?? Self.help(name), choices: Self.choices(name),
      isOpen: name != .user && name != .passwordCommand)
  }

  /// What a setting is for that only subscriptions have.
  private static func help(_ name: SubscriptionSettings.Name) -> String {
    switch name {
    case .all: "every episode, also old ones"
    case .season: "only episodes of this season"
    case .folder: "the folder of its files, in place of its title"
    case .move: "never keeps its address, whatever its feed says"
    case .paused: "whether podget sync leaves it out"
    case .user: "the user name of its feed"
    case .passwordCommand: "the command that prints the password of its feed"
    default: ""
    }
  }

  /// The words that a setting takes, if these are all.
  private static func choices(_ name: SubscriptionSettings.Name) -> [String] {
    switch name {
    case .all, .paused: ["true"]
    case .played, .refetchMissing, .tag: ["true", "false"]
    case .move: ["never"]
    case .type: Episode.Kind.allCases.map(\.rawValue)
    default: []
    }
  }
}
