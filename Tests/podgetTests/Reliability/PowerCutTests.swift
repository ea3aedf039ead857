import Foundation
import TestSupport
import Testing

extension Reliability {
  /// A power cut before each of podget's calls that change the disk.
  ///
  /// podget stops before every call; the image below its file system is copied then and mounted
  /// again, which is what a machine finds when it starts again.
  @Suite(.serialized) struct PowerCuts {
    @Test(arguments: ImageDisk.Kind.allCases)
    func `a power failure before any call loses no finished episode`(
      kind: ImageDisk.Kind
    ) async throws {
      if kind != .ext4, !Reliability.isSoak { try Test.cancel("Only the long tests try \(kind).") }
      let cuts = try await cutEverywhere(kind, faults: "", every: Reliability.rounds(4, soak: 1))
      #expect(cuts.problems == [])
      #expect(cuts.count > 10)
      Reliability.report("\(cuts.count) power cuts on \(kind): \(cuts.problems.count) problems")
    }

    @Test func `without syncs the same power failures lose episodes`() async throws {
      let lies = "fsync:1+1:skip,fdatasync:1+1:skip,"
      let cuts = try await cutEverywhere(.ext4, faults: lies, every: Reliability.rounds(6, soak: 2))
      #expect(cuts.problems.contains { $0.contains("was finished") })
      #expect(cuts.problems.contains { $0.contains("of them right") })
      Reliability.report(
        "\(cuts.count) power cuts with syncs left out: \(cuts.problems.count) losses seen")
    }

    private typealias Cuts = (count: Int, problems: [String])

    private func cutEverywhere(
      _ kind: ImageDisk.Kind, faults: String, every: Int
    ) async throws -> Cuts {
      let disk: ImageDisk
      do {
        disk = try await ImageDisk(kind)
      } catch let error as ImageDisk.Unavailable {
        Reliability.report("no power cuts on \(kind): \(error)")
        try Test.cancel("\(error)")
      }
      let podcast = try await TrialPodcast()
      var trial = try Trial(podcast, library: "\(disk.path)/library")
      trial.bootID = try trial.folder.write("boot", "before\n")
      let process = try trial.start("download", faults: "\(faults)any:1+1:stop")
      var cuts: Cuts = (0, [])
      var point = 0
      while try await Reliability.hasStopped(process) {
        point += 1
        if point % every == 0 {
          try await cut(disk, podcast, process, "before call \(point)", &cuts)
          disk.syncSomethingElse()
          try await cut(disk, podcast, process, "synced before call \(point)", &cuts)
        }
        process.signal(SIGCONT)
      }
      let result = try await process.waitForExit()
      #expect(result.status == .exited(0), "\(result.error)")
      try await cut(disk, podcast, process, "at the end", &cuts)
      disk.syncSomethingElse()
      try await cut(disk, podcast, process, "synced at the end", &cuts)
      return cuts
    }

    private func cut(
      _ disk: ImageDisk, _ podcast: TrialPodcast, _ process: RunningProcess, _ moment: String,
      _ cuts: inout Cuts
    ) async throws {
      // What was reported before the power cut counts; what comes while the image is copied does not.
      let finished = process.events.filter { $0.name == "finished" }.compactMap(\.title)
      let copy = try await disk.cut()
      cuts.count += 1
      var trial = try Trial(podcast, library: "\(copy.path)/library")
      trial.bootID = try trial.folder.write("boot", "after \(cuts.count)\n")
      let audit = trial.audit
      var found = audit.contradictions()
      for title in finished where !audit.complete.contains(title) {
        found.append("\(title) was finished and is not there")
      }
      if found.isEmpty {
        for command in ["resume", "download"] {
          let result = try await trial.run(command)
          if result.status != .exited(0) { found.append("\(command) fails: \(result.output)") }
        }
        found += trial.audit.shortcomings()
      }
      cuts.problems += found.map { "\(moment): \($0)" }
    }
  }
}
