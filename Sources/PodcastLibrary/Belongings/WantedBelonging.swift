package import FoundationEssentials
package import PodcastModel
import PodcastTransfer

/// A file that belongs beside an episode and is not there yet: what a server did not send, what could
/// not be written, or what a killed run had no time for.
package struct WantedBelonging: Sendable, Hashable {
  /// Its kind.
  package var kind: Belonging
  /// Its absolute address; nil for what the feed has itself, which a later reading of the feed gives.
  package var url: String?
  /// The media type that the feed names, if it does.
  package var type: String?
  /// How often it was requested, or was to be written.
  package var tries = 0
  /// When that was last (UTC); nil for never.
  package var tried: Date?
  /// Whether the server said last that there is no such file.
  package var isGone = false

  /// Creates one that was not requested yet.
  package init(_ kind: Belonging, url: String?, type: String? = nil) {
    (self.kind, self.url, self.type) = (kind, url, type)
  }

  /// The same for an offer; nil for the image of a podcast, which is looked at again in any case.
  package init?(_ offer: PlannedBelonging) {
    guard offer.kind != .cover else { return nil }
    self.init(offer.kind, url: offer.url, type: offer.type)
  }

  /// The same as an offer; nil for what the feed has itself.
  package var offer: PlannedBelonging? {
    url.map { PlannedBelonging(kind, url: $0, type: type) }
  }

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
  /// What the feed has itself needs no server, so it is tried as long as the feed has it.
  package var isHopeless: Bool {
    url != nil && tries >= (isGone ? Self.mostRefusals : Self.mostTries)
  }
}

extension WantedBelonging {
  /// The member of a line that has those of servers; podgets before it keep it.
  static let member = "wanted"
  /// The member for what feeds have themselves: a podget that knows only the other one keeps it.
  static let textMember = "wantedTexts"

  /// The value in a record.
  fileprivate var value: RecordValue {
    var members: [String: RecordValue] = [
      "kind": .text(kind.rawValue), "tries": .integer(Int64(tries)),
    ]
    if let url { members["url"] = .text(url) }
    if let type { members["type"] = .text(type) }
    if let tried { members["tried"] = .text(tried.timestamp) }
    if isGone { members["gone"] = .bool(true) }
    return .members(members)
  }

  /// Reads a value; nil for what this podget would not write.
  fileprivate init?(_ value: RecordValue) {
    guard case .members(let members) = value, case .text(let name)? = members["kind"],
      let kind = Belonging(rawValue: name), case .integer(let tries)? = members["tries"],
      (0...Int64(WantedBelonging.mostCounted)).contains(tries)
    else { return nil }
    self.init(kind, url: nil)
    self.tries = Int(tries)
    if case .text(let url)? = members["url"] { self.url = url }
    if case .text(let type)? = members["type"] { self.type = type }
    if case .text(let tried)? = members["tried"] { self.tried = Date(timestamp: tried) }
    isGone = members["gone"] == .bool(true)
  }
}

extension FolderContents.Entry {
  /// The files that belong beside it and are not there yet, one of a kind at most.
  package var wanted: [WantedBelonging] {
    get {
      var seen: Set<Belonging> = []
      return
        (wanted(in: WantedBelonging.member).filter { $0.url != nil }
        + wanted(in: WantedBelonging.textMember).filter { $0.url == nil })
        .filter { seen.insert($0.kind).inserted }
    }
    set {
      guard newValue != wanted else { return }
      set(newValue.filter { $0.url != nil }, in: WantedBelonging.member)
      set(newValue.filter { $0.url == nil }, in: WantedBelonging.textMember)
    }
  }

  private func wanted(in member: String) -> [WantedBelonging] {
    guard case .list(let values)? = parts.others[member]?.value else { return [] }
    return values.compactMap { WantedBelonging($0) }
  }

  private mutating func set(_ wanted: [WantedBelonging], in member: String) {
    let value = wanted.isEmpty ? RecordValue.null : .list(wanted.map(\.value))
    guard value != parts.others[member]?.value ?? .null else { return }
    parts.others[member] = .init(value, RecordTime.next(after: parts.latest))
  }

  /// Whether a kind of file is on record, there or not.
  package func has(_ kind: Belonging) -> Bool {
    otherFiles.contains { $0.role == kind.rawValue }
  }
}
