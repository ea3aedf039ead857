import Foundation
import TestSupport
import Testing

extension Reliability {
  /// podget publish killed before each of its calls that change the disk.
  @Suite(.serialized) struct PublishKills {
    private static let addresses = ["https://old.example/", "https://new.example/p/"]

    @Test func `a kill before any call leaves old and new files, each of them whole`()
      async throws
    {
      let podcast = try await TrialPodcast(episodes: 2, size: 20_000)
      let whole = try Trial(podcast)
      _ = try await whole.run("download")
      let done = try await published(whole)
      let old = try files(of: done)
      let plan = try await KillPlan(of: done.folder, in: start(done, faults: KillPlan.stops))
      #expect(plan.calls.count > 10)
      let new = try files(of: done)
      #expect(Set(old.keys) == Set(new.keys))
      #expect(old != new)
      try await plan.kill { point in
        let trial = try await published(whole)
        let what = "any:\(point):kill"
        let result = try await start(trial, faults: what).waitForExit()
        for (path, bytes) in try files(of: trial) {
          #expect(bytes == old[path] || bytes == new[path], "\(path) after \(what)")
        }
        let second = try await start(trial).waitForExit()
        #expect(second.status == .exited(0), "after \(what): \(second.error)")
        #expect(try files(of: trial) == new, "after \(what)")
        #expect(!trial.folder.contains("public/.podget-publish.new"), "after \(what)")
        #expect(trial.audit.shortcomings() == [], "after \(what)")
        return result.status == .signalled(SIGKILL)
      }
      Reliability.report("\(plan.calls.count) kills of publish")
    }

    /// A copy of a library, published under the first address. The names of its files are
    /// files of their own, so that a run has those to replace too.
    private func published(_ whole: Trial) async throws -> Trial {
      let trial = try Trial(copying: whole)
      let result = try await trial.run("publish", more: options(trial, 0))
      #expect(result.status == .exited(0), "\(result.error)")
      for path in trial.folder.files where path.hasPrefix("public/") && path.hasSuffix(".mp3") {
        let bytes = try trial.folder.read(path)
        // They have its time, to the nanosecond: otherwise they are files of somebody else.
        var status = stat()
        try #require(stat(trial.folder.path(path), &status) == 0)
        try FileManager.default.removeItem(atPath: trial.folder.path(path))
        try trial.folder.write(path, bytes)
        let times = [status.st_atim, status.st_mtim]
        try #require(utimensat(AT_FDCWD, trial.folder.path(path), times, 0) == 0)
      }
      return trial
    }

    private func start(_ trial: Trial, faults: String? = nil) throws -> RunningProcess {
      try trial.start("publish", faults: faults, more: options(trial, 1))
    }

    private func options(_ trial: Trial, _ address: Int) -> [String] {
      [trial.folder.path("public"), "--base-url", Self.addresses[address]]
    }

    private func files(of trial: Trial) throws -> [String: [UInt8]] {
      var files: [String: [UInt8]] = [:]
      // The record has the times and the inodes of each trial.
      for path in trial.folder.files
      where path.hasPrefix("public/") && !path.hasPrefix("public/.podget-publish") {
        files[String(path.dropFirst(7))] = try trial.folder.read(path)
      }
      return files
    }
  }
}
