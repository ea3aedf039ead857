import Foundation
import TestSupport
import Testing

extension Reliability {
  /// podget killed before each call that changes a disk while it removes or restores an episode whose
  /// folder is on another disk than the library: the file is there or in the trash of that disk.
  @Suite(.serialized) struct FarKills {
    /// A library whose one podcast is on another disk.
    private struct FarTrial: Sendable {
      let trial: Trial
      let far: FarFolder

      /// A library of its own, or a copy of another one with its podcast.
      init(_ podcast: TrialPodcast, copying other: FarTrial?) throws {
        trial = try other.map { try Trial(copying: $0.trial) } ?? Trial(podcast)
        guard let far = try FarFolder(from: trial.folder) else {
          try Test.cancel("There is no other file system.")
        }
        self.far = far
        let files = FileManager.default
        try? files.removeItem(atPath: link)
        try files.createDirectory(atPath: trial.library, withIntermediateDirectories: true)
        try files.createSymbolicLink(atPath: link, withDestinationPath: show)
        if let other {
          try files.copyItem(atPath: other.show, toPath: show)
        } else {
          try files.createDirectory(atPath: show, withIntermediateDirectories: false)
        }
      }

      private var link: String { "\(trial.library)/The Symbolic World" }
      var show: String { "\(far.path)/show" }

      /// The paths below the podcast's folder of the files with some bytes.
      func files(with bytes: [UInt8]) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: show).filter {
          (try? Data(contentsOf: URL(filePath: "\(show)/\($0)"))).map(Array.init) == bytes
        }
      }
    }

    @Test(arguments: ["remove", "restore"])
    func `a kill before any call loses no file on another disk`(command: String) async throws {
      let podcast = try await TrialPodcast(episodes: 1, size: 100_000)
      let original = try FarTrial(podcast, copying: nil)
      #expect(try await original.trial.run("download").status == .exited(0))
      if command == "restore" {
        _ = try await original.trial.run("remove", more: ["Number 1"])
        #expect(try original.files(with: podcast.expected[0].bytes)[0].hasPrefix(".podget/trash/"))
      }
      let kills = try await Reliability.countKills(through: 300) {
        try await kill(at: $0, command, podcast, original)
      }
      #expect(kills > 3)
      Reliability.report("\(kills) kills of a \(command) on another disk")
    }

    private func kill(
      at point: Int, _ command: String, _ podcast: TrialPodcast, _ original: FarTrial
    ) async throws -> Bool {
      let far = try FarTrial(podcast, copying: original)
      let (trial, episode) = (far.trial, podcast.expected[0])
      let what = "any:\(point):kill \(command)"
      let requests = podcast.server.downloads.count
      let first = try await trial.run(
        command, faults: "any:\(point):kill", more: ["Number 1"])
      #expect([.exited(0), .signalled(SIGKILL)].contains(first.status), "\(what): \(first.error)")
      #expect(try !far.files(with: episode.bytes).isEmpty, "lost by \(what)")

      for command in [command, "restore"] {
        let next = try await trial.run(command, more: ["Number 1"])
        #expect(next.status == .exited(0), "after \(what): \(next.error)")
        let download = try await trial.run("download")
        #expect(
          try download.events().first("skipped")?["reason"]
            == (command == "remove" ? "removed" : "alreadyDownloaded"), "after \(what)")
        let left = try far.files(with: episode.bytes)
        #expect(left.count == 1, "after \(what): \(left)")
        let isTrashed = left.allSatisfy { $0.hasPrefix(".podget/trash/") }
        #expect(isTrashed == (command == "remove"), "after \(what): \(left)")
      }
      #expect(trial.audit.contradictions() == [], "after \(what)")
      #expect(podcast.server.downloads.count == requests, "after \(what)")
      return first.status == .signalled(SIGKILL)
    }
  }
}
