import Foundation
import LoopbackServer
import PodcastKit
import TestSupport
import Testing

extension EngineTests {
  /// A server that ends its TLS connections without saying so (RFC 9112, section 9.8), which neither
  /// nginx nor the loopback server does; a few lines of Python do.
  @Suite(
    "TLS without an end", .enabled(if: UncleanServer.isPossible, "python3 or openssl is missing"))
  struct EngineTLSEndTests {
    private static let bytes = MP3Maker.bytes(seed: 1, length: 300_000)

    @Test(
      "rows 32 and F5: without length and close_notify, only complete audio is accepted",
      arguments: [false, true])
    func unannounced(hasLength: Bool) async throws {
      let server = try await UncleanServer(serving: Self.bytes, cut: 120_000, hasLength: hasLength)
      var engine = try EngineHarness()
      engine.session.certificateFile = server.certificate
      let plan = engine.plan("\(server.origin)/a.mp3")
      let run = try await engine.run([plan])
      let file = try #require(run.finished(plan), "\(run.kinds(plan))")
      #expect(try engine.read(file.path) == Self.bytes)
      // Complete frames without a length count when they end there again.
      #expect(
        run.retries(plan).map(\.reason) == (hasLength ? [.network] : [.incomplete, .incomplete]))
    }
  }
}

/// Answers its first connection with a part of a file and the others with all of it, and closes each
/// without `close_notify`.
private final class UncleanServer: Sendable {
  static let isPossible =
    ["/usr/bin/openssl", "/usr/bin/env"].allSatisfy(FileManager.default.isExecutableFile)
    && (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .contains { FileManager.default.isExecutableFile(atPath: "\($0)/python3") }

  let origin: String
  let certificate: String
  private let folder: TemporaryFolder
  private let process: RunningProcess

  private static let program = """
    import socket, ssl, sys
    path, cut, length = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "true"
    body = open(path, "rb").read()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain("certificate.pem", "key.pem")
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    count = 0
    while True:
        plain, _ = listener.accept()
        connection = context.wrap_socket(plain, server_side=True)
        request = b""
        while b"\\r\\n\\r\\n" not in request:
            request += connection.recv(65536)
        count += 1
        lengths = b"Content-Length: %d\\r\\n" % len(body) if length else b""
        head = b"HTTP/1.1 200 OK\\r\\nContent-Type: audio/mpeg\\r\\n" + lengths + b"\\r\\n"
        connection.sendall(head + (body[:cut] if count == 1 else body))
        connection.close()
    """

  init(serving bytes: [UInt8], cut: Int, hasLength: Bool) async throws {
    let folder = try TemporaryFolder()
    self.folder = folder
    let file = try folder.write("body", bytes)
    let made = try await RunningProcess(
      "/usr/bin/openssl",
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
        "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
        "-keyout", "key.pem", "-out", "certificate.pem",
      ], folder: folder.path
    ).waitForExit()
    try #require(made.status == .exited(0), "\(made.error)")
    certificate = folder.path("certificate.pem")
    let process = try RunningProcess(
      "/usr/bin/env", ["python3", "-c", Self.program, file, String(cut), String(hasLength)],
      folder: folder.path)
    self.process = process
    try await waitUntil("the server listens", seen: { process.error }) {
      process.output.hasSuffix("\n")
    }
    let port = process.output.trimmingCharacters(in: .whitespacesAndNewlines)
    origin = "https://127.0.0.1:\(port)"
  }
}
