/// A range of bytes of a file, half-open: from ``start`` up to but not including ``end``.
///
/// It is created only if `0 <= start <= end` and the end fits into 64 bits, so that none of its
/// lengths and ends overflows, whatever a server wrote into a header field.
package struct ByteRange: Sendable, Hashable {
  /// The offset of the first byte, from 0.
  package let start: Int64
  /// The offset after the last byte; equal to ``start`` if the range is empty.
  package let end: Int64

  /// The range between two offsets; nil when they are not in order or below zero.
  package init?(start: Int64, end: Int64) {
    guard 0 <= start, start <= end else { return nil }
    self.start = start
    self.end = end
  }

  /// The range from one byte to another, both included, as header fields write it (RFC 9110,
  /// section 14.1.2); nil when they are not in order, below zero, or the end exceeds 64 bits.
  package init?(first: Int64, last: Int64) {
    let (end, isTooLarge) = last.addingReportingOverflow(1)
    guard first <= last, !isTooLarge else { return nil }
    self.init(start: first, end: end)
  }

  /// The range of so many bytes from an offset on; nil when either is below zero or the end exceeds
  /// 64 bits.
  package init?(start: Int64, count: Int64) {
    let (end, isTooLarge) = start.addingReportingOverflow(count)
    guard !isTooLarge else { return nil }
    self.init(start: start, end: end)
  }

  /// The number of bytes, which never overflows since no bound is below zero.
  package var count: Int64 { end - start }

  /// The common part of two ranges; nil when that is empty.
  package func intersection(_ other: ByteRange) -> ByteRange? {
    let shared = ByteRange(start: max(start, other.start), end: min(end, other.end))
    return shared.flatMap { $0.count > 0 ? $0 : nil }
  }

  /// At most the first `count` bytes of the range.
  package func prefix(_ count: Int64) -> ByteRange {
    ByteRange(start: start, count: min(self.count, max(0, count))) ?? self
  }
}
