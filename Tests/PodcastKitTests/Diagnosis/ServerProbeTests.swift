import LoopbackServer
import PodcastKit
import PodcastTransfer
import TestSupport
import Testing

@Suite("Probing a server") struct ServerProbeTests {
  private static let size: Int64 = 300_000
  private let audio = Representation(MP3Maker(seed: 1, approximateSize: size, title: "One"))

  private func probe(
    _ server: LoopbackServer, _ path: String = "/a.mp3", allowsInsecure: Bool = false
  ) async throws -> ServerReport {
    let configuration = CurlSession.Configuration(userAgent: "test/1")
    return try await CurlSession.with(configuration) { session in
      let probe = ServerProbe(transport: session, allowsInsecureRedirects: allowsInsecure)
      return ServerReport(await probe.observe(server.origin + path))
    }
  }

  private func serve(_ behaviour: Behaviour = Behaviour()) throws -> LoopbackServer {
    try LoopbackServer(files: ["/a.mp3": FileServing(audio, behaviour: behaviour)])
  }

  @Test("a good server gets five requests, each answer aborted early") func good() async throws {
    let server = try serve()
    let report = try await probe(server)
    #expect(report.advice == [.resumes(field: "ETag")])
    #expect(report.length == audio.size)
    #expect(report.content == .media(fileExtension: "mp3"))
    #expect(report.repetition == .same)
    #expect(report.ifRange == .honored)
    #expect(report.beyondEnd == .refusedWithLength)
    #expect(try #require(report.timeToHead) > .zero)
    let requests = server.log.map(\.request)
    let middle = audio.size / 2
    #expect(requests.map(\.rangeStart) == [nil, middle, middle, middle, audio.size])
    #expect(
      requests.map { $0.first("If-Range") == "\"first\"" } == [false, true, false, false, false])
    #expect(requests.map { $0.first("If-Range") == nil } == [true, false, false, true, true])
    #expect(requests.allSatisfy { $0.method == "GET" })
    #expect(requests.allSatisfy { $0.first("Accept-Encoding") == "identity" })
    #expect(requests.allSatisfy { $0.first("User-Agent") == "test/1" })
    #expect(report.observations.plain.start.count == ServerProbe.windowSize)
    let bytes = Array(audio.bytes(in: 0..<Int64(ServerProbe.windowSize)))
    #expect(report.observations.plain.start == bytes)
  }

  @Test(
    "behaviours and the findings about them",
    arguments: [
      (Behaviour { $0.ignoresRange = true }, [ServerAdvice.beginsAgain(.rangeIgnored)]),
      (Behaviour { $0.ignoresIfRange = true }, [.resumes(field: "ETag"), .comparesItself]),
      (
        Behaviour { $0.validators = .weakETag },
        [.beginsAgain(.noValidator), .mayResumeByOverlap]
      ),
      (Behaviour { $0.validators = .lastModifiedOnly }, [.resumes(field: "Last-Modified")]),
      (Behaviour { $0.validators = .none }, [.beginsAgain(.noValidator), .mayResumeByOverlap]),
      (Behaviour { $0.contentRange = .missing }, [.beginsAgain(.rangeProtocol)]),
      (Behaviour { $0.rangeShift = -100 }, [.resumes(field: "ETag")]),
      (Behaviour { $0.framing = .untilClose }, [.resumes(field: "ETag"), .checksEndOfAudio]),
      (Behaviour { $0.framing = .chunked }, [.resumes(field: "ETag")]),
    ])
  func behaviours(behaviour: Behaviour, advice: [ServerAdvice]) async throws {
    #expect(try await probe(serve(behaviour)).advice == advice)
  }

  @Test("a compressed answer is requested again and decompressed") func compressed() async throws {
    let packed = Representation(
      Self.gzip(MP3Maker.bytes(seed: 1, length: 60_000)), contentType: "audio/mpeg")
    let behaviour = Behaviour { $0.fields = [Request.Field("Content-Encoding", "gzip")] }
    let server = try LoopbackServer(files: ["/a.mp3": FileServing(packed, behaviour: behaviour)])
    let report = try await probe(server)
    #expect(report.codings == ["gzip"])
    #expect(report.content == .media(fileExtension: "mp3"))
    #expect(report.advice == [.unpacks])
    let accepted = server.log.map { $0.request.first("Accept-Encoding") }
    #expect(accepted.count == 2)
    #expect(accepted.first == "identity")
    #expect(accepted.last??.contains("gzip") == true)
  }

  /// The bytes in one stored block (RFC 1951, section 3.2.4; RFC 1952); at most 65,535.
  private static func gzip(_ bytes: [UInt8]) -> [UInt8] {
    func number(_ value: UInt32, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
    }
    var sum = UInt32.max
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    let length = UInt32(bytes.count)
    return [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF, 1] + number(length, 2) + number(~length, 2)
      + bytes + number(~sum, 4) + number(length, 4)
  }

  @Test("416 without a length") func bare416() async throws {
    let file = FileServing(
      version: { [audio] _ in audio },
      behaviour: { [size = audio.size] request in
        request.rangeStart == size ? .answers(416) : Behaviour()
      })
    let report = try await probe(LoopbackServer(files: ["/a.mp3": file]))
    #expect(report.beyondEnd == .refusedWithoutLength)
    #expect(report.advice == [.resumes(field: "ETag")])
  }

  @Test("other bytes at each request") func otherBytes() async throws {
    let file = FileServing(version: { request in
      Representation(
        MP3Maker(seed: UInt64(request.attempt), approximateSize: Self.size), etag: nil,
        lastModified: nil)
    })
    let report = try await probe(LoopbackServer(files: ["/a.mp3": file]))
    #expect(report.repetition == .otherBytes)
    #expect(
      report.advice == [.beginsAgain(.noValidator), .mayNotResumeByOverlap, .variesByRequest])
  }

  @Test("another length at each request") func otherLength() async throws {
    let file = FileServing(version: { request in
      Representation(
        MP3Maker(seed: 1, approximateSize: Self.size + Int64(request.attempt) * 5000),
        etag: "\"\(request.attempt)\"")
    })
    let report = try await probe(LoopbackServer(files: ["/a.mp3": file]))
    #expect(report.repetition == .otherLength)
    #expect(report.advice == [.beginsAgain(.changed), .variesByRequest])
  }

  @Test("a chain of redirects") func redirects() async throws {
    let server = try LoopbackServer(files: [
      "/a.mp3": FileServing(audio, behaviour: .redirects(to: "/b", status: 301)),
      "/b": FileServing(audio, behaviour: .redirects(to: "/c?x=1")), "/c": FileServing(audio),
    ])
    let report = try await probe(server)
    #expect(report.redirects.map(\.status) == [301, 302])
    #expect(report.redirects.map(\.target) == ["\(server.origin)/b", "\(server.origin)/c?x=1"])
    #expect(report.finalURL == "\(server.origin)/c?x=1")
    #expect(report.advice == [.resumes(field: "ETag")])
    #expect(server.log(for: "/a.mp3").count == 5)
  }

  @Test("redirects to another file each time: the address of the bytes on disk is used")
  func renditions()
    async throws
  {
    for isKept in [true, false] {
      let server = try LoopbackServer { request, connection in
        if request.path == "/a.mp3" {
          let file = Behaviour.redirects(to: "/file\(request.attempt)")
          return FileServing(Representation([]), behaviour: file).answer(request, on: connection)
        }
        let seed = UInt64(request.path.dropFirst(5)) ?? 0
        let file = MP3Maker(seed: seed, approximateSize: Self.size + Int64(seed) * 5000)
        // A used address is lost if it is not kept.
        let behaviour = isKept || request.attempt == 1 ? Behaviour() : Behaviour.answers(410)
        FileServing(Representation(file, etag: "\"\(seed)\""), behaviour: behaviour)
          .answer(request, on: connection)
      }
      let report = try await probe(server)
      #expect(report.repetition == .otherLength)
      #expect(
        report.advice
          == (isKept ? [.resumesAtHeldAddress] : [.beginsAgain(.changed), .variesByRequest]))
      #expect(
        server.log(for: "/file1").map(\.request.rangeStart).last == report.length.map { $0 / 2 })
      #expect(report.observations.atHeldAddress?.head?.status == (isKept ? 206 : 410))
    }
  }

  @Test("endless redirects, and redirects to another scheme") func badRedirects() async throws {
    let server = try LoopbackServer(files: [
      "/a.mp3": FileServing(audio, behaviour: .redirects(to: "/a.mp3")),
      "/b": FileServing(audio, behaviour: .redirects(to: "ftp://127.0.0.1/b")),
    ])
    let endless = try await probe(server)
    #expect(endless.redirects.count == 11)
    #expect(endless.redirects.last?.verdict == .refusedAsTooMany)
    #expect(server.log.count == 11)
    let foreign = try await probe(server, "/b")
    #expect(foreign.redirects.map(\.verdict) == [.refusedScheme])
    #expect(foreign.obstacle?.code == .redirect)
  }

  @Test(
    "a redirect to something else is reported without what may be secret",
    arguments: zip(
      [
        "ftp://h/x?token=SECRET", "mailto:x?token=SECRET", "foo:bar?token=SECRET://x",
        "http://user:SECRET@/", "data:text/plain,SECRET",
      ], ["ftp", "mailto", "foo", nil, "data"]))
  func secretTargets(target: String, scheme: String?) async {
    let transport = ScriptedTransport(["https://a.example/": [.init(status: 302, redirect: target)]]
    )
    let report = ServerReport(await ServerProbe(transport: transport).observe("https://a.example/"))
    #expect(report.redirects.map(\.redactedTarget) == ["\(scheme ?? "http"):…"])
    let what = scheme.map { "\($0), which podget does not follow" }
    #expect(
      report.obstacle?.message
        == "a.example redirects to \(what ?? "something that is not a web address").")
  }

  @Test("redirects from https to http must be allowed") func downgrade() async {
    let script: [String: [ScriptedTransport.Answer]] = [
      "https://a.example/": [.init(status: 302, redirect: "http://b.example/")],
      "http://b.example/": [.init(status: 404)],
    ]
    let strict = ServerProbe(transport: ScriptedTransport(script))
    let refused = ServerReport(await strict.observe("https://a.example/"))
    #expect(refused.redirects.map(\.verdict) == [.refusedAsInsecure])
    #expect(refused.obstacle?.remedy == .allowInsecureRedirects)
    let lax = ServerProbe(transport: ScriptedTransport(script), allowsInsecureRedirects: true)
    let followed = ServerReport(await lax.observe("https://a.example/"))
    #expect(followed.redirects.map(\.verdict) == [.followed])
    #expect(followed.status == 404)
  }

  @Test("a server that answers browsers only") func browsers() async throws {
    let file = FileServing(
      version: { [audio] _ in audio },
      behaviour: {
        $0.first("User-Agent")?.hasPrefix("Mozilla/") == true ? Behaviour() : .answers(403)
      })
    let server = try LoopbackServer(files: ["/a.mp3": file])
    let report = try await probe(server)
    #expect(report.status == 403)
    #expect(report.browser == .served)
    #expect(report.advice.map(\.code) == ["cannotDownload", "needsUserAgent"])
    #expect(server.log.count == 2)
  }

  @Test("404 and a web page") func refusals() async throws {
    let missing = try await probe(serve(), "/none.mp3")
    #expect(missing.obstacle?.httpStatus == 404)
    #expect(missing.browser == .refused)
    let page = try await probe(serve(.answers(200, body: "<!doctype html><html>Log in</html>")))
    #expect(page.content == .text(.html))
    #expect(page.obstacle?.code == .notAudio)
  }

  @Test("a request without received bytes is retried, as often as allowed") func retries()
    async throws
  {
    let file = FileServing(audio) { $0 <= 2 ? .cut(.close, .beforeHead) : Behaviour() }
    for retries in [1, 2] {
      let server = try LoopbackServer(files: ["/a.mp3": file])
      let report = try await CurlSession.with(.init(userAgent: "test/1")) { session in
        let policy = RetryPolicy(retries: retries, baseDelay: .zero)
        let probe = ServerProbe(transport: session, retries: policy)
        return ServerReport(await probe.observe("\(server.origin)/a.mp3"))
      }
      #expect(report.obstacle?.code == (retries == 1 ? .network : nil))
      #expect(server.log.count == (retries == 1 ? 2 : 7))
    }
  }

  @Test(
    "addresses that can be requested",
    arguments: [
      ("http://a.example/x", true), ("HTTPS://a.example", true), ("https://a.example/ä b", true),
      ("ftp://a.example/", false), ("a.example", false), ("", false), ("https://", false),
    ])
  func addresses(url: String, isGood: Bool) {
    #expect(ServerProbe.canAsk(url) == isGood)
  }
}

