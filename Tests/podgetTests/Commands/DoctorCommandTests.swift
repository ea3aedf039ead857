import Foundation
import LoopbackServer
import TestSupport
import Testing

@Suite("podget doctor") struct DoctorCommandTests {
  private let audio = Representation(MP3Maker(seed: 1, approximateSize: 300_000, title: "One"))

  private func podget(
    _ arguments: [String], environment: [String: String] = [:]
  ) async throws -> RunningProcess.Result {
    let base = ["no_proxy": "127.0.0.1", "PODGET_RETRIES": "0", "LANG": "C.UTF-8"]
    return await InProcess(environment: base.merging(environment) { $1 })
      .run(["doctor"] + arguments)
  }

  private func serve() throws -> LoopbackServer {
    try LoopbackServer(files: [
      "/a.mp3": FileServing(audio), "/old": FileServing(audio, behaviour: .redirects(to: "/a.mp3")),
      "/page": FileServing(audio, behaviour: .answers(200, body: "<html><p>Log in</p></html>")),
    ])
  }

  private func object(_ result: RunningProcess.Result) throws -> [String: Any] {
    #expect(result.output.hasSuffix("}\n"))
    let value = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
    return try #require(value as? [String: Any])
  }

  @Test(
    "numbers at the end of their range are reported without a crash",
    arguments: [
      "bytes 0-9223372036854775807/*", "bytes 9223372036854775807-9223372036854775807/*",
      "bytes 9223372036854775806-9223372036854775806/9223372036854775807",
    ])
  func hugeNumbers(range: String) async throws {
    let audio = audio
    let server = try LoopbackServer { request, connection in
      let isPart = request.first("Range") != nil
      connection.writeHead(
        status: isPart ? 206 : 200,
        fields: [
          Request.Field("Transfer-Encoding", "chunked"), Request.Field("Content-Range", range),
          Request.Field("ETag", "\"first\""), Request.Field("Retry-After", "9223372036854775807"),
        ])
      connection.write("400\r\n")
      connection.write(audio.bytes(in: 0..<1024))
      connection.write("\r\n0\r\n\r\n")
    }
    let huge = try LoopbackServer(files: [
      "/a.mp3": FileServing(audio, behaviour: Behaviour { $0.contentLength = .max })
    ])
    for address in ["\(server.origin)/a.mp3", "\(huge.origin)/a.mp3"] {
      let result = try await podget([address, "--json"])
      #expect(result.status == .exited(0), "\(result.error)")
      #expect(try object(result)["canDownload"] as? Bool == true)
    }
  }

