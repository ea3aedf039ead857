public import FoundationEssentials

/// Which episodes of a podcast are wanted, as people write it: what is not said is left to another
/// choice, and an age counts from the day on which it is used.
public struct EpisodeChoice: Sendable, Hashable {
  /// How many of the episodes that meet the conditions are wanted.
  public enum Amount: Sendable, Hashable {
    /// Every one.
    case all
    /// The newest ones, at most this many; 0 or more.
    case newest(Int)
  }

  /// Why a choice cannot be used.
  public enum Fault: Error, Sendable, Hashable {
    /// The text of a day is wrong.
    case unreadable(name: String, OptionValueError)
    /// No episode can be as long as both limits want it.
    case noDuration
    /// No day is between both.
    case noDay

    /// A sentence about it.
    ///
    /// - Parameters:
    ///   - dashes: what is before the names of options.
    ///   - end: the end of a sentence about two options that contradict each other.
    package func sentence(_ dashes: String = "", end: String = ".") -> String {
      switch self {
      case .unreadable(let name, let error): "\(dashes)\(name): \(error.description)"
      case .noDuration: "\(dashes)min-duration is longer than \(dashes)max-duration\(end)"
      case .noDay: "\(dashes)since is later than \(dashes)until\(end)"
      }
    }
  }

  /// How many episodes are wanted.
  public var amount: Amount?
  /// The first day wanted (UTC), such as `2024-03-01`, or an age, such as `30d`.
  public var since: String?
  /// The last day wanted (UTC), all of it, in the same forms.
  public var until: String?
  /// What a title must match somewhere.
  public var match: TitlePattern?
  /// What a title must not match anywhere.
  public var exclude: TitlePattern?
  /// The shortest duration wanted.
  public var minimumDuration: Duration?
  /// The longest duration wanted.
  public var maximumDuration: Duration?
  /// The type of episode wanted.
  public var kind: Episode.Kind?
  /// The season wanted; 0 or more.
  public var season: Int?

  /// Creates a choice.
  ///
  /// - Parameter amount: how many episodes are wanted; nil to leave it to another choice.
  public init(_ amount: Amount? = nil) { self.amount = amount }

  /// The same, with what another choice says where this one says nothing.
  public func filled(from other: EpisodeChoice) -> EpisodeChoice {
    var filled = other
    filled.amount = amount ?? other.amount
    filled.since = since ?? other.since
    filled.until = until ?? other.until
    filled.match = match ?? other.match
    filled.exclude = exclude ?? other.exclude
    filled.minimumDuration = minimumDuration ?? other.minimumDuration
    filled.maximumDuration = maximumDuration ?? other.maximumDuration
    filled.kind = kind ?? other.kind
    filled.season = season ?? other.season
    return filled
  }

  /// The filter of the choice; what it does not say is no condition.
  ///
  /// - Parameter now: ages count from this day (UTC).
  /// - Throws: a ``Fault`` if a day is no day, or nothing can meet two conditions.
  public func filter(now: Date) throws(Fault) -> EpisodeFilter {
    if let minimumDuration, let maximumDuration, minimumDuration > maximumDuration {
      throw .noDuration
    }
    let (since, until) = (try day(since, "since", now), try day(until, "until", now))
    if let since, let until, since > until { throw .noDay }
    let limit: Int? = if case .newest(let count) = amount { count } else { nil }
    return EpisodeFilter(
      limit: limit, since: since, until: until, match: match, exclude: exclude,
      minimumDuration: minimumDuration, maximumDuration: maximumDuration, kind: kind,
      season: season)
  }

  /// Equal for choices that want the same episodes of a list. Ages are not the days that they mean now.
  ///
  /// It is stored with the state of each feed: another text reads feeds again as new ones.
  package var digest: String {
    let amount =
      switch amount {
      case .all: "all"
      case .newest(let count): "latest=\(count)"
      case nil: String?.none
      }
    let texts = [
      amount, since.map { "since=\($0)" },
      until.map { "until=\($0)" }, match.map { "match=\($0.pattern)" },
      exclude.map { "exclude=\($0.pattern)" }, minimumDuration.map { "min=\($0)" },
      maximumDuration.map { "max=\($0)" }, kind.map { "type=\($0.rawValue)" },
      season.map { "season=\($0)" },
    ]
    return texts.compactMap(\.self).joined(separator: "\n")
  }

  private func day(_ text: String?, _ name: String, _ now: Date) throws(Fault) -> CivilDay? {
    guard let text else { return nil }
    do throws(OptionValueError) {
      return try CivilDay(option: text, now: now)
    } catch {
      throw .unreadable(name: name, error)
    }
  }
}
