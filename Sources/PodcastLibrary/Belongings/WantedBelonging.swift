package import FoundationEssentials
package import PodcastModel
import PodcastTransfer

/// A file that belongs beside an episode and is not there yet: what a server did not send, or what a
/// killed run had no time for.
package struct WantedBelonging: Sendable, Hashable {
  /// Its kind.
  package var kind: Belonging
  /// Its absolute address.
  package var url: String
  /// The media type that the feed names, if it does.
  package var type: String?
  /// How often it was requested.
  package var tries = 0
  /// When it was requested last (UTC); nil for never.
  package var tried: Date?
  /// Whether the server said last that there is no such file.
  package var isGone = false

  /// Creates one that was not requested yet.
  package init(_ kind: Belonging, url: String, type: String? = nil) {
    (self.kind, self.url, self.type) = (kind, url, type)
  }

  /// The same for what a server has; nil for what the feed has itself.
  package init?(_ offer: PlannedBelonging) {
    // The image of a podcast is looked at again in any case.
    guard let url = offer.url, offer.kind != .cover else { return nil }
    self.init(offer.kind, url: url, type: offer.type)
  }

  /// The same as an offer.
  package var offer: PlannedBelonging { PlannedBelonging(kind, url: url, type: type) }

  /// How often a file is requested.
  private static let mostTries = 5
  /// How many requests are counted; a person may ask for it more often.
  static let mostCounted = 100
  /// How often one is requested that is not there, by the server's answer.
  private static let mostRefusals = 2
  /// How long to wait after each try, in seconds: an hour, a day, a week.
  private static let pace: [TimeInterval] = [3_600, 86_400, 7 * 86_400]

  /// Whether it may be requested again. A last try in the future is that of a wrong clock.
  package func isDue(at now: Date) -> Bool {
    guard !isHopeless else { return false }
    guard tries > 0, let tried, tried <= now else { return true }
    return now.timeIntervalSince(tried) >= Self.pace[min(tries, Self.pace.count) - 1]
  }

  /// Whether it is not requested again. It stays on record, or it would be forgotten how often it was.
  package var isHopeless: Bool { tries >= (isGone ? Self.mostRefusals : Self.mostTries) }
}

extension WantedBelonging {
  /// The member of a line that has them; podgets before it keep it.
  static let member = "wanted"

  /// The value in a record.
  fileprivate var value: RecordValue {
    var members: [String: RecordValue] = [
      "kind": .text(kind.rawValue), "url": .text(url), "tries": .integer(Int64(tries)),
    ]
    if let type { members["type"] = .text(type) }
    if let tried { members["tried"] = .text(tried.timestamp) }
    if isGone { members["gone"] = .bool(true) }
    return .members(members)
  }

  /// Reads a value; nil for what this podget would not write.
  fileprivate init?(_ value: RecordValue) {
    guard case .members(let members) = value, case .text(let name)? = members["kind"],
      let kind = Belonging(rawValue: name), case .text(let url)? = members["url"],
      case .integer(let tries)? = members["tries"],
      (0...Int64(WantedBelonging.mostCounted)).contains(tries)
    else { return nil }
    self.init(kind, url: url)
    self.tries = Int(tries)
    if case .text(let type)? = members["type"] { self.type = type }
    if case .text(let tried)? = members["tried"] { self.tried = Date(timestamp: tried) }
    isGone = members["gone"] == .bool(true)
  }
}

extension FolderContents.Entry {
  /// The files that belong beside it and are not there yet, one of a kind at most.
  package var wanted: [WantedBelonging] {
    get {
      guard case .list(let values)? = parts.others[WantedBelonging.member]?.value else { return [] }
      var seen: Set<Belonging> = []
      return values.compactMap { WantedBelonging($0) }.filter { seen.insert($0.kind).inserted }
    }
    set {
      guard newValue != wanted else { return }
      parts.others[WantedBelonging.member] = .init(
        newValue.isEmpty ? .null : .list(newValue.map(\.value)),
        RecordTime.next(after: parts.latest))
    }
  }

  /// Whether a kind of file is on record, there or not.
  package func has(_ kind: Belonging) -> Bool {
    otherFiles.contains { $0.role == kind.rawValue }
  }
}
