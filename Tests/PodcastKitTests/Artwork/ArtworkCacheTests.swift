import Foundation
import LoopbackServer
import PodcastArtwork
import PodcastModel
import PodcastTransfer
import TestSupport
import Testing

@testable import PodcastKit

/// Who requests artworks, what is requested from servers, and what is kept.
@Suite("Artwork cache") struct ArtworkCacheTests {
  private let harness: ArtworkHarness

  init() throws { harness = try ArtworkHarness(["/red": [255, 0, 0], "/blue": [0, 0, 255]]) }

  private var red: String { harness.address("/red") }

  @Test func `all who ask for one image share a request`() async throws {
    harness.isHeld = true
    let colors = try await harness.withCache { cache in
      try await withThrowingTaskGroup(of: [UInt8].self) { group in
        for _ in 0..<20 { group.addTask { try await cache.artwork(for: red).color } }
        try await waitUntil("the image is asked for") { !harness.log.isEmpty }
        harness.isHeld = false
        var colors = try await group.reduce(into: []) { $0.append($1) }
        colors.append(try await cache.artwork(for: red).color)
        return colors
      }
    }
    #expect(colors == Array(repeating: [255, 0, 0], count: 21))
    #expect(harness.log.count == 1 && harness.decoder.bodies.count == 1)
    #expect(harness.log.first?.request.first("Accept")?.contains("image/webp") == true)
  }

  @Test func `an error is shared, and is not kept`() async throws {
    harness["/new"] = ArtworkHarness.Answer(status: 404)
    harness.isHeld = true
    try await harness.withCache { cache in
      let address = harness.address("/new")
      let codes = try await withThrowingTaskGroup(of: PodgetError?.self) { group in
        for _ in 0..<3 {
          group.addTask {
            do {
              _ = try await cache.artwork(for: address)
              return nil
            } catch { return error as? PodgetError }
          }
        }
        try await waitUntil("the image is asked for") { !harness.log.isEmpty }
        harness.isHeld = false
        return try await group.reduce(into: []) { $0.append($1?.httpStatus) }
      }
      #expect(codes == [404, 404, 404])
      #expect(harness.files.isEmpty)
      harness["/new"] = ArtworkHarness.Answer(body: [1, 2, 3])
      #expect(try await cache.artwork(for: address).color == [1, 2, 3])
    }
    let asked = harness.log.count
    #expect((2...4).contains(asked))
  }

  @Test func `a request goes on until nobody wants it`() async throws {
    let address = "https://host.example/a.jpg"
    let transport = ScriptedTransport([
      address: [.endless, ScriptedTransport.Answer(body: [9, 8, 7])]
    ])
    let cache = ArtworkCache(transport: transport, decoder: harness.decoder, folder: nil)
    let first = Task { try await cache.artwork(for: address) }
    try await waitUntil("the image is asked for") { transport.requests.count == 1 }
    let second = Task { try await cache.artwork(for: address) }
    first.cancel()
    // It ends although the request does not.
    await #expect(throws: PodgetError.self) { try await first.value }
    let third = Task { try await cache.artwork(for: address) }
    second.cancel()
    await #expect(throws: PodgetError.self) { try await second.value }
    #expect(transport.requests.count == 1)
    third.cancel()
    await #expect(throws: PodgetError.self) { try await third.value }
    // Nothing waits for it any more, so the next one asks again.
    #expect(try await cache.artwork(for: address).color == [9, 8, 7])
    #expect(transport.requests.count == 2)
  }

  @Test func `what is on the disk is not asked for`() async throws {
    for _ in 0..<2 {
      let artwork = try await harness.withCache { try await $0.artwork(for: red) }
      #expect(artwork.color == [255, 0, 0] && artwork.imageBytes == 3)
    }
    #expect(harness.log.count == 1)
    let name = try #require(harness.files.first)
    #expect(harness.files.count == 1 && name.count == 64 + 2 && name.hasSuffix("-2"))
    let path = harness.folder.path("artwork/\(name)")
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    let contents = try harness.folder.read("artwork/\(name)")
    #expect(!String(decoding: contents, as: UTF8.self).contains("127.0.0.1"))
  }

  @Test func `a damaged file is as none`() async throws {
    _ = try await harness.withCache { try await $0.artwork(for: red) }
    let name = try #require(harness.files.first)
    let good = try harness.folder.read("artwork/\(name)")
    let changed = good.dropLast() + [good[good.count - 1] ^ 1]
    let damaged: [[UInt8]] = [
      Array(changed), good.dropLast(), Array(good[..<20]), [], good + [0],
      Array("{}\n".utf8) + good,
      Array(repeating: 0x0A, count: 8 << 20),
    ]
    for bytes in damaged {
      let before = harness.log.count
      try harness.folder.write("artwork/\(name)", bytes)
      let artwork = try await harness.withCache { try await $0.artwork(for: red) }
      #expect(artwork.color == [255, 0, 0])
      #expect(harness.log.count == before + 1)
      #expect(harness.log.last?.request.first("If-None-Match") == nil)
    }
    // A link is not followed, and is replaced.
    try harness.folder.write("elsewhere", good)
    let path = harness.folder.path("artwork/\(name)")
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createSymbolicLink(
      atPath: path, withDestinationPath: harness.folder.path("elsewhere"))
    let before = harness.log.count
    _ = try await harness.withCache { try await $0.artwork(for: red) }
    #expect(harness.log.count == before + 1)
    #expect(try harness.folder.read("elsewhere") == good)
  }

