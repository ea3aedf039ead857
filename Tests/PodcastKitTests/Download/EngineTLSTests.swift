import LoopbackServer
import PodcastKit
import TestSupport
import Testing

extension EngineTests {
  @Suite("Downloads over TLS", .enabled(if: NginxServer.isInstalled, "nginx is missing"))
  struct EngineTLSTests {
    private static let bytes = MP3Maker.bytes(seed: 1, length: 300_000)

    /// A secure server with one episode, and `/r` that leads to a plain one.
    private func servers() async throws -> (
      secure: NginxServer, plain: LoopbackServer, TemporaryFolder
    ) {
      let plain = try LoopbackServer(files: ["/a.mp3": FileServing(Representation(Self.bytes))])
      let root = try TemporaryFolder()
      try root.write("a.mp3", Self.bytes)
      let secure = try await NginxServer(
        root: root.path, tls: true,
        directives: "location /r { return 302 \(plain.url("/a.mp3")); }")
      return (secure, plain, root)
    }

    @Test("rows 54 and F26: a certificate that is not trusted fails immediately")
    func untrusted() async throws {
      let (secure, _, _) = try await servers()
      let engine = try EngineHarness()
      let plan = engine.plan("\(secure.origin)/a.mp3")
      let run = try await engine.run([plan])
      #expect(run.error(plan)?.code == .tls)
      #expect(run.error(plan)?.remedy == .trustOtherCertificates)
      #expect(run.retries(plan).isEmpty)
      #expect(engine.finishedFiles == [])
      #expect(secure.accessLog == [])
    }

    @Test("with its authority's certificate it works")
    func trusted() async throws {
      let (secure, _, root) = try await servers()
      var engine = try EngineHarness()
      engine.session.certificateFile = secure.certificateAuthority
      let plan = engine.plan("\(secure.origin)/a.mp3")
      #expect(
        try engine.read(#require(try await engine.run([plan]).finished(plan)).path) == Self.bytes)
      #expect(secure.accessLog.count == 1)
      _ = root
    }

    @Test("row 54: an unreadable list of certificates is an error")
    func badList() async throws {
      let (secure, _, _) = try await servers()
      var engine = try EngineHarness()
      engine.session.certificateFile = engine.folder.path("none.pem")
      let plan = engine.plan("\(secure.origin)/a.mp3")
      let run = try await engine.run([plan])
      #expect(run.error(plan)?.code == .tls)
      #expect(run.retries(plan).isEmpty)
    }

    @Test("row 46: from https to http only if allowed", arguments: [false, true])
    func downgrade(isAllowed: Bool) async throws {
      let (secure, plain, _) = try await servers()
      var engine = try EngineHarness()
      engine.session.certificateFile = secure.certificateAuthority
      engine.options.allowsInsecureRedirects = isAllowed
      let plan = engine.plan("\(secure.origin)/r")
      let run = try await engine.run([plan])
      if isAllowed {
        #expect(try engine.read(#require(run.finished(plan)).path) == Self.bytes)
      } else {
        #expect(run.error(plan)?.code == .redirect)
        #expect(run.error(plan)?.remedy == .allowInsecureRedirects)
        #expect(plain.log.isEmpty)
        #expect(engine.finishedFiles == [])
      }
    }
  }
}
