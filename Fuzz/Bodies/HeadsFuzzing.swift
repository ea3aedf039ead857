import FoundationEssentials

@testable import PodcastModel
@testable import PodcastTransfer

/// Heads as libcurl hands them over, line by line, and what is decided by them.
enum HeadsFuzzing {
  private static let now = Date(timeIntervalSince1970: 1_700_000_000)

  static func run(_ input: inout FuzzInput) throws {
    let hasTotal = input.flag()
    let asksRange = input.flag()
    let acceptsCodings = input.flag()
    let count = input.flag() ? input.number() & .max : Int64(input.short())
    let total =
      input.flag() ? input.number() & .max : (Int64(input.short()) &+ count) & .max
    let rangeStart = count - min(count, 64 * 1024)
    let validator = Validator(
      etag: input.flag() ? input.line() : nil, lastModified: input.flag() ? input.line() : nil,
      date: input.flag() ? input.line() : nil)
    _ = validator.ifRange
    let held = HeldBytes(count: count, total: hasTotal ? total : nil, validator: validator)

    var parser = HeadParser()
    while !input.isAtEnd {
      let line = Array((input.line() + (input.flag() ? "\r\n" : "\n")).utf8)
      let outcome = line.withUnsafeBytes { parser.take($0) }
      try FuzzFailure.require(
        outcome != .completed || parser.head != nil, "A head is complete and not there.")
      guard outcome == .completed, let head = parser.head else { continue }
      try judge(head, held, asksRange ? rangeStart : nil, acceptsCodings)
      // What follows is a trailer, in which there may be another head.
      parser = HeadParser()
    }
  }

  private static func judge(
    _ head: ResponseHead, _ held: HeldBytes, _ rangeStart: Int64?, _ acceptsCodings: Bool
  ) throws {
    let verdict = RangeVerdict(
      head, held: held, rangeStart: rangeStart, acceptsCodings: acceptsCodings)
    switch verdict {
    case .part(let range, let total):
      let (start, end) = (range.start, range.end)
      try FuzzFailure.require(head.status == 206, "A part by the status \(head.status).")
      try FuzzFailure.require(rangeStart != nil, "A part that nobody asked for.")
      try FuzzFailure.require(0 <= start && start < end, "A part from \(start) to \(end).")
      try FuzzFailure.require(start <= held.count, "A part behind what is held.")
      try FuzzFailure.require(total.map { end <= $0 } ?? true, "A part beyond \(total ?? 0).")
      if start == held.count, start > 0, rangeStart != start {
        try FuzzFailure.require(
          held.validator.isSameVersion(as: Validator(head)) == true, "Nothing overlaps or proves.")
      }
      try FuzzFailure.require(
        held.validator.isSameVersion(as: Validator(head)) != false, "Another version's part.")
    case .whole(let total, _):
      try FuzzFailure.require(head.status == 200, "All of it by the status \(head.status).")
      try FuzzFailure.require((total ?? 1) > 0, "All of it in \(total ?? 0) bytes.")
    case .complete:
      try FuzzFailure.require(head.status == 416, "Complete by the status \(head.status).")
    case .refused(let interruption):
      try FuzzFailure.require(
        interruption.error?.message.isEmpty == false, "An error without words.")
    }
    let validator = Validator(head)
    if let field = validator.ifRange {
      try FuzzFailure.require(
        field.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }, "If-Range would hold \(field).")
      try FuzzFailure.require(
        validator.isSameVersion(as: validator) == true, "Not the version that it is itself.")
    }
    for value in head.values("Retry-After") {
      guard let asked = RetryPolicy.retryAfter(value, now: now) else { continue }
      try FuzzFailure.require(asked >= .zero, "A wait of \(asked).")
      // As the engine names the moment.
      _ = now.addingTimeInterval(min(asked.inSeconds, 1e10)).timestamp
    }
    for name in ["Date", "Last-Modified", "Expires"] {
      if let date = head.first(name).flatMap({ Date(httpDate: $0, now: now) }) {
        _ = date.timestamp
      }
    }
    for field in head.fields { _ = ContentRange(field.value) }
  }
}