  @Test func `an old artwork is confirmed, replaced, or used as it is`() async throws {
    func color() async throws -> [UInt8] {
      try await harness.withCache { try await $0.artwork(for: red) }.color
    }
    _ = try await color()
    harness.pass(days: 29)
    _ = try await color()
    #expect(harness.log.count == 1)
    harness.pass(days: 2)
    #expect(try await color() == [255, 0, 0])
    #expect(harness.log.map(\.status) == [200, 304])
    #expect(harness.log.last?.request.first("If-None-Match") == "\"[255, 0, 0]\"")
    // A confirmed image counts as new.
    harness.pass(days: 29)
    _ = try await color()
    #expect(harness.log.count == 2)
    harness["/red"] = ArtworkHarness.Answer(body: [200, 0, 0])
    harness.pass(days: 2)
    #expect(try await color() == [200, 0, 0])
    harness["/red"] = ArtworkHarness.Answer(status: 500)
    harness.pass(days: 31)
    #expect(try await color() == [200, 0, 0])
    #expect(harness.log.last?.status == 500)
    // A clock that was wrong does not keep an artwork indefinitely.
    harness.pass(days: -400)
    let before = harness.log.count
    _ = try await color()
    #expect(harness.log.count == before + 1)
  }

  @Test func `a validator from a file starts no other header field`() async throws {
    _ = try await harness.withCache { try await $0.artwork(for: red) }
    let name = try #require(harness.files.first)
    var bytes = try harness.folder.read("artwork/\(name)")
    let end = try #require(bytes.firstIndex(of: 0x0A))
    var header = try #require(
      JSONSerialization.jsonObject(with: Data(bytes[..<end])) as? [String: Any])
    header["etag"] = "\"a\"\r\nX-Added: yes"
    bytes.replaceSubrange(..<end, with: try JSONSerialization.data(withJSONObject: header))
    try harness.folder.write("artwork/\(name)", bytes)
    harness.pass(days: 31)
    #expect(try await harness.withCache { try await $0.artwork(for: red) }.color == [255, 0, 0])
    #expect(harness.log.count == 2)
    #expect(harness.log.last?.request.first("X-Added") == nil)
    #expect(harness.log.last?.request.first("If-None-Match") == nil)
  }

  @Test func `the disk is bounded, and what was used last stays`() async throws {
    let paths = (0..<8).map { "/\($0)" }
    for path in paths { harness[path] = ArtworkHarness.Answer(body: [1, 2, 3]) }
    _ = try await harness.withCache { try await $0.artwork(for: red) }
    let size = Int64(try harness.folder.read("artwork/\(try #require(harness.files.first))").count)
    try harness.folder.write("artwork/left.123.new", Array(repeating: 0, count: 10))
    let old = Date(timeIntervalSinceNow: -86_400)
    try FileManager.default.setAttributes(
      [.modificationDate: old], ofItemAtPath: harness.folder.path("artwork/left.123.new"))
    for path in paths {
      try await harness.withCache(maximumBytes: size * 3 + size / 2) { cache in
        _ = try await cache.artwork(for: harness.address(path))
        _ = try await cache.artwork(for: red)
      }
    }
    #expect(harness.files.count <= 4 && harness.files.count >= 2)
    #expect(!harness.files.contains("left.123.new"))
    #expect(harness.log.count { $0.path == "/red" } == 1)
  }

  @Test func `a disk that fails is no failure`() async throws {
    try await harness.withCache { cache in
      try FileManager.default.removeItem(atPath: harness.folder.path("artwork"))
      #expect(try await cache.artwork(for: red).color == [255, 0, 0])
    }
  }

  @Test(arguments: [
    "data:image/png;base64,AAAA", "file:///etc/passwd", "ftp://host/a.png", "", "x",
  ])
  func `only web addresses are asked`(address: String) async throws {
    let cache = ArtworkCache(
      transport: ScriptedTransport([:]), decoder: harness.decoder, folder: nil)
    await #expect {
      try await cache.artwork(for: address)
    } throws: {
      ($0 as? PodgetError)?.code == .notFound
    }
  }

  @Test func `an image that is too large is not read to its end`() async throws {
    let address = "https://host.example/a.jpg"
    let body = [UInt8](repeating: 1, count: ImageLimits.bytes + 1)
    let transport = ScriptedTransport([address: [ScriptedTransport.Answer(body: body)]])
    let cache = ArtworkCache(transport: transport, decoder: harness.decoder, folder: nil)
    await #expect(throws: PodgetError.self) { try await cache.artwork(for: address) }
    #expect(harness.decoder.bodies.isEmpty)
  }

  @Test func `memory is bounded, and forgets what was not used`() throws {
    let thumbnail = try #require(
      Thumbnail(width: 10, height: 10, hasAlpha: false, pixels: Array(repeating: 0, count: 300)))
    let artwork = Artwork(thumbnail: thumbnail, imageBytes: 1)
    var memory = ArtworkMemory(maximumBytes: 900)
    for name in ["a", "b", "c"] { memory.insert(artwork, for: name) }
    #expect(memory.artwork(for: "a") != nil)
    memory.insert(artwork, for: "d")
    #expect(memory.bytes == 900)
    #expect(memory.artwork(for: "b") == nil)
    #expect(["a", "c", "d"].allSatisfy { memory.artwork(for: $0) != nil })
    memory.insert(artwork, for: "d")
    #expect(memory.bytes == 900)
    var none = ArtworkMemory(maximumBytes: 0)
    none.insert(artwork, for: "a")
    #expect(none.bytes == 0 && none.artwork(for: "a") == nil)
  }
}
