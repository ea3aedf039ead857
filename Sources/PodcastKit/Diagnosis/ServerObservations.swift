import PodcastLibrary
import PodcastModel
import PodcastTransfer

/// What a server did when a probe asked it for one address several times.
///
/// Requests that an earlier answer made pointless were not sent and are nil.
package struct ServerObservations: Sendable, Hashable {
  /// The address as it was asked for.
  package var url: String
  /// For everything, from the first byte on.
  package var plain: ProbeAnswer
  /// As ``plain``, accepting content codings, where that answer was coded unasked.
  package var decoded: ProbeAnswer?
  /// From the middle on, with the If-Range that a download would send, where there is one.
  package var conditional: ProbeAnswer?
  /// From the middle on, with an If-Range that names no version (RFC 9110, 13.1.5).
  package var wronglyConditional: ProbeAnswer?
  /// From the middle on, without a condition.
  package var repeated: ProbeAnswer?
  /// As ``conditional``, of the address that answered ``plain``, where redirects now lead to another
  /// address and another file.
  package var atHeldAddress: ProbeAnswer?
  /// From the byte behind the last one on.
  package var beyondEnd: ProbeAnswer?
  /// As ``plain``, in the name of a browser.
  package var browser: ProbeAnswer?

  /// Makes observations; tests use it.
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

  /// Why nothing can be downloaded; nil when it can.
  package var obstacle: PodgetError? { whole.obstacle }

  /// The answer that a download from the beginning would take.
  var whole: ProbeAnswer { decoded ?? plain }

  /// What a download that was cut at the middle would hold.
  var held: HeldBytes {
    let total = plain.total
    let start = (conditional ?? repeated)?.rangeStart ?? 0
    let count = start + AttemptPolicy.overlap
    return HeldBytes(
      count: total.map { min($0, count) } ?? count, total: total, validator: plain.validator)
  }
}

extension ProbeAnswer {
  /// What the fields of the final head tell versions apart by.
  var validator: Validator { head.map(Validator.init) ?? Validator() }

  /// The length of the whole, from the head of a 200 or 206.
  var total: Int64? {
    guard let head, head.codings.isEmpty else { return nil }
    if head.status == 206 { return contentRange?.total }
    guard head.status == 200, case .known(let length) = head.contentLength else { return nil }
    return length
  }

  /// The one and valid `Content-Range`.
  var contentRange: ContentRange? {
    let values = head?.values("Content-Range") ?? []
    return values.count == 1 ? ContentRange(values[0]) : nil
  }

  /// Which bytes of the whole came, as far as the head says so; nil when none came or their place is
  /// not known.
  var place: ByteRange? {
    guard let head, !start.isEmpty, head.codings.isEmpty || acceptsCodings else { return nil }
    switch head.status {
    case 200: return ByteRange(start: 0, count: Int64(start.count))
    case 206: return contentRange?.range?.prefix(Int64(start.count))
    default: return nil
    }
  }

  /// Whether two answers disagree on a byte that both brought; nil when they share none.
  func differs(from other: ProbeAnswer) -> Bool? {
    guard let place, let otherPlace = other.place, let shared = place.intersection(otherPlace)
    else { return nil }
    // Each place is no longer than the bytes that came.
    let mine = start.dropFirst(Int(shared.start - place.start)).prefix(Int(shared.count))
    let others = other.start.dropFirst(Int(shared.start - otherPlace.start))
    return !mine.elementsEqual(others.prefix(Int(shared.count)))
  }

  /// What the beginning of the file is; nil unless this is an answer with a beginning.
  var content: FileCheck.Verdict? {
    guard place?.start == 0 else { return nil }
    return FileCheck.verdict(start: start, isWhole: end.cause == .complete)
  }

  /// Whether podget asks again, accepting a content coding.
  var isCoded: Bool {
    guard let head else { return false }
    let verdict = RangeResponse.verdict(
      head, held: HeldBytes(), rangeStart: nil, acceptsCodings: acceptsCodings)
    return verdict == .coded
  }

  /// Why a download by a request such as this one would fail; nil when it would not.
  var obstacle: PodgetError? {
    if let hop = hops.last, hop.verdict != .followed { return PodgetError(refused: hop) }
    guard let head else { return end.obstacle }
    if case .failed(let error, _) = RangeResponse.verdict(
      head, held: HeldBytes(), rangeStart: nil, acceptsCodings: acceptsCodings)
    {
      return error
    }
    if case .text(let kind) = content { return .notAudio(kind) }
    guard start.isEmpty else { return nil }
    return end.cause == .complete ? .emptyBody(status: head.status) : end.obstacle
  }

  /// Whether the obstacle may be gone at another attempt.
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
  /// Why there is no answer that can be read.
  fileprivate var obstacle: PodgetError {
    PodgetError(cause) ?? PodgetError(.incomplete, "The server sent no answer that can be read.")
  }
}
