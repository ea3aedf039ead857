import Foundation
import LoopbackServer
import Synchronization
import TestSupport
import Testing

@testable import PodcastKit
@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

/// `adopt --move` must remove the file that it adopted, and nothing that has replaced it.
@Suite("Files that are moved into a library") struct AdopterMoveTests {
  /// Where the found file is.
  enum Place: CaseIterable, Sendable {
    /// On the library's file system, so that it gets a second name.
    case near
    /// On another one, so that it is copied.
    case far
  }

  /// What happens to it when the library has it and its old name is about to be removed.
  enum Change: CaseIterable, Sendable {
    case nothing, replaced, rewritten, gone
  }

  private let bytes = MP3Maker.bytes(seed: 1, length: 100_000)
  private let other = MP3Maker.bytes(seed: 2, length: 100_000)
  private let folder: TemporaryFolder
  private let library: Library

  init() throws {
    folder = try TemporaryFolder()
    library = try #require(try Library.open(folder.path("library"), creating: true))
  }

  private var plan: DownloadPlan {
    let podcast = Podcast(id: 1, title: "Show")
    let episode = Episode(
      guid: "g", title: "Episode", date: Date(timeIntervalSince1970: 1_700_000_000),
      enclosure: Enclosure(url: "https://a.example/a.mp3"))
    return DownloadPlan(
      key: EpisodeIdentity.key(podcast: podcast, episode: episode), podcast: podcast,
      episode: episode, folder: "Show", stem: "Episode", announcedExtension: "mp3")
  }

  private func change(_ path: String, _ change: Change) throws {
    switch change {
    case .nothing: break
    case .replaced:
      // A new file of the same length under the old name, as after rsync.
      try Data(other).write(to: URL(filePath: path), options: .atomic)
    case .rewritten:
      let file = try FileHandle(forUpdating: URL(filePath: path))
      try file.seekToEnd()
      try file.write(contentsOf: Data("more".utf8))
      try file.close()
    case .gone: try FileManager.default.removeItem(atPath: path)
    }
  }

  @Test(
    "the old name is removed only while it is that of the adopted file",
    arguments: Place.allCases, Change.allCases)
  func moving(place: Place, change: Change) async throws {
    let far = try FarFolder(from: folder)
    guard place == .near || far != nil else { return }
    let path = place == .near ? folder.path("found.mp3") : "\(far?.path ?? "")/found.mp3"
    try Data(bytes).write(to: URL(filePath: path))
    let isDone = OnceFlag()
    // The clock is read when the file has its new name and is about to be recorded.
    let adopter = try Adopter(library: library, progress: VerificationProgress()) {
      if isDone.take() { try? self.change(path, change) }
      return Date()
    }
    let file = FoundFile(path: path, bytes: Int64(bytes.count), fileExtension: "mp3")
    let outcome = try await adopter.adopt(file, as: plan, moving: true)
    guard case .adopted(let finished, let leftover) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(isDone.isTaken)
    #expect(finished.bytes == Int64(bytes.count))
    let now = FileManager.default.contents(atPath: path).map(Array.init)
    switch change {
    case .nothing, .gone:
      #expect(now == nil && leftover == nil)
    case .replaced:
      #expect(now == other && leftover?.code == .disk)
    case .rewritten:
      #expect(now == bytes + Array("more".utf8) && leftover?.code == .disk)
    }
    // A file that is rewritten under both of its names changes under both.
    if place == .far || change != .rewritten {
      #expect(try folder.read("library/\(finished.path)") == bytes)
    }
  }

