import Foundation
import PodcastModel
import PodcastTransfer
import TestSupport
import Testing

@testable import PodcastKit
@testable import PodcastLibrary

/// Files whose tags TagLib does not understand, or would write in another way.
@Suite("Kept tags") struct TagKeepingTests {
  private static let picture = TestPNG.bytes(width: 8, height: 8, color: [0, 0, 255, 255])
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Tags a file; nil if it is left alone, which must be so before anything is written.
  private func tagged(_ bytes: [UInt8], _ format: TaggedFormat) throws -> [UInt8]? {
    var request = TagRequest(
      Episode(
        guid: "guid-1", title: "podget's title", date: Date(timeIntervalSince1970: 1_700_000_000),
        enclosure: Enclosure(url: "https://example.org/1.mp3"), season: 2, number: 7),
      of: Podcast(title: "The Cast", author: "Ann", feedURL: FeedURL("https://example.org/feed")))
    request.describe("Words about it.")
    request.illustrate(Data(TestPNG.bytes(width: 8, height: 8, color: [255, 0, 0, 255])))
    let file = try OpenFile.open(try folder.write("file", bytes), flags: O_RDWR)
    let program = try TagProgram(besides: BuiltBinary.podget.path)
    do throws(TagRefusal) {
      _ = try program.add(request.bytes(for: format, writes: true), to: file, flag: CancelFlag())
    } catch {
      guard case .leftAlone = error else {
        Issue.record("\(error)")
        return nil
      }
      #expect(try folder.read("file") == bytes)
      return nil
    }
    return try folder.read("file")
  }

  private func bigEndian(_ number: Int, _ count: Int = 4) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }
}

// ID3.
extension TagKeepingTests {
  private func sevenBits(_ number: Int) -> [UInt8] {
    [21, 14, 7, 0].map { UInt8(number >> $0 & 0x7F) }
  }

  private func frame(
    _ name: String, _ content: [UInt8], version: UInt8 = 4, flags: [UInt8] = [0, 0]
  ) -> [UInt8] {
    let size = version == 4 ? sevenBits(content.count) : bigEndian(content.count)
    return Array(name.utf8) + size + flags + content
  }

  private func text(_ name: String, _ text: String, version: UInt8 = 4) -> [UInt8] {
    frame(name, [0] + Array(text.utf8), version: version)
  }

  private func tag(_ frames: [[UInt8]], version: UInt8 = 4, flags: UInt8 = 0) -> [UInt8] {
    let body = frames.flatMap(\.self)
    return Array("ID3".utf8) + [version, 0, flags] + sevenBits(body.count) + body
  }

  /// Frames of a fixture without tags.
  private func audio() throws -> [UInt8] {
    [UInt8](try Fixtures.data("audio/titled.mp3").suffix(2_000).dropLast(128))
  }

  private var apic: [UInt8] {
    frame("APIC", Array("\0image/png\0\u{3}\0".utf8) + Self.picture)
  }

  @Test func `frames that TagLib passes over or writes in another way stay as they are`() throws {
    let audio = try audio()
    let files: [(String, UInt8, [[UInt8]])] = [
      ("empty", 4, [text("TIT2", "Old"), frame("WFED", []), text("TALB", "Album"), apic]),
      ("ended by NUL", 4, [text("TIT2", "Old\0"), apic]),
      ("without a mark", 4, [frame("TIT2", Array("\u{1}T\0i\0t\0".utf8)), text("TALB", "x")]),
      ("no UTF-8", 4, [frame("TIT2", [3, 0x63, 0xE9]), text("TALB", "x")]),
      ("compressed", 4, [frame("TALB", [0, 0, 0, 9, 1, 2, 3], flags: [0, 9]), apic]),
      ("unknown", 4, [frame("ZZZZ", [1, 2]), frame("PRIV", Array("a\0b".utf8)), apic]),
      (
        "3", 3,
        [
          text("TIT2", "Old", version: 3), text("TSIZ", "12", version: 3),
          text("TDRL", "2024", version: 3), text("TYER", "March", version: 3),
          text("TCON", "(186)Podcast", version: 3), text("TORY", "2023", version: 3),
        ]
      ),
    ]
    for (name, version, frames) in files {
      let new = try #require(
        try tagged(tag(frames, version: version) + audio, .mp3), "\(name)")
      #expect(new[3] == version && new.suffix(audio.count) == audio[...], "\(name)")
      for frame in frames { #expect(new.firstRange(of: frame) != nil, "\(name)") }
      // Each name has what it had, and nothing else.
      for frame in frames {
        #expect(new.ranges(of: Array(frame.prefix(4))).count == 1, "\(name)")
      }
      #expect(new.firstRange(of: Array("PCST".utf8)) != nil, "\(name)")
    }
  }

