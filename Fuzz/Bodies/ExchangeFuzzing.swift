import FoundationEssentials
import Glibc
import Synchronization

@testable import PodcastKit
@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

/// Complete downloads from a fuzzed server: the file with the final name is one version that it has, or
/// there is none; each run ends with one terminal event.
enum ExchangeFuzzing {
  static func run(_ input: inout FuzzInput) async throws {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    guard let library = try Library.open(folder.path, creating: true) else {
      throw FuzzFailure(description: "There is no library.")
    }
    let flags = input.byte()
    let isHonest = flags & 1 != 0
    var options = DownloadOptions()
    options.retries = RetryPolicy(retries: Int(flags >> 1 & 3), baseDelay: .seconds(1))
    options.resumesByOverlap = flags & 8 != 0
    options.computesChecksums = flags & 16 != 0
    options.allowsInsecureRedirects = flags & 32 != 0
    let versions = ServedVersion.detectable + (isHonest ? [ServedVersion.alike] : [])
    let plan = try plan(hasLength: flags & 64 != 0, versions)

    let interruption = Interruption()
    defer { interruption.end() }
    let transport = FuzzTransport(input, versions: versions, isHonest: isHonest) {
      await interruption.strike()
    }
    // A run that ends early leaves bytes that the next one continues.
    for run in 0..<4 {
      let downloader = try Downloader(
        library: library, transport: transport, options: options, clock: ImmediateClock(),
        now: { Date(timeIntervalSince1970: 1_700_000_000) })
      interruption.prepare(downloader, cancels: run % 2 == 0)
      async let all: Void = downloader.run([plan])
      var events: [DownloadEvent.Kind] = []
      for await event in downloader.events { events.append(event.kind) }
      await all
      try check(events)
      try FuzzFailure.require(transport.requests <= 4 * 20 * 13, "\(transport.requests) requests")
      if case .finished(let file) = events.last {
        try check(file, in: folder, versions, transport)
        return
      }
      let names = try folder.finishedNames()
      try FuzzFailure.require(names.isEmpty, "Unfinished, and there is \(names).")
      if transport.isAtEnd { return }
    }
  }

  private static func plan(
    hasLength: Bool, _ versions: [ServedVersion]
  ) throws -> DownloadPlan {
    let podcast = Podcast(id: 1, title: "Show")
    let length = hasLength ? Int64(versions[0].bytes.count) : nil
    let episode = Episode(
      guid: "1", title: "Episode",
      enclosure: Enclosure(url: "https://a.example/1.mp3", length: length))
    guard let key = EpisodeKey(EpisodeIdentity.key(podcast: podcast, episode: episode)),
      let file = PlannedFile(folder: "Show", stem: "Episode", fileExtension: "mp3")
    else { throw FuzzFailure(description: "There is no plan.") }
    return DownloadPlan(key: key, podcast: podcast, episode: episode, file: file)
  }

  private static func check(_ events: [DownloadEvent.Kind]) throws {
    try FuzzFailure.require(events.count(where: \.isTerminal) == 1, "Events: \(events)")
    try FuzzFailure.require(events.last?.isTerminal == true, "Events: \(events)")
  }

  private static func check(
    _ file: FinishedFile, in folder: ScratchFolder, _ versions: [ServedVersion],
    _ transport: FuzzTransport
  ) throws {
    let bytes = try folder.read(file.path)
    guard let version = versions.firstIndex(where: { $0.bytes == bytes }) else {
      let starts = versions.map { zip($0.bytes, bytes).prefix { $0 == $1 }.count }
      throw FuzzFailure(
        description: "\(bytes.count) bytes are no version; they agree up to \(starts).")
    }
    try FuzzFailure.require(transport.served(version), "Nothing of the version was sent.")
    try FuzzFailure.require(Int64(bytes.count) == file.bytes, "\(file.bytes) bytes are reported.")
    let names = try folder.finishedNames()
    try FuzzFailure.require(names == [file.path], "There is \(names).")
  }
}

/// Cancels a downloader, or pauses it for a moment.
private final class Interruption: Sendable {
  private let target = Mutex<(downloader: Downloader, cancels: Bool)?>(nil)

  func prepare(_ downloader: Downloader, cancels: Bool) {
    target.withLock { $0 = (downloader, cancels) }
  }

  /// Releases the downloader, whose transport has a reference to this.
  func end() { target.withLock { $0 = nil } }

  func strike() async {
    guard let (downloader, cancels) = target.withLock({ $0 }) else { return }
    if cancels {
      await downloader.cancel()
    } else {
      await downloader.pause()
      await downloader.resume()
    }
  }
}

/// A clock on which every wait is over at once.
private struct ImmediateClock: Clock {
  struct Instant: InstantProtocol {
    var offset = Duration.zero
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (first: Instant, second: Instant) -> Bool { first.offset < second.offset }
  }

  private let elapsed = ElapsedTime()

  var now: Instant { Instant(offset: elapsed.time.withLock { $0 }) }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try Task.checkCancellation()
    elapsed.time.withLock { $0 = max($0, deadline.offset) }
  }
}

private final class ElapsedTime: Sendable {
  let time = Mutex(Duration.zero)
}

/// A folder in memory, where there is such a place.
private struct ScratchFolder {
  let path: String

  init() throws {
    let parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    var template = Array("\(parent)/podget-fuzz-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw FuzzFailure(description: "There is no folder.") }
    path = String(
      decoding: template.dropLast().map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
  }

  func read(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: "\(path)/\(name)")))
  }

  /// The files outside podget's own.
  func finishedNames() throws -> [String] {
    let folder = "\(path)/Show"
    guard FileManager.default.fileExists(atPath: folder) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { !$0.hasPrefix(".") }.map { "Show/\($0)" }
  }

  func remove() { try? FileManager.default.removeItem(atPath: path) }
}
