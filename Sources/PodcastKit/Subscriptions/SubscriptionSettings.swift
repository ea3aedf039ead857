import FoundationEssentials
package import PodcastModel

/// What the user chose for one subscription, as the texts of the options of the same names.
///
/// Texts are kept, not values: `30d` means thirty days before each sync.
package struct SubscriptionSettings: Sendable, Hashable {
  /// The settings that a subscription can have.
  package enum Name: String, Sendable, Hashable, CaseIterable {
    case latest, all, since, until, match, exclude
    case minDuration = "min-duration"
    case maxDuration = "max-duration"
    case type, season, prefer
    case maxNew = "max-new"
    case refetchMissing = "refetch-missing"
    case template, folder, user
    case passwordCommand = "password-command"
    case userAgent = "user-agent"
    case interval, move, paused, keep
    case olderThan = "older-than"
    case maxSize = "max-size"
    case played
    case maxBytes = "max-bytes"
    case with
    case tag

    /// Whether it chooses episodes or names files: a change of it needs the whole feed again.
    var affectsEpisodes: Bool {
      switch self {
      case .prefer, .maxNew, .refetchMissing, .user, .passwordCommand, .userAgent, .interval, .move,
        .paused, .keep, .olderThan, .maxSize, .played, .maxBytes, .with, .tag:
        false
      default: true
      }
    }
  }

  private var texts: [Name: String] = [:]

  /// No settings.
  package init() {}

  /// The text of a setting; nil when the subscription has none.
  package subscript(name: Name) -> String? {
    get { texts[name] }
    set { texts[name] = newValue }
  }

  /// The settings that are set, in a fixed order.
  package var all: [(name: Name, text: String)] {
    Name.allCases.compactMap { name in texts[name].map { (name, $0) } }
  }

  /// Whether it has a rule for what `sync` removes.
  var hasRetention: Bool {
    [Name.keep, .olderThan, .maxSize, .played].contains { texts[$0] != nil }
  }

  /// Takes over each setting that another one has. A number of episodes replaces `all`, and `all`
  /// replaces a number.
  ///
  /// - Returns: whether anything changed.
  package mutating func apply(_ other: SubscriptionSettings) -> Bool {
    let before = self
    if other[.all] != nil { self[.latest] = nil }
    if other[.latest] != nil { self[.all] = nil }
    for (name, text) in other.all { self[name] = text }
    return self != before
  }

  /// Checks a text as the value of a setting.
  ///
  /// - Throws: an ``OptionValueError`` that says what the setting takes.
  package static func check(_ text: String, of name: Name) throws(OptionValueError) {
    guard text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
      throw OptionValueError("A setting has no control characters.")
    }
    var rules = FollowingRules()
    try rules.apply(name, text)
  }

  /// Why no episode can meet these settings; nil if one can.
  var contradiction: PodgetError? {
    var rules = FollowingRules()
    do throws(EpisodeChoice.Fault) {
      // What is wrong alone was refused alone.
      try? rules.apply(self)
      _ = try rules.episodes.filter(now: Date())
      return nil
    } catch {
      return PodgetError(.decoding, error.sentence())
    }
  }

  /// A text that is equal for settings that choose the same episodes.
  package var episodeSettings: String {
    all.filter(\.name.affectsEpisodes).map { "\($0.name.rawValue)=\($0.text)" }
      .joined(separator: "\n")
  }
}
