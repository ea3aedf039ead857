import PodcastModel
import PodcastTransfer

extension ServerReport {
  /// How the connection to the final address was secured.
  package var tls: TLS { TLS(of: plain) }

  /// How the end of the complete body is marked; nil without a complete body.
  package var framing: Framing? {
    guard let head = plain.head, head.status == 200 else { return nil }
    let codings = head.values("Transfer-Encoding").joined(separator: ",").lowercased()
    if codings.contains("chunked") { return .chunked }
    return head.contentLength == .unknown ? .close : .length
  }

  /// The strength of the entity tag.
  package var etagStrength: Strength { Self.strength(Validator(etag: etag), of: etag) }

  /// The strength of the date, as if there were no entity tag.
  package var lastModifiedStrength: Strength {
    let date = plain.validator.date
    return Self.strength(Validator(lastModified: lastModified, date: date), of: lastModified)
  }

  private static func strength(_ validator: Validator, of field: String?) -> Strength {
    guard field != nil else { return .none }
    return validator.ifRange == nil ? .weak : .strong
  }

  /// How a range request is answered.
  package var ranges: Ranges {
    guard let answer = observations.repeated else { return .untested }
    switch verdict(on: answer) {
    case nil: return .untested
    case .part, .complete: return .honored
    case .whole: return .ignored
    case .refused(.server): return .refused
    case .refused(let interruption):
      // Another version's part is still a part.
      return interruption == .restart(.changed) && answer.contentRange?.range != nil
        ? .honored : .contradictory
    }
  }

  /// How a condition on the version is answered.
  package var ifRange: IfRange {
    guard ranges == .honored, let wrong = observations.wronglyConditional?.head?.status else {
      return .untested
    }
    if wrong == 206 { return .ignored }
    guard wrong == 200, condition != nil, let right = observations.conditional?.head?.status else {
      return .untested
    }
    switch right {
    case 206: return .honored
    // If each request has its own version, no condition can match; that is correct.
    case 200: return repetition == .same ? .neverFulfilled : .honored
    default: return .untested
    }
  }

  /// The answer to a range past the end.
  package var beyondEnd: BeyondEnd {
    guard let head = observations.beyondEnd?.head else { return .untested }
    guard head.status == 416 else { return head.status == 200 ? .whole : .other }
    guard let total = observations.beyondEnd?.contentRange?.total else {
      return .refusedWithoutLength
    }
    return total == length ? .refusedWithLength : .refusedWithOtherLength
  }

  /// Whether several requests got the same file.
  package var repetition: Repetition {
    let answers = [
      plain, observations.conditional, observations.wronglyConditional, observations.repeated,
    ].compactMap { $0 }
    let pairs = answers.indices.flatMap { index in
      answers[(index + 1)...].map { (answers[index], $0) }
    }
    if Set(answers.compactMap(\.total)).count > 1 { return .otherLength }
    let comparisons = pairs.compactMap { $0.differs(from: $1) }
    if comparisons.contains(true) { return .otherBytes }
    let differ = pairs.contains { $0.validator.isSameVersion(as: $1.validator) == false }
    if differ { return .otherValidator }
    return comparisons.isEmpty ? .untested : .same
  }

  /// Whether a browser gets what podget does not get.
  package var browser: Browser {
    guard let answer = observations.browser else { return .untested }
    return answer.obstacle == nil ? .served : .refused
  }

  /// The verdict of a download that was interrupted in the middle; nil without an answer.
  func verdict(on answer: ProbeAnswer) -> RangeVerdict? {
    answer.head.map {
      RangeVerdict($0, held: observations.held, rangeStart: answer.rangeStart)
    }
  }
}

extension ServerReport.TLS {
  /// How the connection that gave an answer was secured.
  package init(of answer: ProbeAnswer) {
    guard WebAddress(answer.url)?.scheme == "https" else {
      self = .none
      return
    }
    guard answer.end.head == nil else {
      self = .verified
      return
    }
    switch answer.end.cause {
    case .tls, .handshake: self = .failed
    case .complete, .refused, .aborted, .stalled, .unanswered, .slow, .network, .truncated,
      .undecodable, .unusable:
      self = .unknown
    }
  }
}
