import PodcastModel

/// A `Content-Range` field in bytes (RFC 9110, section 14.4).
package struct ContentRange: Sendable, Hashable {
  /// The range of the body, never empty; nil in the unsatisfied form `bytes */N`.
  package var range: ByteRange?
  /// The length of the complete representation; nil for `*`.
  package var total: Int64?

  /// Creates a range; tests use it.
  package init(range: ByteRange?, total: Int64?) {
    self.range = range
    self.total = total
  }

  /// Parses a field's value; nil for another unit, for anything malformed, and for a range that
  /// ends before it begins, beyond its total or beyond 64 bits, which must not be combined with
  /// anything.
  package init?(_ value: String) {
    let words = value.split(separator: " ", maxSplits: 1)
    guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
    let parts = String(words[1]).trimmingASCIIWhitespace()
      .split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    if parts[1] != "*" {
      guard let total = Int64(digits: parts[1]) else { return nil }
      self.total = total
    }
    if parts[0] == "*" {
      guard total != nil else { return nil }
      return
    }
    let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Int64(digits: ends[0]), let last = Int64(digits: ends[1]),
      let range = ByteRange(first: first, last: last), total.map({ range.end <= $0 }) ?? true
    else { return nil }
    self.range = range
  }
}
