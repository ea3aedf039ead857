import Foundation
import TestSupport
import Testing

extension Reliability {
  /// Limits, mounts and other programs that interfere with podget.
  @Suite(.serialized) struct Surroundings {
    @Test(arguments: [1, 100_000, 300_000, 600_000])
    func `a limit on the size of files is an error that resume fixes`(limit: Int) async throws {
      let trial = try Trial(try await TrialPodcast())
      let result = try await trial.run("download", limits: ["--fsize=\(limit)"])
      #expect(result.status == .exited(1), "\(result.error)")
      let failed = try result.events().filter { $0.name == "failed" }
      #expect(!failed.isEmpty && failed.allSatisfy { $0.code == "disk" })
      #expect(trial.audit.contradictions() == [])
      try await trial.complete(after: "a limit of \(limit) bytes")
    }

    @Test func `too few descriptors are an error that resume fixes`() async throws {
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

    @Test func `a library that was removed during a run fails and comes back`() async throws {
      let podcast = try await TrialPodcast(size: 2_000_000)
      podcast.server.hold = 512 << 10
      let trial = try Trial(podcast)
      let process = try trial.start("download")
      try await waitUntil("bytes are there", seen: { process.output }) {
        trial.audit.parts.values.contains { $0 > 0 }
      }
      // podget may make and rename files while this goes through its folders.
      try await waitUntil("the library is removed") {
        try? FileManager.default.removeItem(atPath: trial.library)
        return !FileManager.default.fileExists(atPath: trial.library)
      }
      podcast.server.hold = nil
      let result = try await process.waitForExit()
      #expect(result.status == .exited(1))
      #expect(try result.events().filter(\.isTerminal).allSatisfy { $0.code == "disk" })
      try await trial.complete(after: "a removed library")
    }

    @Test func `a disk that fails in the middle keeps what was finished`() async throws {
      let disk = try await mounted()
      let podcast = try await TrialPodcast(size: 2_000_000)
      podcast.server.hold = 512 << 10
      let trial = try Trial(podcast, library: disk.path)
      let process = try trial.start("download")
      try await waitUntil("bytes are there", seen: { process.output }) {
        trial.audit.parts.values.contains { $0 > 0 }
      }
      try disk.shutDown()
      podcast.server.hold = nil
      let result = try await process.waitForExit()
      #expect(result.status == .exited(1), "\(result.output)")
      #expect(try result.events().filter(\.isTerminal).allSatisfy { $0.code == "disk" })
      #expect(trial.audit.contradictions() == [])
      let again = try await disk.cut()
      try await Trial(podcast, library: again.path).complete(after: "a disk that failed")
    }

    @Test func `a library that is read-only for a while keeps the received bytes`() async throws {
      let disk = try await mounted()
      let podcast = try await TrialPodcast()
      let trial = try Trial(podcast, library: disk.path)
      _ = try await trial.run("download", faults: "any:40:kill")
      let parts = trial.audit.parts
      try await disk.remount(readOnly: true)
      let asked = podcast.server.downloads.count
      let result = try await trial.run("download")
      #expect(result.status == .exited(1))
      let ends = try result.events().filter { $0.isTerminal && $0.name != "skipped" }
      #expect(!ends.isEmpty && ends.allSatisfy { $0.code == "disk" }, "\(result.output)")
      #expect(podcast.server.downloads.count == asked, "nothing is asked for that cannot be kept")
      #expect(try await trial.run("list").status == .exited(0))
      #expect(trial.audit.parts == parts)
      try await disk.remount(readOnly: false)
      try await trial.complete(after: "a read-only disk")
    }

    @Test func `a library on a read-only disk is listed, with its index and without`() async throws
    {
      let disk = try await mounted()
      let trial = try Trial(try await TrialPodcast(), library: disk.path)
      try await trial.complete(after: "nothing")
      let before = try await trial.run("list")
      #expect(try before.objects.count > 1)
      for time in ["with the index", "without"] {
        try await disk.remount(readOnly: true)
        let list = try await trial.run("list")
        #expect(list.status == .exited(0) && list.error == "", "\(time): \(list.error)")
        #expect(list.output == before.output, "\(time)")
        try await disk.remount(readOnly: false)
        for file in try FileManager.default.contentsOfDirectory(atPath: "\(disk.path)/.podget")
        where file.hasPrefix("library.sqlite") {
          try FileManager.default.removeItem(atPath: "\(disk.path)/.podget/\(file)")
        }
      }
    }

    @Test func `a library works on exFAT, through kills too`() async throws {
      let disk: ExFATDisk
      do {
        disk = try await ExFATDisk()
      } catch let error as ImageDisk.Unavailable {
        Reliability.report("no exFAT: \(error)")
        try Test.cancel("\(error)")
      }
      let podcast = try await TrialPodcast()
      let points = Array(stride(from: 1, through: 90, by: Reliability.rounds(30, soak: 1)))
      for point in points {
        let trial = try Trial(podcast, library: "\(disk.path)/after \(point)")
        let result = try await trial.run("download", faults: "any:\(point):kill")
        #expect([.exited(0), .signalled(SIGKILL)].contains(result.status), "\(result.error)")
        #expect(trial.audit.contradictions() == [], "a kill at call \(point)")
        try await trial.complete(after: "a kill on exFAT at call \(point)")
        #expect(try await trial.run("list").status == .exited(0))
        // FUSE may be sshfs as well, so the index has a rollback journal there.
        let index = try Data(contentsOf: URL(filePath: "\(trial.library)/.podget/library.sqlite"))
        #expect(index[18] == 1)
      }
      Reliability.report("\(points.count) kills on exFAT")
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
