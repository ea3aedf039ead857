import Foundation
import LoopbackServer
import TestSupport
import Testing

/// A server of a few small episodes that many trials share.
struct TrialPodcast: Sendable {
  let server: PodcastServer
  let expected: [LibraryAudit.ExpectedEpisode]

  /// Starts it with episodes of about 600 KB: two full blocks and a part of one.
  init(episodes count: Int = Reliability.rounds(2, soak: 3), size: Int64 = 600_000) async throws {
    let episodes = (1...count).map {
      PodcastServer.Episode(Int64($0), "Number \($0)", size: size)
    }
    server = try PodcastServer(episodes)
    var expected: [LibraryAudit.ExpectedEpisode] = []
    for episode in episodes {
      expected.append(
        LibraryAudit.ExpectedEpisode(
          title: episode.title,
          path: "The Symbolic World/2024-01-0\(episode.id) - \(episode.title).mp3",
          bytes: episode.bytes, sha256: try await sha256(episode.bytes)))
    }
    self.expected = expected
  }
}

/// A library of its own, and runs of podget on it in which calls to the disk go wrong.
struct Trial: Sendable {
  let podcast: TrialPodcast
  let folder: TemporaryFolder
  let library: String
  /// What is read in place of the number of this run of the machine; nil is the real one.
  var bootID: String?

  init(_ podcast: TrialPodcast, library: String? = nil) throws {
    self.podcast = podcast
    folder = try TemporaryFolder()
    self.library = library ?? folder.path("library")
  }

  /// A trial whose library is a copy of another one's.
  init(copying other: Trial) throws {
    try self.init(other.podcast)
    try FileManager.default.copyItem(atPath: other.library, toPath: library)
  }

  /// Where to kill a run; this one must succeed.
  func killPlan(
    _ command: String, faults: String = "", more: [String] = []
  ) async throws -> KillPlan {
    try await KillPlan(of: folder, in: start(command, faults: faults + KillPlan.stops, more: more))
  }

  /// What is in the library now.
  var audit: LibraryAudit { LibraryAudit(library: library, episodes: podcast.expected) }

  /// Whether the last rule was applied since the trial began.
  var isMarked: Bool { folder.contains("mark") }

  /// Starts podget; `limits` are arguments of prlimit.
  func start(
    _ command: String, faults: String? = nil, limits: [String] = [], more: [String] = []
  ) throws -> RunningProcess {
    var environment = [
      "PODGET_ITUNES_URL": podcast.server.origin, "PODGET_LIBRARY": library,
      "PODGET_RETRY_DELAY": "0", "HOME": folder.path, "LANG": "C.UTF-8",
    ]
    if faults != nil || bootID != nil {
      environment["LD_PRELOAD"] = try FaultLibrary.path()
      environment["PODGET_FAULTS"] = faults
      environment["PODGET_FAULTS_MARK"] = folder.path("mark")
      environment["PODGET_FAULTS_BOOT"] = bootID
    }
    let sources = command == "download" ? [String(PodcastServer.id)] : []
    let arguments = [command] + sources + ["--json"] + more
    return limits.isEmpty
      ? try RunningProcess(.podget, arguments, environment: environment)
      : try RunningProcess(
        "/usr/bin/prlimit", limits + [BuiltBinary.podget.path] + arguments,
        environment: environment)
  }

  /// Runs podget to its end.
  func run(
    _ command: String, faults: String? = nil, limits: [String] = [], more: [String] = []
  ) async throws -> RunningProcess.Result {
    try await start(command, faults: faults, limits: limits, more: more).waitForExit()
  }

  /// Resumes and downloads without faults, and checks that everything and nothing else is there; `faults`
  /// may still make the file system one of the poorer kinds.
  /// Returns the output of the resume.
  @discardableResult
  func complete(
    after what: String, faults: String? = nil
  ) async throws -> RunningProcess.Result {
    let resumption = try await run("resume", faults: faults)
    let download = try await run("download", faults: faults)
    for result in [resumption, download] {
      #expect(result.status == .exited(0), "after \(what):\n\(result.output)\(result.error)")
    }
    #expect(audit.shortcomings() == [], "after \(what)")
    return resumption
  }
}
