import PodcastKit
import PodcastModel
import PodcastTransfer
import Testing

/// Responses of a correct server, for tests to change.
private struct Scene {
  static let total: Int64 = 200_000
  static let start: Int64 = 100_000
  static let audio: [UInt8] =
    Array("ID3".utf8) + [4, 0, 0, 0, 0, 0x10, 0] + [UInt8](repeating: 0, count: 5000)
  static let middle = [UInt8](repeating: 7, count: 5000)

  var validators = [
    HTTPField("ETag", "\"a\""), HTTPField("Last-Modified", "Thu, 16 Feb 2023 16:00:17 GMT"),
  ]
  var type = "audio/mpeg"

  func whole(
    _ fields: [HTTPField]? = nil, total: Int64? = Scene.total, bytes: [UInt8] = Scene.audio,
    more: [HTTPField] = [], rangeStart: Int64? = nil, hops: [RedirectHop] = [],
    url: String = "http://a.example/e.mp3", cause: TransferEnd.Cause = .refused
  ) -> ProbeAnswer {
    var all = (fields ?? validators) + common + more
    if let total { all.append(HTTPField("Content-Length", "\(total)")) }
    return ProbeAnswer(
      rangeStart: rangeStart, hops: hops, url: url,
      end: TransferEnd(cause, head: ResponseHead(status: 200, fields: all)), start: bytes)
  }

  func part(
    _ fields: [HTTPField]? = nil, bytes: [UInt8] = Scene.middle, range: String? = nil
  ) -> ProbeAnswer {
    let range = range ?? "bytes \(Scene.start)-\(Scene.total - 1)/\(Scene.total)"
    let all = (fields ?? validators) + common + [HTTPField("Content-Range", range)]
    return ProbeAnswer(
      rangeStart: Scene.start, url: "http://a.example/e.mp3",
      end: TransferEnd(.refused, head: ResponseHead(status: 206, fields: all)), start: bytes)
  }

  func status(_ status: Int, from start: Int64? = nil, _ fields: [HTTPField] = []) -> ProbeAnswer {
    ProbeAnswer(
      rangeStart: start, url: "http://a.example/e.mp3",
      end: TransferEnd(.complete, head: ResponseHead(status: status, fields: fields)))
  }

  func fullyAnswered() -> ServerObservations {
    ServerObservations(
      url: "http://a.example/e.mp3", plain: whole(), conditional: part(),
      wronglyConditional: whole(rangeStart: Scene.start), repeated: part(),
      beyondEnd: status(
        416, from: Scene.total, [HTTPField("Content-Range", "bytes */\(Scene.total)")]))
  }

  private var common: [HTTPField] {
    [HTTPField("Date", "Fri, 17 Feb 2023 16:00:17 GMT"), HTTPField("Content-Type", type)]
  }
}

@Suite("Advice about a server") struct ServerAdviceTests {
  private func report(
    _ scene: Scene = Scene(), _ change: (inout ServerObservations, Scene) -> Void = { _, _ in }
  ) -> ServerReport {
    var seen = scene.fullyAnswered()
    change(&seen, scene)
    return ServerReport(seen)
  }

  @Test("a good server") func good() {
    let report = report()
    #expect(report.advice == [.resumes(field: "ETag")])
    #expect(report.obstacle == nil)
    #expect(report.length == 200_000)
    #expect(report.framing == .length)
    #expect(report.content == .media(fileExtension: "mp3"))
    #expect(report.etagStrength == .strong)
    #expect(report.lastModifiedStrength == .strong)
    #expect(report.ranges == .honored)
    #expect(report.ifRange == .honored)
    #expect(report.beyondEnd == .refusedWithLength)
    #expect(report.repetition == .same)
    #expect(report.tls == .none)
    #expect(report.browser == .untested)
  }

  @Test(
    "how an interrupted download continues, by the validators",
    arguments: [
      ([HTTPField("ETag", "\"a\"")], [ServerAdvice.resumes(field: "ETag")]),
      (
        [HTTPField("Last-Modified", "Thu, 16 Feb 2023 16:00:17 GMT")],
        [.resumes(field: "Last-Modified")]
      ),
      // As old as the answer: the file may have changed twice within that second.
      (
        [HTTPField("Last-Modified", "Fri, 17 Feb 2023 16:00:17 GMT")],
        [.beginsAgain(.noValidator), .mayResumeByOverlap]
      ),
      ([HTTPField("ETag", "W/\"a\"")], [.beginsAgain(.noValidator), .mayResumeByOverlap]),
      ([], [.beginsAgain(.noValidator), .mayResumeByOverlap]),
    ])
  func validators(fields: [HTTPField], advice: [ServerAdvice]) {
    #expect(report(Scene(validators: fields)).advice == advice)
  }

