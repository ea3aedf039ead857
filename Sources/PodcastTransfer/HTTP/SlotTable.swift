/// Counts running transfers, in total and per host: a pure table.
package struct SlotTable: Sendable {
  private let total: Int
  private let perHost: Int
  private var running: [String: Int] = [:]
  /// How many transfers run.
  private(set) var count = 0

  /// Creates a table with at most `total` transfers, and `perHost` to one host; both at least 1.
  init(total: Int, perHost: Int) {
    self.total = max(1, total)
    self.perHost = max(1, perHost)
  }

  /// Whether any transfer could begin now.
  var hasRoom: Bool { count < total }

  /// Takes a slot for a host; false when there is none.
  mutating func take(_ host: String) -> Bool {
    let used = running[host, default: 0]
    guard hasRoom, used < perHost else { return false }
    running[host] = used + 1
    count += 1
    return true
  }

  /// Releases a slot of a host.
  mutating func release(_ host: String) {
    guard let used = running[host] else { return }
    running[host] = used > 1 ? used - 1 : nil
    count -= 1
  }
}
