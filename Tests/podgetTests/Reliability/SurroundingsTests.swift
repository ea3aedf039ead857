import Foundation
import TestSupport
import Testing

extension Reliability {
  /// Limits, mounts and other programs that get in podget's way.
  @Suite(.serialized) struct Surroundings {
    @Test(arguments: [1, 100_000, 300_000, 600_000])
    func `a limit on the size of files is an error that resuming mends`(limit: Int) async throws {
      let trial = try Trial(try await TrialPodcast())
      let result = try await trial.run("download", limits: ["--fsize=\(limit)"])
      #expect(result.status == .exited(1), "\(result.error)")
      let failed = try result.events().filter { $0.name == "failed" }
      #expect(!failed.isEmpty && failed.allSatisfy { $0.code == "disk" })
      #expect(trial.audit.contradictions() == [])
      try await trial.complete(after: "a limit of \(limit) bytes")
    }

    @Test func `too few descriptors are an error that resuming mends`() async throws {
      let podcast = try await TrialPodcast()
      let limits = stride(from: 6, to: 40, by: Reliability.rounds(3, soak: 1))
      try await Reliability.forEach(limits) { limit in
        let trial = try Trial(podcast)
        let result = try await trial.run(
          "download", limits: ["--nofile=\(limit)"], more: ["--retries", "1"])
        if case .signalled = result.status { Issue.record("\(limit): \(result)") }
        #expect(trial.audit.contradictions() == [], "\(limit) descriptors")
        try await trial.complete(after: "\(limit) descriptors")
      }
    }

    @Test func `a library removed in the middle fails and comes back`() async throws {
      let podcast = try await TrialPodcast(size: 2_000_000)
      podcast.server.rate = 4 << 20
      let trial = try Trial(podcast)
      let process = try trial.start("download")
      try await waitUntil("bytes are there", seen: { process.output }) {
        trial.audit.parts.values.contains { $0 > 0 }
      }
      try FileManager.default.removeItem(atPath: trial.library)
      let result = try await process.waitForExit()
      #expect(result.status == .exited(1))
      #expect(try result.events().filter(\.isTerminal).allSatisfy { $0.code == "disk" })
      podcast.server.rate = 0
      try await trial.complete(after: "a removed library")
    }

    @Test func `a disk that fails in the middle keeps what was finished`() async throws {
      let disk = try await mounted()
      let podcast = try await TrialPodcast(size: 2_000_000)
      podcast.server.rate = 4 << 20
      let trial = try Trial(podcast, library: disk.path)
      let process = try trial.start("download")
      try await waitUntil("bytes are there", seen: { process.output }) {
        trial.audit.parts.values.contains { $0 > 0 }
      }
      try disk.shutDown()
      let result = try await process.waitForExit()
      #expect(result.status == .exited(1), "\(result.output)")
      #expect(try result.events().filter(\.isTerminal).allSatisfy { $0.code == "disk" })
      #expect(trial.audit.contradictions() == [])
      podcast.server.rate = 0
      let again = try await disk.cut()
      try await Trial(podcast, library: again.path).complete(after: "a disk that failed")
    }

    @Test(arguments: [["download"], ["download", "--force"]])
    func `a podcast's folder may be a mount of its own`(arguments: [String]) async throws {
      let podcast = try await TrialPodcast()
      let trial = try Trial(podcast)
      if arguments.count > 1 { try await trial.complete(after: "nothing") }
      let faults = "rename:1+1:mount,rename2:1+1:mount"
      let result = try await trial.run(
        arguments[0], faults: faults, more: Array(arguments.dropFirst()))
      #expect(result.status == .exited(0), "\(result.output)")
      #expect(trial.audit.contradictions() == [])
      #expect(trial.audit.partials == [])
    }

    private func mounted() async throws -> ImageDisk {
      do {
        return try await ImageDisk(.ext4)
      } catch let error as ImageDisk.Unavailable {
        Reliability.report("no disk that fails: \(error)")
        try Test.cancel("\(error)")
      }
    }
  }
}
