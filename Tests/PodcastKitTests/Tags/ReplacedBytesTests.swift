import Foundation
import PodcastModel
import PodcastTransfer
import TestSupport
import Testing

@testable import PodcastLibrary

/// What gives back a file as it was.
@Suite("Replaced bytes") struct ReplacedBytesTests {
  private let folder: TemporaryFolder
  private let opened: OpenFile

  init() throws {
    folder = try TemporaryFolder()
    opened = try OpenFile.folder(folder.path, creating: false)
  }

  private func file(_ name: String, _ bytes: [UInt8]) throws -> PartFile {
    try folder.write(name, bytes)
    return try #require(try PartFile.opened(name, in: opened))
  }

  /// What is replaced, and the bytes that it makes from the changed file.
  private func rebuilt(_ old: [UInt8], _ new: [UInt8]) throws -> (ReplacedBytes, [UInt8])? {
    let changed = try file("new", new)
    guard
      let replaced = try ReplacedBytes(
        of: try file("old", old), in: changed, isCancelled: { false })
    else { return nil }
    try folder.write("made", [])
    let target = try #require(try PartFile.open("made", in: opened))
    let sum = try replaced.rebuild(
      from: changed, bytes: Int64(old.count), isCancelled: { false }
    ) { (bytes, offset) throws(DiskError) in try target.write(bytes, at: offset) }
    #expect(try sum == target.sha256(isCancelled: { false }))
    return (replaced, try folder.read("made"))
  }

  private func kept(_ replaced: ReplacedBytes) -> Int {
    replaced.steps.reduce(0) { sum, step in
      if case .bytes(let data) = step { sum + data.count } else { sum }
    }
  }

  @Test func `tags at the beginning, at the end and at both`() throws {
    var generator = SeededGenerator(seed: 1)
    let audio = (0..<700_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let tag = [UInt8](repeating: 7, count: 400_000)
    // Tags of other lengths at both ends, which podget-tag never writes, take the room of all.
    for (old, new, most) in [
      (audio, tag + audio, 0), (tag + audio, audio, 400_000), (audio, audio + tag, 0),
      (audio + tag, audio, 400_000), (tag + audio + [1, 2, 3], [9] + audio, 1_100_003),
      (audio, audio, 0), ([], audio, 0), (audio, [], 700_000), ([1], [2], 1),
    ] as [([UInt8], [UInt8], Int)] {
      let (replaced, made) = try #require(try rebuilt(old, new))
      #expect(made == old)
      #expect(kept(replaced) <= most + 64, "\(kept(replaced)) bytes")
    }
  }

  @Test func `bytes that change on every page are kept, and little else`() throws {
    var generator = SeededGenerator(seed: 2)
    let old = (0..<900_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    var new = [UInt8](repeating: 3, count: 5_000) + old
    for page in stride(from: 5_000, to: new.count - 8, by: 4_000) {
      for byte in page..<(page + 8) { new[byte] ^= 0x55 }
    }
    let (replaced, made) = try #require(try rebuilt(old, new))
    #expect(made == old)
    #expect(kept(replaced) < 225 * 8 + 5_000)
  }

  @Test func `what stays in a tag is not kept`() throws {
    var generator = SeededGenerator(seed: 4)
    let frames = (0..<300_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let audio = (0..<300_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    // A picture in a tag whose length is at its beginning, and that gets more frames.
    let old = [1, 2, 3, 4] + frames + audio
    let new = [1, 2, 9, 9] + frames + [UInt8](repeating: 5, count: 1_000) + audio
    let (replaced, made) = try #require(try rebuilt(old, new))
    #expect(made == old)
    #expect(kept(replaced) <= 64, "\(kept(replaced)) bytes")
    let (shorter, again) = try #require(try rebuilt(new, old))
    #expect(again == new)
    #expect(kept(shorter) <= 1_064, "\(kept(shorter)) bytes")
  }

  @Test func `any changes`() throws {
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<60 {
      let old = (0..<Int.random(in: 0..<3_000, using: &generator)).map { _ in
        UInt8.random(in: 0...2, using: &generator)
      }
      var new = old
      for _ in 0..<Int.random(in: 0..<6, using: &generator) where !new.isEmpty {
        let place = Int.random(in: 0..<new.count, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: new[place] ^= 1
        case 1: new.insert(contentsOf: [UInt8](repeating: 9, count: 50), at: place)
        default: new.removeSubrange(place..<min(new.count, place + 40))
        }
      }
      #expect(try #require(try rebuilt(old, new)).1 == old)
    }
  }

  @Test func `too much is nothing`() throws {
    let old = [UInt8](repeating: 1, count: ReplacedBytes.mostBytes + 1)
    #expect(try rebuilt(old, [UInt8](repeating: 2, count: 10)) == nil)
  }

  @Test func `what is stored is read back, and nothing else is read`() throws {
    let (replaced, _) = try #require(
      try rebuilt(Array("abc".utf8) + [UInt8](repeating: 1, count: 99), [1, 2, 3]))
    let sum = String(repeating: "ab", count: 32)
    let (folder, file) = ("Cast", "One.mp3")
    let kept = KeptOriginal(
      key: try #require(EpisodeKey(String(repeating: "0a", count: 16))),
      folder: try #require(RelativePath(folder)), file: try #require(EntryName(file)),
      original: .init(bytes: 102, sha256: sum), tagged: .init(bytes: 3, sha256: sum),
      replaced: replaced)
    let data = try #require(kept.data)
    #expect(KeptOriginal(data) == kept)
    for count in 0..<data.count { #expect(KeptOriginal(data.prefix(count)) == nil) }
    #expect(KeptOriginal(data + [0]) == nil)
    let text = String(decoding: data, as: UTF8.self)
    for (old, new) in [
      ("\"Cast\"", "\"../Cast\""), ("One.mp3", "../One.mp3"), ("0a0a", "0A0A"),
      ("\"bytes\":102", "\"bytes\":-102"), ("abab", "zzzz"), ("\"version\":1", "\"version\":2"),
    ] {
      #expect(text.contains(old))
      #expect(KeptOriginal(Data(text.replacing(old, with: new).utf8)) == nil, "\(new)")
    }
  }
}
