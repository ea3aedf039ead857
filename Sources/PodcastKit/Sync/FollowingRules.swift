import FoundationEssentials
public import PodcastModel

/// What is wanted of a podcast that is followed, and what of it stays.
///
/// The rules of a sync are for every podcast; the settings of a subscription come before them.
public struct FollowingRules: Sendable, Hashable {
  /// Which episodes are wanted; the newest five where it says no number.
  public var episodes = EpisodeChoice()
  /// How new files are named.
  public var template = FilenameTemplate.standard
  /// How many new episodes are taken at once, 1 or more; more of them wait. Nil lets none wait.
  public var mostNew: Int? = NewEpisodes.usualMost
  /// Which file of an episode is wanted; nil for what the run prefers.
  public var preference: MediaPreference?
  /// What is stored beside episodes.
  public var belongings = Belongings.none
  /// Whether files get missing tags.
  public var writesTags = false
  /// How many of the newest episodes stay; nil, and a number below 1, for all.
  public var keep: Int?
  /// The first day (UTC) of episodes that stay, such as `2024-03-01`, or an age, such as `90d`; nil for
  /// all.
  public var olderThan: String?
  /// Whether what was played is removed.
  public var removesPlayed = false
  /// The most bytes of the podcast that stay, `Int64.max` for no limit; nil if it shares the limit of
  /// all podcasts.
  var maximumSize: Int64?
  /// The folder of its files, in place of its title; nil for none of its own.
  var folder: String?
  /// The User-Agent of requests for its feed and its episodes; nil for the usual one.
  var userAgent: String?
  /// Whether a subscription's own settings want every episode, without a limit.
  var takesArchive = false

  /// Creates the usual rules: the newest five episodes, and each new one; nothing is removed.
  public init() {}

  /// Lets the settings of a subscription come before these rules.
  ///
  /// - Throws: an error with the code `decoding` that names the setting.
  mutating func apply(_ settings: SubscriptionSettings) throws(PodgetError) {
    for (name, text) in settings.all {
      do throws(OptionValueError) {
        try apply(name, text)
      } catch {
        throw PodgetError(
          .decoding, "The subscription's \(name.rawValue) is wrong. \(error.description)")
      }
    }
  }

  /// What is removed of a podcast.
  ///
  /// - Parameter now: ages count from this day (UTC).
  /// - Throws: an error with the code `decoding` if ``olderThan`` is neither a day nor an age.
  func policy(at now: Date) throws(PodgetError) -> RetentionPolicy {
    do throws(OptionValueError) {
      return RetentionPolicy(
        newest: keep.flatMap { $0 < 1 ? nil : $0 },
        firstDay: try olderThan.map { text throws(OptionValueError) in
          try CivilDay(option: text, now: now)
        }, removesPlayed: removesPlayed, maximumBytes: maximumSize)
    } catch {
      throw PodgetError(.decoding, "older-than: \(error.description)")
    }
  }
}

extension FollowingRules {
  /// Lets one setting come before these rules.
  mutating func apply(
    _ name: SubscriptionSettings.Name, _ text: String
  ) throws(OptionValueError) {
    switch name {
    case .latest: episodes.amount = .newest(try Self.number(text))
    case .all:
      try Self.require(text, "true")
      episodes.amount = .all
      takesArchive = true
    case .since: episodes.since = try Self.day(text)
    case .until: episodes.until = try Self.day(text)
    case .match: episodes.match = try TitlePattern(text)
    case .exclude: episodes.exclude = try TitlePattern(text)
    case .minDuration: episodes.minimumDuration = try Duration(option: text)
    case .maxDuration: episodes.maximumDuration = try Duration(option: text)
    case .season: episodes.season = try Self.number(text)
    case .type:
      guard let kind = Episode.Kind(rawValue: text) else {
        throw OptionValueError("\"\(text)\" is not full, trailer or bonus.")
      }
      episodes.kind = kind
    case .prefer:
      guard let preference = MediaPreference(text) else {
        throw OptionValueError("\"\(text)\" is not smallest, best or a media type.")
      }
      self.preference = preference
    case .template:
      do throws(FilenameTemplate.ParseError) {
        template = try FilenameTemplate(parsing: text)
      } catch {
        throw OptionValueError(error.description)
      }
    case .with: belongings = try Belongings(option: text)
    case .maxNew: mostNew = try Self.countOrNone(text)
    case .keep: keep = try Self.countOrNone(text)
    case .olderThan: olderThan = text == "none" ? nil : try Self.day(text)
    case .maxSize: maximumSize = text == "none" ? .max : try ByteSize(limit: text).bytes
    case .played: removesPlayed = try Self.flag(text)
    case .userAgent:
      try Self.requireText(text)
      userAgent = text
    case .refetchMissing: _ = try Self.flag(text)
    case .tag: writesTags = try Self.flag(text)
    case .paused: try Self.require(text, "true")
    case .move: try Self.require(text, "never")
    case .interval:
      guard try Duration(option: text) >= .seconds(1) else {
        throw OptionValueError("\"\(text)\" is not a duration from 1 second.")
      }
    case .maxBytes:
      guard text != "none" else { return }
      guard try ByteSize(option: text).bytes > 0 else {
        throw OptionValueError("0 bytes would download nothing.")
      }
    case .folder:
      try Self.requireText(text)
      folder = text
    case .user, .passwordCommand: try Self.requireText(text)
    }
  }

