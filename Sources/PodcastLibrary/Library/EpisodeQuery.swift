import FoundationEssentials
public import PodcastModel

/// Which episodes of a library are requested.
///
/// The result has all of them and may have others: if the index cannot be used, it has every
/// episode.
public enum EpisodeQuery: Sendable, Hashable {
  /// Every episode.
  case all
  /// The newest ones, at most this number: those that were removed, or all others. Episodes without
  /// a date do not count.
  case newest(Int, areRemoved: Bool)
  /// Those whose track ids or guids are among these texts.
  case named([String])
  /// Those of every podcast that may be this one.
  case podcast(Podcast)
  /// Those with these keys.
  case keys([EpisodeKey])
  /// Those with a recorded name in one of these folders, however it is spelled.
  case folders(Set<String>)
  /// Those that meet a condition.
  case matching(Condition)
  /// Those that lack a file beside them, which could not be downloaded yet.
  case wanting

  /// What the index can say of an episode by itself.
  public struct Condition: Sendable, Hashable {
    /// The states wanted; nil for any.
    public var statuses: Set<LocalEpisode.Status>?
    /// Whether it is a favorite; nil for both.
    public var isStarred: Bool?
    /// Whether it was played; nil for both.
    public var isPlayed: Bool?
    /// The first day wanted (UTC).
    public var since: CivilDay?
    /// The last day wanted (UTC), all of it.
    public var until: CivilDay?

    /// Every episode meets it.
    public init() {}
  }
}

extension EpisodeQuery {
  /// For more names than these, single searches are not worthwhile.
  private static let mostNames = 500

  /// Whether the result is valid only if no episode has copies.
  var countsRows: Bool {
    if case .newest = self { true } else { false }
  }

  /// A query for the keys of the episodes; nil if all of them must be read.
  ///
  /// - Parameter others: keys that the result has too; they may replace some of the newest ones.
  func keys(and others: [EpisodeKey], in db: SQLiteConnection) throws -> SQLQuery? {
    let keys: SQLQuery
    switch self {
    case .all: return nil
    case .newest(let count, let areRemoved):
      let before = count.addingReportingOverflow(others.count - 1)
      guard count > 0, !before.overflow else { return nil }
      // Other dates are read as missing: an index may have come from anywhere.
      let (first, last) = (Date.calendarRange.lowerBound, Date.calendarRange.upperBound)
      let date: SQLQuery = "coalesce(editedDate, date)"
      // With two lower limits SQLite may search the index by the wrong one.
      func isWanted(since first: Double) -> SQLQuery {
        "\(date) BETWEEN \(first) AND \(last) AND (status = 'removed') = \(areRemoved)"
      }
      let oldest = try IndexRows.first(
        db,
        """
        SELECT \(date) FROM episode WHERE \(isWanted(since: first))
        ORDER BY \(date) DESC LIMIT 1 OFFSET \(before.partialValue)
        """
      ) { $0.optionalNumber() }
      guard case let oldest?? = oldest else { return nil }
      keys = "SELECT key FROM episode WHERE \(isWanted(since: oldest))"
    case .named(let names):
      guard names.count <= Self.mostNames else { return nil }
      let numbers = names.compactMap { Int64($0) }
      keys = """
        SELECT key FROM episode WHERE guid IN \(list: names.map { SQLValue($0) })
        UNION SELECT key FROM episode WHERE appleID IN \(list: numbers.map { SQLValue($0) })
        """
    case .podcast(let podcast):
      let identity = PodcastIdentity(podcast)
      keys = """
        SELECT key FROM episode WHERE podcast IN (
          SELECT id FROM podcast WHERE appleID = \(identity.id)
            OR comparableFeed = \(identity.feed) OR comparableTitle = \(identity.title))
        """
    case .wanting: keys = "SELECT key FROM episode WHERE triedAt IS NOT NULL"
    case .keys(let wanted): return Self.listed(wanted + others)
    case .folders(let wanted):
      // Those that some file system takes for one of the wanted ones.
      let wanted = Set(wanted.map(FileName.comparisonKey))
      let rows = try IndexRows(db, "SELECT path, id FROM folder")
      var found: [String] = []
      while var columns = try rows.next() {
        guard wanted.contains(FileName.comparisonKey(try columns.text())) else { continue }
        found.append(String(try columns.integer()))
      }
      let ids = found.joined(separator: ",")
      keys = """
        SELECT key FROM episode WHERE podcast IN (
          SELECT id FROM podcast
          WHERE folder IN (SELECT value FROM json_each(\("[\(ids)]"))))
        """
    case .matching(let condition):
      guard let text = Self.text(condition) else { return nil }
      // Looking up single episodes takes longer than reading all, unless they are few.
      let areFew: SQLQuery = """
        SELECT 4 * (SELECT count(*) FROM episode WHERE \(text)) < (SELECT count(*) FROM episode)
        """
      guard try db.integer(areFew) != 0 else { return nil }
      keys = "SELECT key FROM episode WHERE \(text)"
    }
    return others.isEmpty ? keys : "\(keys) UNION \(Self.listed(others))"
  }

  /// A condition of the `episode` table; nil if every row meets it.
  private static func text(_ condition: Condition) -> SQLQuery? {
    var parts: [SQLQuery] = []
    if let statuses = condition.statuses {
      parts.append("status IN \(list: statuses.map { SQLValue($0.rawValue) })")
    }
    if let isStarred = condition.isStarred { parts.append("isStarred = \(isStarred)") }
    if let isPlayed = condition.isPlayed { parts.append("isPlayed = \(isPlayed)") }
    // An edge of a day is of no matter here.
    func seconds(_ days: Int) -> Double { Double(days) * 86_400 }
    if let since = condition.since {
      parts.append("coalesce(editedDate, date) >= \(seconds(since.daysSince1970 - 1))")
    }
    if let until = condition.until {
      parts.append("coalesce(editedDate, date) <= \(seconds(until.daysSince1970 + 2))")
    }
    guard let first = parts.first else { return nil }
    return parts.dropFirst().reduce(first) { "\($0) AND \($1)" }
  }

  /// Any number of keys: one argument contains them all, because SQLite limits the number of
  /// arguments.
  static func listed(_ keys: [EpisodeKey]) -> SQLQuery {
    let list = keys.map { "\"\($0.text)\"" }.joined(separator: ",")
    return "SELECT value FROM json_each(\("[\(list)]"))"
  }
}