@Suite(
  "Probing nginx", .enabled(if: NginxServer.isInstalled, "nginx or openssl is not installed"))
struct NginxProbeTests {
  private func probe(_ url: String, certificates: String? = nil) async throws -> ServerReport {
    let configuration = CurlSession.Configuration(
      userAgent: "test/1", certificateFile: certificates)
    return try await CurlSession.with(configuration) { session in
      ServerReport(await ServerProbe(transport: session).observe(url))
    }
  }

  @Test("a file over TLS, trusted and not") func tls() async throws {
    let folder = try TemporaryFolder()
    try folder.write("a.mp3", MP3Maker.bytes(seed: 1, length: 200_000))
    // A file as old as the answer has a weak date.
    let server = try await NginxServer(root: folder.path, tls: true)
    let report = try await probe(
      "\(server.origin)/a.mp3", certificates: server.certificateAuthority)
    #expect(report.tls == .verified)
    #expect(report.advice == [.resumes(field: "ETag")])
    #expect(report.ifRange == .honored)
    #expect(report.beyondEnd == .refusedWithLength)
    #expect(report.contentType == "audio/mpeg")
    let untrusted = try await probe("\(server.origin)/a.mp3")
    #expect(untrusted.tls == .failed)
    #expect(untrusted.obstacle?.code == .tls)
    #expect(untrusted.advice.map(\.code) == ["cannotDownload"])
  }

  @Test("no ranges, no tags") func plain() async throws {
    let folder = try TemporaryFolder()
    try folder.write("a.mp3", MP3Maker.bytes(seed: 1, length: 200_000))
    let server = try await NginxServer(
      root: folder.path, directives: "max_ranges 0; etag off; add_header Last-Modified \"\";")
    let report = try await probe("\(server.origin)/a.mp3")
    #expect(report.ranges == .ignored)
    #expect(report.etagStrength == .none)
    #expect(report.advice == [.beginsAgain(.noValidator)])
  }
}