  @Test func `tags that cannot be followed to their end, or are two, are left alone`() throws {
    let audio = try audio()
    let title = text("TIT2", "Old")
    let footer = Array("3DI".utf8) + [4, 0, 0x10, 0, 0, 0, 0]
    let files: [(String, [UInt8])] = [
      ("two", tag([title]) + tag([text("TALB", "Album"), apic]) + audio),
      ("odd name", tag([title, Array("ab\u{1}!".utf8) + [0, 0, 0, 1, 0, 0, 5], apic]) + audio),
      ("cut", tag([title, Array(apic.dropLast(5))]) + audio),
      ("behind padding", tag([title, [UInt8](repeating: 0, count: 20), apic]) + audio),
      ("all bits", tag([title, Array("APIC".utf8) + [0, 0, 0, 200, 0, 0]]) + audio),
      ("unsynchronised", tag([text("TIT2", "Old", version: 3)], version: 3, flags: 0x80) + audio),
      ("extended", tag([title], flags: 0x40) + audio),
      (
        "version 2",
        Array("ID3".utf8) + [2, 0, 0] + sevenBits(10) + Array("TT2\0\0\u{4}\0Old".utf8) + audio
      ),
      ("at the end", audio + footer),
    ]
    for (name, bytes) in files { #expect(try tagged(bytes, .mp3) == nil, "\(name)") }
  }
}

// FLAC.
extension TagKeepingTests {
  private func littleEndian(_ number: Int) -> [UInt8] { bigEndian(number).reversed() }

  private func comments(_ fields: [[UInt8]]) -> [UInt8] {
    littleEndian(3) + Array("ven".utf8) + littleEndian(fields.count)
      + fields.flatMap { littleEndian($0.count) + $0 }
  }

  /// The fixture with other metadata blocks behind the first one.
  private func flac(_ blocks: [(UInt8, [UInt8])]) throws -> (file: [UInt8], audio: [UInt8]) {
    let fixture = [UInt8](try Fixtures.data("audio/short.flac"))
    var place = 4
    while fixture[place] & 0x80 == 0 { place += 4 + size(fixture, place) }
    let audio = Array(fixture[(place + 4 + size(fixture, place))...])
    var file = Array(fixture[..<42])
    for (number, block) in blocks.enumerated() {
      file.append(block.0 | (number == blocks.count - 1 ? 0x80 : 0))
      file += bigEndian(block.1.count, 3) + block.1
    }
    return (file + audio, audio)
  }

  private func size(_ bytes: [UInt8], _ place: Int) -> Int {
    bytes[(place + 1)...(place + 3)].reduce(0) { $0 << 8 | Int($1) }
  }

  @Test func `blocks and comments of FLAC stay as they are`() throws {
    // A picture whose length is wrong is there too.
    let broken = bigEndian(3) + bigEndian(9) + Array("image/png".utf8) + bigEndian(0)
    let fields = ["title=x", "no equals", "=v", "ÉK=K"].map { Array($0.utf8) }
    let latin1: [UInt8] = Array("ALBUM=caf".utf8) + [0xE9]
    let blocks: [(UInt8, [UInt8])] = [
      (2, Array("abcdOwn".utf8)), (100, Array("unknown".utf8)), (4, comments(fields + [latin1])),
      (6, broken),
    ]
    let (file, audio) = try flac(blocks)
    let new = try #require(try tagged(file, .flac))
    #expect(new.suffix(audio.count) == audio[...])
    for field in fields + [latin1] {
      #expect(new.firstRange(of: littleEndian(field.count) + field) != nil)
    }
    for (kind, block) in blocks where kind != 4 {
      #expect(new.firstRange(of: [kind] + bigEndian(block.count, 3) + block) != nil)
    }
    let shown = String(decoding: new.prefix(2_000), as: UTF8.self)
    #expect(!shown.contains("The Cast") && !shown.contains("podget's title"))
    #expect(shown.contains("PODCASTID=guid-1") && !shown.contains("IHDR"))
  }

