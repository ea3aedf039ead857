import PodcastLibrary
import PodcastModel
import PodcastTransfer

/// What a server did when a probe requested one address several times.
///
/// Requests that an earlier answer made unnecessary were not sent and are nil.
package struct ServerObservations: Sendable, Hashable {
  /// The address as it was requested.
  package var url: String
  /// The request for everything, from the first byte.
  package var plain: ProbeAnswer
  /// Like ``plain``, but accepts content codings; sent if that answer was coded without being
  /// asked.
  package var decoded: ProbeAnswer?
  /// From the middle, with the If-Range that a download would send, if there is one.
  package var conditional: ProbeAnswer?
  /// From the middle, with an If-Range that names no version (RFC 9110, 13.1.5).
  package var wronglyConditional: ProbeAnswer?
  /// From the middle, without a condition.
  package var repeated: ProbeAnswer?
  /// Like ``conditional``, but to the address that answered ``plain``; sent if redirects now lead
  /// to another address and another file.
  package var atHeldAddress: ProbeAnswer?
  /// From the position after the last byte.
  package var beyondEnd: ProbeAnswer?
  /// Like ``plain``, with the User-Agent of a browser.
  package var browser: ProbeAnswer?

  /// Creates observations; tests use it.
  package init(
    url: String, plain: ProbeAnswer, decoded: ProbeAnswer? = nil, conditional: ProbeAnswer? = nil,
    wronglyConditional: ProbeAnswer? = nil, repeated: ProbeAnswer? = nil,
    atHeldAddress: ProbeAnswer? = nil,
    beyondEnd: ProbeAnswer? = nil, browser: ProbeAnswer? = nil
  ) {
    self.url = url
    self.plain = plain
    self.decoded = decoded
    self.conditional = conditional
    self.wronglyConditional = wronglyConditional
    self.repeated = repeated
    self.atHeldAddress = atHeldAddress
    self.beyondEnd = beyondEnd
    self.browser = browser
  }

  /// Why nothing can be downloaded; nil when it can be.
  package var obstacle: PodgetError? { whole.obstacle }

  /// The answer that a download would use from the beginning.
  var whole: ProbeAnswer { decoded ?? plain }

  /// The state of a download that was interrupted in the middle.
  var held: HeldBytes {
    let total = plain.total
    let start = (conditional ?? repeated)?.rangeStart ?? 0
    let count = start + AttemptPolicy.overlap
    return HeldBytes(
      count: total.map { min($0, count) } ?? count, total: total, validator: plain.validator)
  }
}

extension ProbeAnswer {
  /// The fields of the final head that identify the version.
  var validator: Validator { head.map(Validator.init) ?? Validator() }

  /// The length of the complete file, from the head of a 200 or 206.
  var total: Int64? {
    guard let head, head.codings.isEmpty else { return nil }
    if head.status == 206 { return contentRange?.total }
    guard head.status == 200, case .known(let length) = head.contentLength else { return nil }
    return length
  }

  /// The `Content-Range`, if there is exactly one and it is valid.
  var contentRange: ContentRange? {
    let values = head?.values("Content-Range") ?? []
    return values.count == 1 ? ContentRange(values[0]) : nil
  }

  /// Which bytes of the complete file were received, as far as the head says; nil when there are
  /// none or their position is not known.
  var place: ByteRange? {
    guard let head, !start.isEmpty, head.codings.isEmpty || acceptsCodings else { return nil }
    switch head.status {
    case 200: return ByteRange(start: 0, count: Int64(start.count))
    case 206: return contentRange?.range?.prefix(Int64(start.count))
    default: return nil
    }
  }

  /// Whether two answers disagree on a byte that both contain; nil when they share none.
  func differs(from other: ProbeAnswer) -> Bool? {
    guard let place, let otherPlace = other.place, let shared = place.intersection(otherPlace)
    else { return nil }
    // Each range is no longer than the received bytes.
    let mine = start.dropFirst(Int(shared.start - place.start)).prefix(Int(shared.count))
    let others = other.start.dropFirst(Int(shared.start - otherPlace.start))
    return !mine.elementsEqual(others.prefix(Int(shared.count)))
  }

  /// The type of the beginning of the file; nil unless this answer has the beginning.
  var content: FileCheck.Verdict? {
    guard place?.start == 0 else { return nil }
    return FileCheck.verdict(start: start, isWhole: end.cause == .complete)
  }

  /// Whether podget sends another request that accepts a content coding.
  var isCoded: Bool {
    guard let head else { return false }
    let verdict = RangeVerdict(
      head, held: HeldBytes(), rangeStart: nil, acceptsCodings: acceptsCodings)
    return verdict == .refused(.coded)
  }

  /// Why a download with such a request would fail; nil when it would not.
  var obstacle: PodgetError? {
    if let hop = hops.last, hop.verdict != .followed { return PodgetError(refused: hop) }
    guard let head else { return end.obstacle }
    if case .refused(.server(let error, _)) = RangeVerdict(
      head, held: HeldBytes(), rangeStart: nil, acceptsCodings: acceptsCodings)
    {
      return error
    }
    if case .text(let kind) = content { return .notAudio(kind) }
    if content != nil, !head.unknownCodings.isEmpty, !FileCheck.isKnownMedia(start: start) {
      return .unknownCoding(head)
    }
    guard start.isEmpty else { return nil }
    return end.cause == .complete ? .emptyBody(status: head.status) : end.obstacle
  }

  /// Whether another attempt may succeed.
  var isObstacleTransient: Bool {
    guard let error = obstacle else { return false }
    if let status = error.httpStatus { return RetryPolicy.isTransient(status: status) }
    return end.cause.isTransient
  }
}

extension PodgetError {
  fileprivate init(refused hop: RedirectHop) {
    let refusal: RedirectChain.Refusal =
      switch hop.verdict {
      case .refusedAsInsecure, .followed:
        .insecure(host: WebAddress(hop.target)?.host ?? "another host")
      case .refusedScheme: .scheme(target: hop.target)
      case .refusedAsTooMany: .tooMany
      }
    self.init(refusal, of: hop.host)
  }
}

extension TransferEnd {
  /// Why there is no readable answer.
  fileprivate var obstacle: PodgetError {
    PodgetError(cause) ?? PodgetError(.incomplete, "The server sent no answer that can be read.")
  }
}
