/// Counts running transfers, in total and per host: a pure table.
///
/// A transfer has a slot, of which there are so many in total, and a place at its host.
package struct SlotTable: Sendable {
  private let total: Int
  private let perHost: Int
  private var running: [String: Int] = [:]
  /// How many slots are taken.
  private(set) var count = 0

  /// Creates a table with at most `total` transfers, and `perHost` to one host; both at least 1.
  init(total: Int, perHost: Int) {
    self.total = max(1, total)
    self.perHost = max(1, perHost)
  }

  /// Whether any transfer could begin now.
  var hasRoom: Bool { count < total }

  /// Takes a slot and a place at a host; false when there is none.
  mutating func take(_ host: String) -> Bool {
    guard hasRoom, takePlace(host) else { return false }
    count += 1
    return true
  }

  /// Takes a place at a host for a transfer that has a slot; false when there is none.
  mutating func takePlace(_ host: String) -> Bool {
    let used = running[host, default: 0]
    guard used < perHost else { return false }
    running[host] = used + 1
    return true
  }

  /// Releases a slot with its place at a host.
  mutating func release(_ host: String) {
    if releasePlace(host) { releaseSlot() }
  }

  /// Releases a place at a host; the slot stays taken. False when none is taken.
  @discardableResult
  mutating func releasePlace(_ host: String) -> Bool {
    guard let used = running[host] else { return false }
    running[host] = used > 1 ? used - 1 : nil
    return true
  }

  /// Releases a slot that has no place.
  mutating func releaseSlot() { count = max(0, count - 1) }
}