  @Test("a file that grew since it was found is not adopted", arguments: [true, false])
  func grown(moving: Bool) async throws {
    let path = folder.path("found.mp3")
    try Data(bytes).write(to: URL(filePath: path))
    let adopter = try Adopter(library: library, progress: VerificationProgress())
    let file = FoundFile(path: path, bytes: 90_000, fileExtension: "mp3")
    let error = await #expect(throws: PodgetError.self) {
      try await adopter.adopt(file, as: plan, moving: moving)
    }
    #expect(error?.code == .disk)
    #expect(try folder.read("found.mp3") == bytes)
    #expect(folder.files.filter { $0.hasSuffix(".part") || $0.hasSuffix(".json") }.isEmpty)
  }

  @Test("during an adoption nothing else is to be resumed, and a download keeps its bytes")
  func unfinished() async throws {
    let path = folder.path("found.mp3")
    try Data(bytes).write(to: URL(filePath: path))
    var record = PartialRecord(plan)
    record.state = ResumeState(
      generation: 1, validator: Validator(etag: "\"a\""), total: 9, durableLength: 4, inode: 1)
    try PartialFolder(library: library.root).write(record, .none)
    let partial = "library/.podget/partial/\(plan.key)"
    try folder.write("\(partial).part", "held")
    // The clock is read when the file has its new name and is about to be recorded: a kill here
    // would leave this state.
    let seen = Mutex<[PartialRecord?]>([])
    let adopter = try Adopter(library: library, progress: VerificationProgress()) {
      [library, plan] in
      seen.withLock {
        $0.append(try? PartialFolder(library: library.root).read(plan.key))
        $0.append(contentsOf: library.unfinished().map { _ in nil })
      }
      return Date()
    }
    let file = FoundFile(path: path, bytes: Int64(bytes.count), fileExtension: "mp3")
    guard case .adopted = try await adopter.adopt(file, as: plan, moving: false) else {
      Issue.record("not adopted")
      return
    }
    #expect(seen.withLock { $0 } == [record, nil])
    // Complete, it needs neither.
    #expect(library.unfinished().isEmpty)
    #expect(!folder.contains("\(partial).part") && !folder.contains("\(partial).json"))
  }

  @Test(
    "what a killed adoption left is finished by the next command, under the same name",
    arguments: [true, false], [true, false])
  func killed(hasName: Bool, thenAdopting: Bool) async throws {
    let path = folder.path("found.mp3")
    try Data(bytes).write(to: URL(filePath: path))
    let file = FoundFile(path: path, bytes: Int64(bytes.count), fileExtension: "mp3")
    let partials = folder.path("library/.podget/partial")
    let left = folder.path("left")
    let adopter = try Adopter(library: library, progress: VerificationProgress()) {
      try? FileManager.default.copyItem(atPath: partials, toPath: left)
      return Date()
    }
    _ = try await adopter.adopt(file, as: plan, moving: false)
    // As it was before the record was written, or before the file had its name.
    try FileManager.default.removeItem(atPath: partials)
    try FileManager.default.moveItem(atPath: left, toPath: partials)
    try FileManager.default.removeItem(atPath: folder.path("library/Show/.podget.ndjson"))
    if !hasName {
      try FileManager.default.removeItem(atPath: folder.path("library/Show/Episode.mp3"))
    }

    #expect(library.unfinished().isEmpty && library.episodes().isEmpty)
    let listing = PodcastListing(podcast: plan.podcast, episodes: [plan.episode])
    let planned = try LibraryNames(library, library.reading()).plans(
      for: listing.episodes, of: EpisodeLookup([]).identify(listing),
      template: FilenameTemplate(parsing: "Another/{title}.{ext}"))
    #expect(planned.map(\.path) == ["Show/Episode.mp3"])
    if thenAdopting {
      let again = try Adopter(library: library, progress: VerificationProgress())
      _ = try await again.adopt(file, as: plan, moving: false)
    } else {
      try await Downloader(library: library, transport: ScriptedTransport([:])).run([])
    }
    let isThere = hasName || thenAdopting
    #expect(library.episodes().map(\.path) == (isThere ? ["Show/Episode.mp3"] : []))
    #expect(library.episodes().allSatisfy { $0.status == .complete })
    #expect(folder.files.filter { $0.hasPrefix("library/.podget/partial/") }.isEmpty)
    #expect(try folder.read("found.mp3") == bytes)
  }
}