  @Test func `damaged comments and two of them are left alone`() throws {
    let own = comments([Array("ALBUM=Own".utf8)])
    for blocks in [
      [(4, own), (4, own)], [(4, Array(own.dropLast(3)))], [(4, own + [0])], [(127, own)],
    ] as [[(UInt8, [UInt8])]] {
      #expect(try tagged(flac(blocks).file, .flac) == nil)
    }
  }

  @Test func `comments of Ogg keep their bytes, and what is behind them`() throws {
    for (name, format) in [("short.ogg", TaggedFormat.vorbis), ("short.opus", .opus)] {
      // A name in lower case is one too.
      let old = [UInt8](try Fixtures.data("audio/\(name)"))
      let start = try #require(old.firstRange(of: Array("encoder=".utf8)))
      let new = try #require(try tagged(old, format))
      #expect(new.firstRange(of: old[(start.lowerBound - 4)..<(start.upperBound + 5)]) != nil)
    }
  }
}

// MP4.
extension TagKeepingTests {
  private func box(_ type: [UInt8], _ content: [UInt8]) -> [UInt8] {
    bigEndian(content.count + 8) + type + content
  }

  private func item(_ type: String, _ kind: Int, _ content: [UInt8]) -> [UInt8] {
    let name = type.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    return box(name, box(Array("data".utf8), bigEndian(kind) + bigEndian(0) + content))
  }

  /// The fixture, whose tags are at its end, with other ones.
  private func mp4(_ items: [UInt8]) throws -> [UInt8] {
    let fixture = [UInt8](try Fixtures.data("audio/end.m4a"))
    let moov = try #require(fixture.firstRange(of: Array("moov".utf8))).lowerBound - 4
    let udta = try #require(fixture.firstRange(of: Array("udta".utf8))).lowerBound - 4
    let handler = box(
      Array("hdlr".utf8),
      [UInt8](repeating: 0, count: 8) + Array("mdirappl".utf8)
        + [UInt8](repeating: 0, count: 9))
    let meta = box(
      Array("meta".utf8), bigEndian(0) + handler + box(Array("ilst".utf8), items))
    return Array(fixture[..<moov])
      + box(Array("moov".utf8), fixture[(moov + 8)..<udta] + box(Array("udta".utf8), meta))
  }

  @Test func `items that TagLib would lose or change leave the file alone`() throws {
    let latin1: [UInt8] = [0x63, 0x61, 0x66, 0xE9]
    let kept = item("\u{A9}nam", 1, Array("Own".utf8)) + item("trkn", 0, [0, 0, 0, 3, 0, 9, 0, 0])
    let new = try #require(try tagged(mp4(kept), .mp4))
    #expect(new.firstRange(of: item("\u{A9}nam", 1, Array("Own".utf8))) != nil)
    #expect(new.firstRange(of: Array("podget's title".utf8)) == nil)
    for items in [
      item("\u{A9}nam", 0, Array("Own".utf8)), item("\u{A9}nam", 2, [0, 0x4F, 0, 0x77]),
      item("\u{A9}nam", 1, Array("A".utf8)) + item("\u{A9}nam", 1, Array("B".utf8)),
      item("itnu", 21, [1]), item("xyz1", 21, [0, 0, 0, 5]), kept + bigEndian(9),
      Array(kept.dropLast(2)),
    ] {
      #expect(try tagged(mp4(items), .mp4) == nil)
    }
    // Only when it is written TagLib shows that it changes this.
    let changed = try mp4(item("\u{A9}nam", 1, latin1))
    _ = try folder.write("file", changed)
    let file = try OpenFile.open(folder.path("file"), flags: O_RDWR)
    let request = TagRequest(
      Episode(title: "x", enclosure: Enclosure(url: "https://example.org/1.mp3")),
      of: Podcast(title: "The Cast"))
    #expect(
      throws: TagRefusal.leftAlone("Something in its tags would be lost, so it is left as it is.")
    ) {
      _ = try TagProgram(besides: BuiltBinary.podget.path)
        .add(request.bytes(for: .mp4, writes: true), to: file, flag: CancelFlag())
    }
  }
}
