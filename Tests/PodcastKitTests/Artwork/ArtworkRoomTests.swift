import Foundation
import PodcastArtwork
import PodcastModel
import PodcastTransfer
import TestSupport
import Testing

@testable import PodcastKit

/// The artworks of many subscriptions stay on the disk.
@Suite struct ArtworkRoomTests {
  private let harness: ArtworkHarness

  init() throws { harness = try ArtworkHarness() }

  private func address(_ number: Int) -> String { "https://host.example/\(number).jpg" }

  /// Asks for artworks with a new memory, as a new podget does; how many were fetched.
  private func run(
    _ numbers: some Sequence<Int>, bytes: Int, maximumBytes: Int64? = nil
  ) async throws -> Int {
    let body = [UInt8](repeating: 7, count: bytes)
    let transport = ScriptedTransport(
      Dictionary(
        uniqueKeysWithValues: Set(numbers).map {
          (address($0), [ScriptedTransport.Answer(body: body)])
        }))
    let folder = try harness.artworkFolder()
    let cache = ArtworkCache(
      transport: transport, decoder: harness.decoder,
      folder: try maximumBytes.map { try harness.artworkFolder(maximumBytes: $0) } ?? folder)
    for number in numbers { _ = try await cache.artwork(for: address(number)) }
    return transport.requests.count
  }

  private var bytesOnDisk: Int {
    (try? harness.files.map { try harness.folder.read("artwork/\($0)").count }.reduce(0, +)) ?? -1
  }

  @Test func `those of 2,000 podcasts fit, and a second run fetches nothing`() async throws {
    // An eighth of all: of the room, and of what WebP makes of a picture with many details.
    let room = ArtworkFolder.standardBytes / 8
    #expect(try await run(0..<2000, bytes: 31_000 / 8, maximumBytes: room) == 2000)
    #expect(try await run(0..<2000, bytes: 31_000 / 8, maximumBytes: room) == 0)
    #expect(harness.files.count == 2000 && bytesOnDisk <= 8 << 20)
  }

  @Test func `what cannot be written takes no room`() throws {
    let folder = try OpenFile.folder(harness.folder.path, creating: false)
    try harness.folder.write("there", String(repeating: "x", count: 40))
    var room = ArtworkRoom(maximumBytes: 100)
    // The file that has the name stays.
    for (name, size) in [("new", Int64(60)), ("there", 50), ("new", 60), ("there", 50)] {
      let hasRoom = room.take(size, for: name, in: folder)
      #expect(hasRoom, "\(name)")
      room.giveBack(size, for: name, in: folder)
    }
    let (hasRoom, hasMore) = (
      room.take(60, for: "new", in: folder), room.take(1, for: "more", in: folder)
    )
    #expect(hasRoom && !hasMore)
  }

  @Test func `a walk through more than there is room for leaves most of them`() async throws {
    let room = Int64(50 * 1200)
    #expect(try await run(0..<100, bytes: 1000, maximumBytes: room) == 100)
    // The same walk again finds what there was room for, and so does the one after that.
    for _ in 0..<2 {
      #expect((45...55).contains(try await run(0..<100, bytes: 1000, maximumBytes: room)))
    }
    #expect(bytesOnDisk <= room)
    // What is not used any more goes for what is.
    #expect(try await run(200..<240, bytes: 1000, maximumBytes: room) == 40)
    #expect(try await run(200..<240, bytes: 1000, maximumBytes: room) == 0)
    #expect(bytesOnDisk <= room)
  }

  @Test func `a file that is written again is counted once`() async throws {
    let folder = try harness.artworkFolder(maximumBytes: 5000)
    for count in [1000, 4000, 100, 4000] {
      folder.store(
        StoredArtwork(
          file: Array(repeating: 1, count: count), imageBytes: 1, validators: FeedValidators(),
          checked: Date(timeIntervalSince1970: 0)), named: "a")
      #expect(folder.artwork(named: "a")?.file.count == count)
    }
    // One that has no room, or no file, is not kept.
    for count in [2000, 0] {
      folder.store(
        StoredArtwork(
          file: Array(repeating: 1, count: count), imageBytes: 1, validators: FeedValidators(),
          checked: Date(timeIntervalSince1970: 0)), named: "b")
      #expect(folder.artwork(named: "b") == nil)
    }
    #expect(harness.files == ["a"])
  }

  @Test func `a thumbnail and its file are one text, and nothing else is`() throws {
    let thumbnail = try #require(
      Thumbnail(width: 2, height: 1, hasAlpha: true, pixels: [1, 2, 3, 4, 5, 6, 7, 8]))
    let kept = KeptThumbnail(thumbnail, file: [9, 9, 9])
    #expect(KeptThumbnail(bytes: kept.bytes) == kept)
    #expect(KeptThumbnail(bytes: thumbnail.bytes)?.file == [])
    for count in 0..<20 { #expect(KeptThumbnail(bytes: Array(kept.bytes.prefix(count))) == nil) }
    var large = kept.bytes
    large.replaceSubrange(4..<8, with: [255, 255, 255, 255])
    #expect(KeptThumbnail(bytes: large) == nil)
  }
}
