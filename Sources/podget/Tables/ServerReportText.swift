import PodcastKit

/// The output of `doctor` for people: what the server does, and what podget will do.
struct ServerReportText: Sendable {
  /// Whether each request is listed.
  let isVerbose: Bool
  let lines: ReportLines

  /// The report, with a newline at its end.
  func text(_ report: ServerReport) -> String {
    var text = findings(report).map { lines.line($0.name, $0.value) }.joined()
    if isVerbose {
      text += "\n"
      for (name, answer) in report.observations.requests {
        text += lines.paragraph("\(name):", request(answer), indentation: 20)
      }
    }
    text += "\n"
    text +=
      report.obstacle == nil ? "podget can download this.\n" : "podget cannot download this.\n"
    for advice in report.advice { text += lines.paragraph("-", advice.sentence, indentation: 2) }
    return text
  }

  private func findings(_ report: ServerReport) -> [(name: String, value: String)] {
    var lines = [("Address", AddressRedaction.shown(report.url))]
    lines += report.redirects.map { ("Redirect", $0.text) }
    lines.append(("Answer", Self.answer(report.status, report.timeToHead)))
    lines.append(("Encryption", Self.words(report.tls)))
    guard report.status.map({ $0 < 300 }) ?? false else {
      if report.browser != .untested { lines.append(("Browser", Self.words(report.browser))) }
      return lines
    }
    lines += [
      ("Length", length(report)), ("Content", content(report)),
      ("ETag", Self.validator(report.etag, report.etagStrength)),
      ("Last-Modified", Self.validator(report.lastModified, report.lastModifiedStrength)),
      ("Ranges", Self.words(report.ranges)), ("If-Range", Self.words(report.ifRange)),
      ("Past the end", Self.words(report.beyondEnd)), ("Repeated", Self.words(report.repetition)),
    ]
    if report.browser != .untested { lines.append(("Browser", Self.words(report.browser))) }
    return lines
  }

  /// The status of an answer and the time to its head.
  static func answer(_ status: Int?, _ timeToHead: Duration?) -> String {
    guard let status else { return "none" }
    let time = timeToHead.map { ", head after \($0.milliseconds) ms" } ?? ""
    return "\(status)\(time)"
  }

  private func length(_ report: ServerReport) -> String {
    let size = report.length.map { "\(ByteText.size($0)) (\($0) bytes)" }
    let codings =
      report.codings.isEmpty ? "" : ", compressed although not asked for (\(report.codings[0]))"
    switch report.framing {
    case .length, nil: return (size ?? "not announced") + codings
    case .chunked:
      return (size.map { "\($0), from a range only" } ?? "not announced, chunked") + codings
    case .close:
      return (size.map { "\($0), from a range only" } ?? "not announced, ends with the connection")
        + codings
    }
  }

  private func content(_ report: ServerReport) -> String {
    let announced = report.contentType ?? "no type"
    let found =
      switch report.content {
      case .media(let fileExtension): "\(fileExtension) by its bytes"
      case .text(let kind): "\(kind == .plain ? "plain text" : kind.rawValue) by its bytes"
      case .unknown, .tooShort, nil: "not known by its bytes"
      }
    return "\(announced) announced, \(found)"
  }

  static func validator(_ value: String?, _ strength: ServerReport.Strength) -> String {
    value.map { "\($0) (\(strength.rawValue))" } ?? "none"
  }

  private func request(_ answer: ProbeAnswer) -> String {
    let asked = answer.rangeStart.map { "from byte \($0)" } ?? "everything"
    guard let head = answer.head else { return "\(asked), no answer" }
    let part = head.first("Content-Range").map { ", \($0)" } ?? ""
    let tag = head.first("ETag").map { ", ETag \($0)" } ?? ""
    return "\(asked), \(head.status)\(part)\(tag)"
  }
}

extension ServerReportText {
  static func words(_ tls: ServerReport.TLS) -> String {
    switch tls {
    case .verified: "TLS, the certificate is trusted"
    case .failed: "TLS failed"
    case .none: "none"
    case .unknown: "not known"
    }
  }

  private static func words(_ ranges: ServerReport.Ranges) -> String {
    switch ranges {
    case .honored: "honored"
    case .ignored: "ignored, sends the whole file"
    case .contradictory: "contradictory answers"
    case .refused: "refused with an error"
    case .untested: "not tried"
    }
  }

  private static func words(_ ifRange: ServerReport.IfRange) -> String {
    switch ifRange {
    case .honored: "honored"
    case .ignored: "ignored, sends a range of any version"
    case .neverFulfilled: "never matches, always sends the whole file"
    case .untested: "not tried"
    }
  }

  private static func words(_ beyondEnd: ServerReport.BeyondEnd) -> String {
    switch beyondEnd {
    case .refusedWithLength: "416 with the length"
    case .refusedWithoutLength: "416 without the length"
    case .refusedWithOtherLength: "416 with another length"
    case .whole: "sends the whole file"
    case .other: "a status other than 416"
    case .untested: "not tried"
    }
  }

  private static func words(_ repetition: ServerReport.Repetition) -> String {
    switch repetition {
    case .same: "the same bytes each time"
    case .otherValidator: "the same bytes under other validators"
    case .otherBytes: "other bytes each time"
    case .otherLength: "another length each time"
    case .untested: "not compared"
    }
  }

  private static func words(_ browser: ServerReport.Browser) -> String {
    switch browser {
    case .served: "gets the episode"
    case .refused: "does not get the episode either"
    case .untested: "not tried"
    }
  }
}

extension RedirectHop {
  /// The status and the target of the redirect, and why it is not followed.
  var text: String {
    let note = isDowngrade ? ", from https to http" : ""
    let refused = verdict == .followed ? "" : ", not followed"
    return "\(status) to \(redactedTarget)\(note)\(refused)"
  }
}

extension Duration {
  fileprivate var milliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }
}
