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

  /// Changes a setting, and says how it was.
  func set(_ change: SettingChange) async throws(PodgetError) {
    guard let subscription = await followed(change.source)?.subscription,
      let name = SubscriptionSettings.Name(rawValue: change.name)
    else { throw PodgetError(.notFound, "It is not followed.") }
    if let text = change.text {
      do throws(OptionValueError) {
        try SubscriptionSettings.check(text, of: name)
      } catch {
        throw PodgetError(.decoding, "\(change.name) is not changed. \(error.description)")
      }
    }
    for change in try await store(change.text, as: name, of: subscription) {
      if let error = change.error { throw error }
    }
    send(
      .settingChanged(
        SettingChange(
          of: change.source, change.name, to: subscription.settings[name], isUndo: change.isUndo)))
    let now = change.text.map { "is now \($0)" } ?? "is not set any more"
    let undo = change.isUndo ? "" : "; \(keyMap.name("u")) takes that back"
    send(.message("\(change.name) \(now)\(undo)."))
    try await loadSettings(change.source)
    await perform(.loadSubscriptions)
  }

  private func store(
    _ text: String?, as name: SubscriptionSettings.Name, of subscription: Subscription
  ) async throws(PodgetError) -> [SubscriptionChange] {
    if name == .paused {
      let library = library
      return try await disk.perform {
        Result { () throws(PodgetError) in
          try Subscriber.pause([subscription.name], text != nil, in: library)
        }
      }.get()
    }
    var settings = SubscriptionSettings()
    settings[name] = text
    let subscriber = Subscriber(library, resolver: resolver(details: .none))
    return try await subscriber.subscribe(
      [subscription.name], settings: settings, removing: text == nil ? [name] : [], name: nil)
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
    case .played, .refetchMissing: ["true", "false"]
    case .move: ["never"]
    case .type: Episode.Kind.allCases.map(\.rawValue)
    default: []
    }
  }
}
