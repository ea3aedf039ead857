import Foundation
import LoopbackServer
import TestSupport
import Testing

/// The index of the library, as the built program uses it.
@Suite(.serialized) struct LibraryDatabaseTests {
  private static let index = "library/.podget/library.sqlite"

  private func deleteIndex(_ folder: TemporaryFolder) throws {
    for name in folder.files where name.hasPrefix(Self.index) {
      try FileManager.default.removeItem(atPath: folder.path(name))
    }
  }

  @Test func `the index deleted in the middle of a download, and after, loses nothing`()
    async throws
  {
    let slow = PodcastServer.Episode(2, "Slow", size: 1 << 20) {
      $0.attempt == 1 ? .cut(.stall, .afterBody(600_000)) : Behaviour()
    }
    let episodes = [PodcastServer.Episode(1, "Quick"), slow]
    let listener = try Listener(PodcastServer(episodes))
    let download = try listener.start("download", listener.podcast, "--json")
    try await waitUntil("it has begun") {
      listener.partSizes.contains { $0 > 0 } && listener.holds(episodes[0])
    }
    for time in ["no index", "the index deleted"] {
      let during = try await listener.run("list", "--json")
      #expect(Set(try during.values("status")) == ["complete", "partial"], "\(time)")
      #expect(listener.folder.contains(Self.index), "\(time)")
      try deleteIndex(listener.folder)
    }
    download.signal(SIGINT)
    #expect(try await download.waitForExit().status == .exited(130))
    #expect(try await listener.run("resume").status == .exited(0))
    for time in ["with the index of before", "without an index"] {
      let list = try await listener.run("list", "--json")
      #expect(try list.values("status") == ["complete", "complete"], "\(time)")
      let again = try await listener.run("download", listener.podcast, "--json")
      #expect(try again.events().outcomes.values.allSatisfy { $0 == "skipped" }, "\(time)")
      try deleteIndex(listener.folder)
    }
    #expect(listener.server.downloads(of: episodes[0]).count == 1)
  }

  @Test(arguments: [true, false])
  func `nothing is fetched again because a record cannot be read`(hasIndex: Bool) async throws {
    let episode = PodcastServer.Episode(1, "Only")
    let listener = try Listener(PodcastServer([episode]))
    #expect(try await listener.run("download", listener.podcast).status == .exited(0))
    // The index is updated.
    #expect(try await listener.run("list", "--json").objects.count == 1)
    let record = try #require(listener.folder.files.first { $0.hasSuffix("/.podget.ndjson") })
    let lines = try listener.folder.read(record)
    try FileManager.default.removeItem(atPath: listener.folder.path(record))
    try listener.folder.write("\(record)/in the way", "")
    if !hasIndex { try deleteIndex(listener.folder) }
    let again = try await listener.run("download", listener.podcast, "--json")
    #expect(again.status == .exited(1))
    #expect(try again.events().first("failed")?.code == "disk")
    #expect(listener.server.downloads(of: episode).count == 1)
    let list = try await listener.run("list", "--json")
    #expect(list.status == .exited(1) && list.error.contains(record))
    #expect(try list.objects.count == (hasIndex ? 1 : 0))
    try FileManager.default.removeItem(atPath: listener.folder.path(record))
    try listener.folder.write(record, lines)
    let mended = try await listener.run("download", listener.podcast, "--json")
    #expect(mended.status == .exited(0))
    #expect(try mended.events().outcomes.values.allSatisfy { $0 == "skipped" })
  }

  /// Byte 18 of a database's header: 2 with a write-ahead log, 1 with a rollback journal.
  private func journal(of folder: TemporaryFolder) throws -> UInt8 {
    try folder.read(Self.index)[18]
  }

  @Test func `without shared memory the index has a rollback journal`() async throws {
    let run = try CommandRun()
    for number in 1...20 { try run.addFinished("Number \(number)", date: nil) }
    #expect(try await run.podget(["list", "--json"]).objects.count == 20)
    #expect(try journal(of: run.folder) == 2)
    // A link in its place keeps the memory from being made, in an index that was made elsewhere and
    // in a new one.
    let memory = run.folder.path(Self.index + "-shm")
    for isNew in [false, true] {
      if isNew { try deleteIndex(run.folder) }
      try? FileManager.default.removeItem(atPath: memory)
      try FileManager.default.createSymbolicLink(
        atPath: memory, withDestinationPath: "/nowhere/at all")
      try run.addFinished("Another \(isNew)", date: nil)
      let environment = run.environment
      let results = try await withThrowingTaskGroup(of: RunningProcess.Result.self) { group in
        for _ in 0..<4 {
          group.addTask {
            try await RunningProcess(.podget, ["list", "--json"], environment: environment)
              .waitForExit()
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      for result in results {
        #expect(result.status == .exited(0) && result.error == "")
        #expect(try result.objects.count == (isNew ? 22 : 21))
      }
      #expect(try journal(of: run.folder) == 1)
    }
    // It keeps its journal on the next disk, and works there too.
    try FileManager.default.removeItem(atPath: memory)
    #expect(try await run.podget(["list", "--json"]).objects.count == 22)
    #expect(try journal(of: run.folder) == 1)
  }

  @Test func `many processes create one index and see the same`() async throws {
    let run = try CommandRun()
    for number in 0..<300 {
      try run.addFinished(
        "Episode \(number)", date: "2020-01-01T00:00:00Z", podcast: "Podcast \(number % 10)",
        isMissing: number % 3 == 0)
    }
    let processes = try (0..<6).map { _ in
      try RunningProcess(.podget, ["list", "--json"], environment: run.environment)
    }
    for process in processes {
      let result = try await process.waitForExit()
      #expect(result.status == .exited(0) && result.error == "")
      #expect(try result.objects.count == 300)
    }
  }

  @Test func `a newer index is reported in one line, a damaged one is not`() async throws {
    let run = try CommandRun()
    try run.addFinished("One", date: "2020-01-01T00:00:00Z")
    #expect(try await run.podget(["list", "--json"]).objects.count == 1)
    try run.folder.write(Self.index, "no index at all")
    let damaged = try await run.podget(["list", "--json"])
    #expect(try damaged.objects.count == 1 && damaged.error == "")
    let script = """
      import sqlite3, sys
      sqlite3.connect(sys.argv[1]).executescript("PRAGMA user_version = 99")
      """
    let newer = try await RunningProcess(
      "/usr/bin/env", ["python3", "-c", script, run.folder.path(Self.index)],
      environment: ProcessInfo.processInfo.environment
    ).waitForExit()
    #expect(newer.status == .exited(0), "\(newer.error)")
    let result = try await run.podget(["list", "--json"])
    #expect(try result.objects.count == 1)
    #expect(result.error.hasPrefix("podget: The index of the library "))
    #expect(result.error.split(separator: "\n").count == 1)
    #expect(try await run.podget(["list", "-q"]).error == "")
    let download = try await run.podget(["download", "1386867488", "--dry-run"])
    #expect(download.error.contains("The index of the library "))
  }
}
