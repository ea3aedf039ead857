import Foundation
import LoopbackServer
import PodcastTransfer
import TestSupport
import Testing

@testable import podget

/// Commands that run without a process, with each thing from outside replaced.
@Suite("Command context") struct CommandContextTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var host: InProcess {
    InProcess(environment: ["HOME": folder.path, "PODGET_ITUNES_URL": "http://catalog.test"])
  }

  @Test func `requests go to the transport of the context`() async throws {
    var host = host
    let address = "http://catalog.test/search?term=psalms&media=podcast&entity=podcast&limit=20"
    let transport = ScriptedTransport([
      "\(address)&country=us": [
        ScriptedTransport.Answer(body: Array(#"{"resultCount":0,"results":[]}"#.utf8))
      ]
    ])
    host.transport = transport
    let result = await host.run(["search", "psalms", "--json"])
    #expect(result.status == .exited(0) && result.output == "[]\n", "\(transport.requests)")
    #expect(result.error == "podget: Apple's catalog has no podcast for \"psalms\".\n")
  }

  @Test(
    arguments: [(.interrupt, 130), (.terminate, 143), (.hangUp, 129)] as [(ProcessSignal, Int32)])
  func `a signal of the context ends a command with its status`(
    signal: ProcessSignal, status: Int32
  ) async throws {
    let server = try LoopbackServer { _, connection in connection.stall() }
    let host = host
    async let result = host.run(["doctor", "\(server.origin)/a.mp3"])
    try await waitUntil("the server is asked") { host.signals.isListened && !server.log.isEmpty }
    host.signals.send(signal)
    let ended = await result
    #expect(ended == .init(status: .exited(status), output: "", error: ""))
    #expect(!host.signals.isListened)
  }

  @Test func `standard input is read from the context`() async throws {
    var host = host
    host.input = "# followed\nhttp://a.test/feed\n\nhttp://b.test/feed\n"
    host.transport = ScriptedTransport([:])
    let result = await host.run(["subscribe", "-", "--retries", "0", "--json"])
    #expect(try result.values("source") == ["http://a.test/feed", "http://b.test/feed"])
  }

  @Test func `a variable that is not UTF-8 is refused`() async throws {
    let output = Recorder()
    var context = CommandContext(
      environment: ["PODGET_LIBRARY": "/\u{FFFD}"], now: { Date() },
      input: StandardInput { _ in 0 }, output: output.output,
      errors: output.output(name: "standard error"), signals: SentSignals())
    #expect(await Podget.run(["list"], in: context) == 0)
    context.unreadableVariables = ["PODGET_LIBRARY"]
    #expect(await Podget.run(["list"], in: context) == 64)
    #expect(output.lines.last == "podget: The variable PODGET_LIBRARY is not UTF-8.")
  }
}
