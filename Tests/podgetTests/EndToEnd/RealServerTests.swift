import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Episodes on servers that others wrote, listed by a directory of ours.
@Suite(.serialized) struct RealServerTests {
  /// A listener whose directory lists one file on another server.
  private func listener(
    _ origin: String, _ bytes: [UInt8]
  ) throws -> (Listener, PodcastServer.Episode) {
    var episode = PodcastServer.Episode(1, "One")
    episode.bytes = bytes
    let server = try PodcastServer([episode])
    server.answerLookups { _ in
      Behaviour.Answer(
        status: 200,
        body: """
          {"results":[{"kind":"podcast","collectionId":1386867488,
          "collectionName":"The Symbolic World"},
          {"kind":"podcast-episode","collectionId":1386867488,"trackId":1,"trackName":"One",
          "releaseDate":"2024-01-01T06:00:00Z","episodeUrl":"\(origin)/a%20b/one.mp3"}]}
          """)
    }
    return (try Listener(server), episode)
  }

  private func kill(_ process: RunningProcess, _ listener: Listener) async throws -> Int64 {
    try await waitUntil("a part is there", seen: { process.output + process.error }) {
      listener.partSizes.contains { $0 >= 512 << 10 }
    }
    process.signal(SIGKILL)
    _ = try await process.waitForExit()
    return try #require(listener.partSizes.first)
  }

  @Test(.enabled(if: NginxServer.isInstalled, "nginx or openssl is not installed"))
  func `nginx continues what a killed podget began`() async throws {
    let root = try TemporaryFolder()
    let bytes = MP3Maker.bytes(seed: 1, length: 3 << 20)
    try root.write("a b/one.mp3", bytes)
    try makeOld(root.path("a b/one.mp3"))
    // A request for the complete file gets two thirds at once, and the rest slowly until the kill.
    let nginx = try await NginxServer(
      root: root.path,
      directives: "limit_rate_after 2m; if ($http_range = \"\") { set $limit_rate 1k; }")
    let (listener, episode) = try listener(nginx.origin, bytes)
    let process = try listener.start("download", listener.podcast)
    let kept = try await kill(process, listener)
    let resume = try await listener.run("resume", "--json")
    #expect(try resume.events().of(episode).first("started")?["resumedFrom"] == kept)
    #expect(resume.status == .exited(0) && listener.holds(episode))
    let rest = Int64(bytes.count) - kept + (64 << 10)
    try await waitUntil("it is logged") { nginx.accessLog.count == 2 }
    #expect(nginx.accessLog.last?.contains("\" 206 \(rest) ") == true)
    let path = listener.folder.path("library/\(listener.path(of: episode))")
    let date = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
    #expect(date == Date(timeIntervalSince1970: 1_704_088_800))
  }

  @Test(.enabled(if: NginxServer.isInstalled, "nginx or openssl is not installed"))
  func `an episode is downloaded over TLS once its authority is trusted`() async throws {
    let root = try TemporaryFolder()
    let bytes = MP3Maker.bytes(seed: 2, length: 100_000)
    try root.write("a b/one.mp3", bytes)
    let nginx = try await NginxServer(root: root.path, tls: true)
    let (listener, episode) = try listener(nginx.origin, bytes)
    let refused = try await listener.run("download", listener.podcast, "--json")
    #expect(try refused.events().first("failed")?.code == "tls" && refused.status == .exited(1))
    let authority = try #require(nginx.certificateAuthority)
    let trusted = try await listener.run("resume", listener.podcast, "--cacert", authority)
    #expect(trusted.status == .exited(0) && listener.holds(episode))
  }

  @Test(.enabled(if: NginxServer.isInstalled, "nginx or openssl is not installed"))
  func `the proxy of the environment is used, and its own answers are separate`() async throws {
    let root = try TemporaryFolder()
    let bytes = MP3Maker.bytes(seed: 4, length: 900_000)
    try root.write("a b/one.mp3", bytes)
    try makeOld(root.path("a b/one.mp3"))
    let nginx = try await NginxServer(root: root.path, tls: true)
    let proxy = try LoopbackServer.connectProxy(
      answering: "HTTP/1.1 200 OK\r\nETag: \"proxy\"\r\nContent-Length: 0\r\n\r\n"
    ) { $0 == 1 ? 500_000 : nil }
    var (listener, episode) = try listener(nginx.origin, bytes)
    listener.environment = ["https_proxy": proxy.origin]
    let authority = try #require(nginx.certificateAuthority)
    let result = try await listener.run(
      "download", listener.podcast, "--json", "--cacert", authority)
    #expect(result.status == .exited(0) && listener.holds(episode), "\(result.error)")
    #expect(try result.events().names.contains("restarted") == false)
    #expect(proxy.log.map(\.request.method) == ["CONNECT", "CONNECT"])
    try await waitUntil("it is logged") { nginx.accessLog.count == 2 }
    #expect(nginx.accessLog.last?.contains("\" 206 ") == true)
  }

  /// The server of Python's library, which knows no ranges. It stops half-way unless a range is
  /// asked for.
  private static let haltingPython = """
    import http.server, sys, threading
    class Halting(http.server.SimpleHTTPRequestHandler):
        def copyfile(self, source, output):
            if "Range" not in self.headers:
                output.write(source.read(1 << 20))
                output.flush()
                threading.Event().wait()
            super().copyfile(source, output)
    http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Halting).serve_forever()
    """

  @Test func `a server without ranges gives the right bytes after a kill`() async throws {
    let root = try TemporaryFolder()
    let bytes = MP3Maker.bytes(seed: 3, length: 2 << 20)
    try root.write("a b/one.mp3", bytes)
    try makeOld(root.path("a b/one.mp3"))
    let port = try RawClient.unusedPort()
    let python = try RunningProcess(
      "/usr/bin/env", ["python3", "-c", Self.haltingPython, "\(port)"], folder: root.path)
    try await waitUntil("it listens", seen: { python.error }) {
      (try? RawClient(port: port)) != nil
    }
    let (listener, episode) = try listener("http://127.0.0.1:\(port)", bytes)
    let process = try listener.start("download", listener.podcast)
    let kept = try await kill(process, listener)
    #expect(kept < bytes.count)
    let resume = try await listener.run("resume", "--json")
    let events = try resume.events()
    #expect(events.names == ["planned", "started", "restarted", "finished", "summary"])
    #expect(events.first("restarted")?["reason"] == "rangeIgnored")
    #expect(resume.status == .exited(0) && listener.holds(episode) && listener.partials.isEmpty)
  }

  /// A date distinguishes versions only if it is older than the response that contains it.
  private func makeOld(_ path: String) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_676_563_217)], ofItemAtPath: path)
  }
}