  @Test("the strength of validators is reported") func strengths() {
    let weak = report(Scene(validators: [HTTPField("ETag", "W/\"a\"")]))
    #expect(weak.etagStrength == .weak)
    #expect(weak.lastModifiedStrength == .none)
    #expect(weak.condition == nil)
  }

  @Test("a server without ranges") func noRanges() {
    let report = report { seen, scene in
      let whole = scene.whole(rangeStart: Scene.start)
      seen.conditional = whole
      seen.wronglyConditional = whole
      seen.repeated = whole
      seen.beyondEnd = scene.whole(rangeStart: Scene.total)
    }
    #expect(report.ranges == .ignored)
    #expect(report.ifRange == .untested)
    #expect(report.beyondEnd == .whole)
    #expect(report.advice == [.beginsAgain(.rangeIgnored)])
  }

  @Test("a server that ignores conditions") func ignoredCondition() {
    let report = report { seen, scene in seen.wronglyConditional = scene.part() }
    #expect(report.ifRange == .ignored)
    #expect(report.advice == [.resumes(field: "ETag"), .comparesItself])
  }

  @Test("a server for which no condition matches") func neverFulfilled() {
    let report = report { seen, scene in
      seen.conditional = scene.whole(rangeStart: Scene.start)
    }
    #expect(report.ranges == .honored)
    #expect(report.ifRange == .neverFulfilled)
    #expect(report.advice == [.beginsAgain(.rangeIgnored)])
  }

  @Test("contradictory parts", arguments: ["bananas", "bytes 100000-99999/200000"])
  func contradictory(range: String) {
    let report = report { seen, scene in
      seen.conditional = scene.part(range: range)
      seen.repeated = scene.part(range: range)
    }
    #expect(report.ranges == .contradictory)
    #expect(report.advice == [.beginsAgain(.rangeProtocol)])
  }

  @Test("refused parts") func refusedParts() {
    let report = report { seen, scene in
      seen.conditional = scene.status(403, from: Scene.start)
      seen.repeated = scene.status(403, from: Scene.start)
    }
    #expect(report.ranges == .refused)
    guard case .failsToResume(let error) = report.advice.first else {
      Issue.record("\(report.advice)")
      return
    }
    #expect(error.httpStatus == 403)
  }

  @Test("other bytes under one validator") func otherBytes() {
    let report = report { seen, scene in
      seen.repeated = scene.part(bytes: Scene.middle.dropLast() + [8])
    }
    #expect(report.repetition == .otherBytes)
    #expect(report.advice == [.beginsAgain(.overlapDiffers), .variesByRequest])
  }

  @Test("other bytes without a validator cannot be continued") func otherBytesNoValidator() {
    let report = report(Scene(validators: [])) { seen, scene in
      seen.repeated = scene.part(bytes: [8])
    }
    #expect(
      report.advice == [.beginsAgain(.noValidator), .mayNotResumeByOverlap, .variesByRequest])
  }

  @Test("another length each time") func otherLength() {
    let report = report { seen, scene in
      seen.repeated = scene.part(range: "bytes 100000-249999/250000")
    }
    #expect(report.repetition == .otherLength)
    #expect(report.advice == [.beginsAgain(.changed), .variesByRequest])
  }

  @Test("another tag each time, as from the servers of a CDN") func otherTag() {
    let report = report { seen, scene in
      seen.conditional = scene.whole([HTTPField("ETag", "\"b\"")], rangeStart: Scene.start)
    }
    #expect(report.repetition == .otherValidator)
    #expect(report.advice == [.beginsAgain(.changed), .validatorsVary])
  }

  @Test("an end that only the connection marks") func closing() {
    let report = report { seen, scene in seen.plain = scene.whole(total: nil) }
    #expect(report.framing == .close)
    #expect(report.length == 200_000)
    #expect(report.advice == [.resumes(field: "ETag"), .checksEndOfAudio])
    let chunked = self.report { seen, scene in
      seen.plain = scene.whole(total: nil, more: [HTTPField("Transfer-Encoding", "chunked")])
    }
    #expect(chunked.framing == .chunked)
    #expect(chunked.advice == [.resumes(field: "ETag")])
  }

  @Test("a compressed answer is decompressed") func compressed() {
    let coded = Scene().whole(
      bytes: [0x1F, 0x8B, 8], more: [HTTPField("Content-Encoding", "gzip")])
    var decoded = coded
    decoded.acceptsCodings = true
    decoded.start = Scene.audio
    let report = ServerReport(
      ServerObservations(url: coded.url, plain: coded, decoded: decoded))
    #expect(report.codings == ["gzip"])
    #expect(report.obstacle == nil)
    // The length of what is compressed is not the file's.
    #expect(report.length == nil)
    #expect(report.framing == .length)
    #expect(report.content == .media(fileExtension: "mp3"))
    #expect(report.advice == [.unpacks])
    decoded.start = Array("<html><body>Log in</body></html>".utf8)
    decoded.end.cause = .complete
    let page = ServerReport(
      ServerObservations(url: coded.url, plain: coded, decoded: decoded))
    #expect(page.obstacle?.code == .notAudio)
  }

  @Test("a type that the bytes contradict") func type() {
    #expect(
      report(Scene(type: "audio/x-m4a")).advice
        == [.resumes(field: "ETag"), .correctsExtension(found: "mp3")])
  }

  @Test("an interrupted answer") func broken() {
    let report = report { seen, scene in seen.plain = scene.whole(cause: .network("x")) }
    #expect(report.obstacle == nil)
    #expect(report.advice == [.resumes(field: "ETag"), .asksForRest])
  }

  @Test(
    "all kinds of 416",
    arguments: [
      ([HTTPField("Content-Range", "bytes */200000")], ServerReport.BeyondEnd.refusedWithLength),
      ([HTTPField("Content-Range", "bytes */7")], .refusedWithOtherLength),
      ([HTTPField("Content-Range", "bananas")], .refusedWithoutLength),
      ([], .refusedWithoutLength),
    ])
  func beyondEnd(fields: [HTTPField], found: ServerReport.BeyondEnd) {
    let report = report { seen, scene in
      seen.beyondEnd = scene.status(416, from: Scene.total, fields)
    }
    #expect(report.beyondEnd == found)
    // podget repeats the last bytes that it has, so it never asks this in earnest.
    #expect(report.advice == [.resumes(field: "ETag")])
  }
}

