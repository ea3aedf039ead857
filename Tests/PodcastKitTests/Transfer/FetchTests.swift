import Foundation
import PodcastModel
import PodcastTransfer
import TestSupport
import Testing

@Suite("Fetching documents") struct FetchTests {
  private func redirect(_ target: String) -> ScriptedTransport.Answer {
    .init(status: 302, body: [0x2D], redirect: target)
  }

  private func fetch(
    _ transport: ScriptedTransport, _ url: String = "https://a.example/", insecure: Bool = false
  ) async throws -> FetchedDocument {
    try await transport.fetch(
      HTTPRequest(url: url), maximumBytes: 4, allowsInsecureRedirects: insecure)
  }

  private func failure(
    _ transport: ScriptedTransport, _ url: String = "https://a.example/"
  ) async -> FetchFailure? {
    await #expect(throws: FetchFailure.self) { try await fetch(transport, url) }
  }

  @Test("a body is complete, with the address that sent it") func redirects() async throws {
    let transport = ScriptedTransport([
      "http://a.example/": [redirect("https://b.example/x")],
      "https://b.example/x": [.init(body: [1, 2, 3, 4])],
    ])
    let document = try await fetch(transport, "http://a.example/")
    #expect(document.body == Data([1, 2, 3, 4]))
    #expect(document.url == "https://b.example/x")
    #expect(document.head.status == 200)
    let sent = [HTTPField("Accept-Encoding", "identity")]
    #expect(transport.requests.map(\.headers) == [sent, sent])
  }

  @Test("redirects from https to http are refused unless allowed") func insecure() async throws {
    let script: [String: [ScriptedTransport.Answer]] = [
      "https://a.example/": [redirect("HTTP://b.example/")],
      "HTTP://b.example/": [.init(body: [1])],
    ]
    #expect(await failure(ScriptedTransport(script))?.error.code == .redirect)
    #expect(try await fetch(ScriptedTransport(script), insecure: true).body == Data([1]))
  }

  @Test("other schemes are refused", arguments: ["file:///etc/passwd", "ftp://b.example/", "x"])
  func schemes(target: String) async {
    let found = await failure(ScriptedTransport(["https://a.example/": [redirect(target)]]))
    #expect(found?.error.code == .redirect)
    #expect(found?.isTransient == false)
  }

  @Test("ten redirects are followed, and not eleven", arguments: [10, 11])
  func loops(count: Int) async throws {
    let url = "https://a.example/"
    let transport = ScriptedTransport([
      url: Array(repeating: redirect(url), count: count) + [.init(body: [1])]
    ])
    if count == 10 {
      #expect(try await fetch(transport).body == Data([1]))
    } else {
      #expect(await failure(transport)?.error.code == .redirect)
    }
    #expect(transport.requests.count == 11)
  }

  @Test(
    "ends become errors",
    arguments: [
      (.init(status: 404), .httpStatus, false), (.init(status: 503), .httpStatus, true),
      (.init(.network("x")), .network, true), (.init(.stalled), .timeout, true),
      (.init(.tls("x")), .tls, false), (.init(.unusable("x")), .network, false),
      (.init(.undecodable("x")), .decoding, false),
      (.init(.truncated), .incomplete, true),
      (.init(body: [1, 2, 3, 4, 5]), .decoding, false), (.init(status: 304), .decoding, false),
    ] as [(ScriptedTransport.Answer, PodgetError.Code, Bool)])
  func ends(answer: ScriptedTransport.Answer, code: PodgetError.Code, transient: Bool) async {
    let found = await failure(ScriptedTransport(["https://a.example/": [answer]]))
    #expect(found?.error.code == code)
    #expect(found?.isTransient == transient)
    #expect(found?.error.httpStatus == (code == .httpStatus ? answer.head?.status : nil))
  }

  @Test("an invalid address is refused before any request") func noAddress() async {
    let transport = ScriptedTransport([:])
    #expect(await failure(transport, "itunes")?.isTransient == false)
    #expect(transport.requests.isEmpty)
  }
}