  @Test("every member of the JSON object is as documented") func json() async throws {
    let server = try serve()
    let result = try await podget(["\(server.origin)/old", "--json", "--user-agent", "mine/2"])
    #expect(result.status == .exited(0))
    #expect(result.error == "")
    let report = try object(result)
    #expect(
      Set(report.keys) == [
        "url", "finalUrl", "canDownload", "error", "status", "redirects", "tls", "timeToHead",
        "length", "framing", "contentType", "content", "contentEncoding", "etag", "lastModified",
        "ranges", "ifRange", "beyondEnd", "repetition", "browser", "advice", "requests",
      ])
    let texts = [
      "url": "\(server.origin)/old", "finalUrl": "\(server.origin)/a.mp3", "tls": "none",
      "framing": "length", "contentType": "audio/mpeg", "content": "mp3", "ranges": "honored",
      "ifRange": "honored", "beyondEnd": "refusedWithLength", "repetition": "same",
      "browser": "untested",
    ]
    for (name, text) in texts { #expect(report[name] as? String == text, "\(name)") }
    #expect(report["canDownload"] as? Bool == true)
    #expect(report["error"] is NSNull)
    #expect(report["status"] as? Int == 200)
    #expect(report["length"] as? Int64 == audio.size)
    #expect(try #require(report["timeToHead"] as? Double) >= 0)
    #expect(report["contentEncoding"] as? [String] == [])
    #expect(
      report["etag"] as? [String: String] == ["value": "\"first\"", "strength": "strong"])
    let hops = try #require(report["redirects"] as? [[String: Any]])
    #expect(hops.count == 1)
    #expect(hops[0]["verdict"] as? String == "followed")
    #expect(hops[0]["downgrade"] as? Bool == false)
    #expect(hops[0]["host"] as? String == "127.0.0.1")
    let advice = try #require(report["advice"] as? [[String: String]])
    #expect(advice.map { $0["code"] } == ["resumes"])
    let requests = try #require(report["requests"] as? [[String: Any]])
    #expect(
      requests.map { $0["name"] as? String } == [
        "plain", "conditional", "wronglyConditional", "repeated", "beyondEnd",
      ])
    #expect(requests.map { $0["status"] as? Int } == [200, 206, 200, 206, 416])
    #expect(server.log.allSatisfy { $0.request.first("User-Agent") == "mine/2" })
  }

  @Test("an episode that cannot be downloaded ends with 1") func failure() async throws {
    let server = try serve()
    let missing = try await podget(["\(server.origin)/none", "--json"])
    #expect(missing.status == .exited(1))
    let report = try object(missing)
    #expect(report["canDownload"] as? Bool == false)
    let error = try #require(report["error"] as? [String: Any])
    #expect(error["code"] as? String == "httpStatus")
    #expect(error["httpStatus"] as? Int == 404)
    #expect(report["length"] is NSNull)
    let page = try await podget(["\(server.origin)/page"])
    #expect(page.status == .exited(1))
    #expect(page.output.contains("html by its bytes\n"))
    #expect(
      page.output.hasSuffix(
        """
        podget cannot download this.
        - The server sends a web page instead of an episode; the publisher's link is broken.

        """))
  }

  @Test("the text for people") func text() async throws {
    let server = try serve()
    let url = "http://me:secret@127.0.0.1:\(server.port)/old"
    let result = try await podget([url])
    #expect(result.status == .exited(0))
    #expect(!result.output.contains("secret"))
    #expect(server.log.allSatisfy { $0.request.first("Authorization") == "Basic bWU6c2VjcmV0" })
    let time = /head after \d+ ms/
    #expect(
      result.output.replacing(time, with: "head after N ms") == """
        Address         http://127.0.0.1:\(server.port)/old
        Redirect        302 to http://127.0.0.1:\(server.port)/a.mp3
        Answer          200, head after N ms
        Encryption      none
        Length          293 KiB (\(audio.size) bytes)
        Content         audio/mpeg announced, mp3 by its bytes
        ETag            "first" (strong)
        Last-Modified   Thu, 16 Feb 2023 16:00:17 GMT (strong)
        Ranges          honored
        If-Range        honored
        Past the end    416 with the length
        Repeated        the same bytes each time

        podget can download this.
        - An interrupted download resumes: podget asks for the rest with If-Range \
        and the ETag, and compares the last 64 KiB.

        """)
    let verbose = try await podget([url, "-v"])
    #expect(verbose.output.contains("beyondEnd:          from byte \(audio.size), 416, bytes */"))
  }

  @Test("no part of a report contains a query or a password") func privacy() async throws {
    let server = try LoopbackServer { request, connection in
      connection.respond(
        status: 302, fields: [Request.Field("Location", "ftp://me:secret@h.example/x?token=1")])
    }
    let url = "http://me:secret@127.0.0.1:\(server.port)/a.mp3?token=1"
    for options in [["--json"], ["-v"]] {
      let result = try await podget([url] + options)
      #expect(result.status == .exited(1))
      #expect(!result.output.contains("token") && !result.output.contains("secret"))
      #expect(result.output.contains("127.0.0.1:\(server.port)/a.mp3?…"))
      #expect(result.error == "")
    }
    let usage = try await podget(["ftp://me:secret@h.example/x?token=1"])
    #expect(usage.status == .exited(1))
    #expect(!usage.error.contains("token") && !usage.error.contains("secret"))
  }

  @Test("in a window lines are wrapped between words") func window() async throws {
    let server = try serve()
    let screen = await InProcess(environment: ["no_proxy": "127.0.0.1", "LANG": "C.UTF-8"])
      .screen(["doctor", "\(server.origin)/a.mp3"], columns: 50, rows: 30)
    #expect(
      screen.hasSuffix(
        """
        podget can download this.
        - An interrupted download resumes: podget asks for
          the rest with If-Range and the ETag, and
          compares the last 64 KiB.
        """))
  }

  @Test("an invalid address is a failure, and none a wrong command line")
  func usage() async throws {
    let result = try await podget(["ftp://a.example/x"])
    #expect(result.status == .exited(1))
    #expect(result.output == "")
    #expect(try await podget([]).status == .exited(64))
  }
}
