import Foundation
import TestSupport
import Testing

/// podget on a machine that sleeps, or that loses its network for a while: in a network namespace,
/// whose only link the tests shut down.
@Suite(
  .serialized,
  .enabled("needs root, unshare, nsenter and ip") { await OwnNetwork.isPossible() })
struct AbsenceTests {
  @Test func `a download resumes after the network comes back`() async throws {
    let network = try await OwnNetwork()
    let server = try await network.serve()
    let podget = try network.download()
    try await podget.waitForBytes()
    try await network.setLink(up: false)
    try await waitUntil("it is tried again", seen: { podget.output }) {
      podget.events.contains { $0.name == "retrying" }
    }
    try await network.setLink(up: true)
    try await network.expectResumed(podget)
    withExtendedLifetime(server) {}
  }

  @Test func `a machine that slept finds its connections closed and resumes`() async throws {
    let network = try await OwnNetwork()
    var server = try await network.serve()
    let podget = try network.download()
    try await podget.waitForBytes()
    podget.signal(SIGSTOP)
    try await network.setLink(up: false)
    // The server forgets its connections, and podget cannot learn that.
    server.signal(SIGKILL)
    _ = try await server.waitForExit()
    server = try await network.serve()
    try await network.setLink(up: true)
    podget.signal(SIGCONT)
    try await network.expectResumed(podget)
    withExtendedLifetime(server) {}
  }
}

extension RunningProcess {
  fileprivate func waitForBytes() async throws {
    try await waitUntil("bytes arrive", seen: { self.output + self.error }) {
      self.events.contains { $0.name == "progress" }
    }
  }
}

/// A network namespace with only a loopback, as long as the value lives.
private struct OwnNetwork {
  private let holder: RunningProcess
  private let folder: TemporaryFolder
  private static let origin = "http://127.0.0.1:8080"

  init() async throws {
    let holder = try RunningProcess("/usr/bin/env", ["unshare", "-n", "sh", "-c", Self.script])
    (self.holder, folder) = (holder, try TemporaryFolder())
    try await waitUntil("the network is made", seen: { holder.error }) {
      holder.output == "up\n" || !holder.isRunning
    }
    guard holder.isRunning else { throw ImageDisk.Unavailable(description: holder.error) }
  }

  private static let script = "ip link set lo up && echo up && exec sleep 600"

  static func isPossible() async -> Bool {
    guard let network = try? await OwnNetwork() else { return false }
    return (try? await network.setLink(up: true)) != nil
  }

  /// Starts a server of one episode of 2 MB, slow enough to be disturbed.
  func serve() async throws -> RunningProcess {
    let portFile = folder.path("port")
    try? FileManager.default.removeItem(atPath: portFile)
    let server = try run(
      [
        BuiltBinary.demoServer.path, "--port", "8080", "--port-file", portFile, "--rate", "256K",
        "--size", "2M", "--fixtures", "\(packageRoot)/Fixtures/Lookup.json",
      ])
    try await waitUntil("the server listens", seen: { server.error }) {
      folder.contains("port")
    }
    return server
  }

  func download() throws -> RunningProcess {
    try run([
      "env", "PODGET_ITUNES_URL=\(Self.origin)", "HOME=\(folder.path)", BuiltBinary.podget.path,
      "download", "1386867488", "--latest", "1", "--json", "-d", folder.path("library"),
      "--stall-timeout", "1", "--retries", "15", "--retry-delay", "0.2",
    ])
  }

  func setLink(up: Bool) async throws {
    let result = try await run(["ip", "link", "set", "lo", up ? "up" : "down"]).waitForExit()
    guard result.status == .exited(0) else {
      throw ImageDisk.Unavailable(description: result.error)
    }
  }

  /// Waits for the end, and checks that nothing failed and nothing started again.
  func expectResumed(_ podget: RunningProcess) async throws {
    let result = try await podget.waitForExit()
    #expect(result.status == .exited(0), "\(result.output)\(result.error)")
    let events = try result.events()
    #expect(events.contains { $0.name == "retrying" }, "\(result.output)")
    #expect(!events.contains { $0.name == "restarted" }, "\(result.output)")
    #expect(events.contains { $0.name == "finished" })
  }

  private func run(_ command: [String]) throws -> RunningProcess {
    try RunningProcess(
      "/usr/bin/env", ["nsenter", "-t", String(holder.pid), "-n"] + command)
  }
}