  private static func number(_ text: String) throws(OptionValueError) -> Int {
    guard let number = Int(text), number >= 0 else {
      throw OptionValueError("\"\(text)\" is not a number that is 0 or more.")
    }
    return number
  }

  private static func countOrNone(_ text: String) throws(OptionValueError) -> Int? {
    if text == "none" { return nil }
    guard let number = Int(text), number >= 1 else {
      throw OptionValueError("\"\(text)\" is not a number that is 1 or more, or none.")
    }
    return number
  }

  /// A text that means a day whenever it is used.
  private static func day(_ text: String) throws(OptionValueError) -> String {
    _ = try CivilDay(option: text, now: .distantPast)
    return text
  }

  private static func flag(_ text: String) throws(OptionValueError) -> Bool {
    guard text == "true" || text == "false" else {
      throw OptionValueError("\"\(text)\" is not true or false.")
    }
    return text == "true"
  }

  private static func require(_ text: String, _ word: String) throws(OptionValueError) {
    guard text == word else { throw OptionValueError("\"\(text)\" is not \(word).") }
  }

  private static func requireText(_ text: String) throws(OptionValueError) {
    guard !text.isEmpty else { throw OptionValueError("The value is empty.") }
  }
}

/// What counts in one run before the settings of subscriptions.
package struct FollowingOverrides: Sendable {
  /// Which episodes are wanted.
  package var episodes = EpisodeChoice()
  /// How new files are named; nil for what the subscription says.
  package var template: FilenameTemplate?
  /// How many new episodes are taken at once, or none; nil for what the subscription says.
  package var mostNew: Int??
  /// Which file of an episode is wanted, or none; nil for what the subscription says.
  package var preference: MediaPreference??
  /// What is stored beside episodes; nil for what the subscription says.
  package var belongings: Belongings?
  /// Whether files get missing tags; nil for what the subscription says.
  package var writesTags: Bool?
  /// Whether a person accepts the episodes that wait: the newest ones, if the run has a number of them.
  package var accepts = false

  /// Creates overrides that change nothing.
  package init() {}
}

extension SyncOptions {
  /// What the run wants of a subscription.
  ///
  /// - Throws: an error with the code `decoding` if its settings contradict those of the run.
  func feed(of subscription: Subscription, at now: Date) throws(PodgetError) -> FollowedFeed {
    var rules = rules
    try rules.apply(subscription.settings)
    let template = overrides.template ?? rules.template
    let episodes = overrides.episodes.filled(from: rules.episodes)
      .filled(from: EpisodeChoice(.newest(5)))
    let filter: EpisodeFilter
    do throws(EpisodeChoice.Fault) {
      filter = try episodes.filter(now: now)
    } catch {
      throw PodgetError(
        .decoding, error.sentence(end: "; podget config and podget subscriptions show them."))
    }
    var feed = FollowedFeed(
      subscription, filter: filter,
      template: rules.folder.map(template.replacingPodcast) ?? template,
      settingsDigest: episodes.digest,
      userAgent: countedSettings.contains(.userAgent) ? rules.userAgent : nil)
    feed.preference = overrides.preference ?? rules.preference
    feed.belongings = overrides.belongings ?? rules.belongings
    feed.writesTags = overrides.writesTags ?? rules.writesTags
    feed.takesArchive = rules.takesArchive
    feed.isOverridden = overrides.episodes != EpisodeChoice()
    feed.mostNew = (overrides.mostNew ?? rules.mostNew) ?? .max
    guard overrides.accepts else { return feed }
    if case .newest(let count) = overrides.episodes.amount {
      feed.mostAccepted = count
    } else {
      feed.mostNew = nil
    }
    return feed
  }
}
