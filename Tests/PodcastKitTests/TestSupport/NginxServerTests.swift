import TestSupport
import Testing

@Suite(.enabled(if: NginxServer.isInstalled, "nginx or openssl is not installed"))
struct NginxServerTests {
  private func curl(_ arguments: String...) async throws -> RunningProcess.Result {
    try await RunningProcess("/usr/bin/curl", ["-sS"] + arguments).waitForExit()
  }

  @Test func `a folder is served with ranges`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("a b/x.mp3", "0123456789")
    let server = try await NginxServer(root: folder.path)
    let result = try await curl("-r", "4-", "\(server.origin)/a%20b/x.mp3")
    #expect(result.output == "456789")
    try await waitUntil("it is logged") { server.accessLog.count == 1 }
    #expect(server.accessLog.first?.contains("\" 206 6 ") == true)
  }

  @Test func `TLS is trusted with the authority's certificate only`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("x", "secret")
    let server = try await NginxServer(root: folder.path, tls: true)
    let authority = try #require(server.certificateAuthority)
    #expect(try await curl("--cacert", authority, "\(server.origin)/x").output == "secret")
    #expect(try await curl("\(server.origin)/x").status == .exited(60))
  }
}