@Suite("Obstacles to a download") struct ServerObstacleTests {
  private let scene = Scene()

  private func report(_ plain: ProbeAnswer, browser: ProbeAnswer? = nil) -> ServerReport {
    ServerReport(ServerObservations(url: plain.url, plain: plain, browser: browser))
  }

  @Test(
    "statuses", arguments: [(404, false), (403, false), (410, false), (429, true), (503, true)])
  func statuses(status: Int, isTransient: Bool) {
    let report = report(scene.status(status))
    #expect(report.obstacle?.code == .httpStatus)
    #expect(report.obstacle?.httpStatus == status)
    #expect(report.advice.contains(.triesAgain) == isTransient)
  }

  @Test("a web page, and what a browser gets") func page() {
    let page = scene.whole(bytes: Array("<html><body>Log in</body></html>".utf8), cause: .complete)
    #expect(report(page).obstacle?.code == .notAudio)
    #expect(report(page, browser: page).browser == .refused)
    let helped = report(page, browser: scene.whole())
    #expect(helped.browser == .served)
    #expect(helped.advice.map(\.code) == ["cannotDownload", "needsUserAgent"])
  }

  @Test("nothing, 3xx without an address") func unusable() {
    #expect(report(scene.whole(total: 0, bytes: [])).obstacle?.code == .emptyBody)
    #expect(report(scene.status(204)).obstacle?.code == .emptyBody)
    #expect(report(scene.status(302)).obstacle?.code == .redirect)
  }

  @Test(
    "no answer",
    arguments: [
      (TransferEnd.Cause.network("x"), PodgetError.Code.network, ServerReport.TLS.unknown, true),
      (.stalled, .timeout, .unknown, true), (.handshake("x"), .tls, .failed, true),
      (.tls("x"), .tls, .failed, false), (.unusable("x"), .network, .unknown, false),
    ])
  func silence(
    cause: TransferEnd.Cause, code: PodgetError.Code, tls: ServerReport.TLS, isTransient: Bool
  ) {
    let report = report(ProbeAnswer(url: "https://a.example/", end: TransferEnd(cause)))
    #expect(report.obstacle?.code == code)
    #expect(report.tls == tls)
    #expect(report.status == nil)
    #expect(report.advice.contains(.triesAgain) == isTransient)
  }

  @Test("redirects that are not followed", arguments: RedirectHop.Verdict.allCases)
  func redirects(verdict: RedirectHop.Verdict) {
    let hop = RedirectHop(
      url: "https://a.example/", status: 302, target: "http://b.example/", verdict: verdict)
    #expect(hop.isDowngrade)
    #expect(hop.host == "a.example")
    if verdict == .followed {
      let followed = report(scene.whole(hops: [hop]))
      #expect(followed.obstacle == nil)
      #expect(followed.advice.contains(.followsInsecurely))
    } else {
      let end = TransferEnd(
        .complete, head: ResponseHead(status: 302), redirect: "http://b.example/")
      let refused = report(ProbeAnswer(hops: [hop], url: hop.url, end: end))
      #expect(refused.obstacle?.code == .redirect)
      #expect(refused.status == nil)
      #expect(refused.tls == .verified)
    }
  }
}
