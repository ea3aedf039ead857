import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import PodcastLibrary

/// The bytes of a file that is in memory.
struct MemoryBytes: AudioBytes {
  var content: [UInt8]

  var length: Int64 { Int64(content.count) }

  func look(_ count: Int, at offset: Int64) -> ArraySlice<UInt8> {
    content.dropFirst(Int(min(offset, length))).prefix(count)
  }

  func next(_ count: Int, at offset: Int64) -> ArraySlice<UInt8> { look(count, at: offset) }
}

/// The bytes of a file in memory that count how often they are looked at.
struct CountingBytes: AudioBytes {
  var content: MemoryBytes
  var looks = 0

  init(_ content: [UInt8]) { self.content = MemoryBytes(content: content) }

  var length: Int64 { content.length }

  mutating func look(_ count: Int, at offset: Int64) -> ArraySlice<UInt8> {
    looks += 1
    return content.look(count, at: offset)
  }

  func next(_ count: Int, at offset: Int64) -> ArraySlice<UInt8> {
    content.look(count, at: offset)
  }
}

/// A file that claims more bytes than any disk has.
struct EndlessBytes: AudioBytes {
  var length: Int64 { .max }
  /// The bytes at its beginning, and those everywhere else.
  var start: [UInt8]
  var rest: [UInt8]

  func look(_ count: Int, at offset: Int64) -> ArraySlice<UInt8> {
    let left = Int(min(Int64(count), .max - offset))
    return (offset == 0 ? start : rest).prefix(left)
  }

  func next(_ count: Int, at offset: Int64) -> ArraySlice<UInt8> { look(count, at: offset) }
}

extension AudioStructure {
  /// The structure of bytes in memory.
  static func of(_ content: [UInt8]) throws -> AudioStructure {
    var bytes = MemoryBytes(content: content)
    return try walk(&bytes)
  }

  /// The ending in a word.
  var word: String {
    switch ending {
    case .whole: "whole"
    case .unmarked: "unmarked"
    case .open: "open"
    case .cut: "cut"
    case .unknown: "unknown"
    }
  }
}

@Suite("Audio structures") struct AudioStructureTests {
  private static let frame = MPEGStreamTests.frame
  private static let junk = (0..<3000).map { UInt8($0 % 97 + 1) }
  private static let id3v1 = MPEGStreamTests.id3v1

  /// Frames of 26.12 ms; a first one may announce how many follow.
  static func mp3(_ count: Int, announcing announced: Int? = nil) -> [UInt8] {
    var first: [UInt8] = []
    if let announced {
      first = frame
      first.replaceSubrange(36..<44, with: Array("Xing".utf8) + [0, 0, 0, 1])
      first.replaceSubrange(44..<48, with: bigEndian(announced))
    }
    return first + (0..<count).flatMap { _ in frame }
  }

  private static func bigEndian(_ number: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  private static func littleEndian(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  @Test("junk, tags and other rates between frames are accepted") func lenience() throws {
    let fast: [UInt8] = [0xFF, 0xFB, 0xA0, 0x00] + [UInt8](repeating: 3, count: 518)
    let other: [UInt8] = [0xFF, 0xFB, 0x94, 0x00] + [UInt8](repeating: 4, count: 380)
    let contents = [
      Self.mp3(200), Self.mp3(201, announcing: 200), Self.mp3(100) + Self.junk + Self.mp3(100),
      Self.mp3(100) + MPEGStreamTests.id3(500) + Self.mp3(100),
      Self.mp3(100) + fast + fast + Self.mp3(98),
      Self.mp3(200) + MPEGStreamTests.ape + Self.id3v1, Self.mp3(200, announcing: 200),
      // A host that puts advertisements in keeps the count of the episode alone.
      Self.mp3(200, announcing: 150),
    ]
    for (number, content) in contents.enumerated() {
      let structure = try AudioStructure.of(content)
      #expect(structure.word == ([1, 5, 6].contains(number) ? "whole" : "unmarked"), "\(number)")
      #expect(try #require(structure.duration) / .milliseconds(5224) > 0.98, "\(number)")
    }
    let joined = try AudioStructure.of(Self.mp3(100) + other + other + other + Self.mp3(97))
    #expect(joined.ending == .unmarked)
  }

  @Test("a truncated last frame is an open end; fewer frames than announced mean a truncated file")
  func mpegEnds() throws {
    #expect(try AudioStructure.of(Array(Self.mp3(200).dropLast(9))).word == "open")
    let announced = Self.mp3(200, announcing: 200)
    #expect(try AudioStructure.of(Array(announced.prefix(50_000))).word == "cut")
    #expect(try AudioStructure.of(Array(announced.prefix(417 * 101))).word == "open")
    // An editor that shortened it wrote its tag after the audio.
    #expect(try AudioStructure.of(Array(announced.prefix(50_000)) + Self.id3v1).word == "whole")
    #expect(try AudioStructure.of(Array(MPEGStreamTests.id3(9000).prefix(5000))).word == "cut")
  }

  private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
    bigEndian(content.count + 8) + Array(type.utf8) + content
  }

  /// An MP4 of 90 seconds whose index is at its beginning or its end.
  static func mp4(indexFirst: Bool, chunk: Int = 100) -> [UInt8] {
    let start = box("ftyp", Array("M4A ".utf8) + bigEndian(0))
    let header = box(
      "mvhd",
      bigEndian(0) + bigEndian(0) + bigEndian(0) + bigEndian(1000) + bigEndian(90_000)
        + [UInt8](repeating: 0, count: 80))
    let chunks = box("stco", bigEndian(0) + bigEndian(1) + bigEndian(chunk))
    let table = box("trak", box("mdia", box("minf", box("stbl", chunks))))
    let index = box("moov", header + table)
    let media = box("mdat", junk)
    return indexFirst ? start + index + media : start + media + index
  }

  @Test("boxes with consistent sizes are complete, others are cut") func boxes() throws {
    for content in [Self.mp4(indexFirst: true), Self.mp4(indexFirst: false)] {
      let structure = try AudioStructure.of(content)
      #expect(structure == AudioStructure(ending: .whole, duration: .seconds(90)))
      for length in [content.count - 1, content.count / 2, 60] {
        #expect(try AudioStructure.of(Array(content.prefix(length))).word == "cut", "\(length)")
      }
      #expect(try AudioStructure.of(content + [0, 0, 0]).word == "whole")
    }
    // Truncated exactly after the media, where the index would begin.
    let media = Self.mp4(indexFirst: false).prefix(16 + 8 + Self.junk.count)
    #expect(try AudioStructure.of(Array(media)).word == "cut")
    #expect(try AudioStructure.of(Self.mp4(indexFirst: true, chunk: 9999)).word == "cut")
  }

  @Test("boxes that end with the file, and fragments, may be continued") func openBoxes() throws {
    var open = Self.mp4(indexFirst: true)
    let media = open.count - Self.junk.count - 8
    open.replaceSubrange(media..<(media + 4), with: [0, 0, 0, 0])
    #expect(try AudioStructure.of(open).word == "unmarked")
    let start = Self.box("ftyp", Array("M4A ".utf8) + Self.bigEndian(0)) + Self.box("moov", [])
    let fragment = Self.box("moof", []) + Self.box("mdat", Self.junk)
    #expect(try AudioStructure.of(start + fragment + fragment).word == "unmarked")
    #expect(try AudioStructure.of(start + fragment + Self.box("mfra", [])).word == "whole")
    #expect(try AudioStructure.of(start).word == "unmarked")
  }

  private static func page(
    _ flags: UInt8, granule: Int, sequence: Int, _ content: [UInt8]
  ) -> [UInt8] {
    let full = [UInt8](repeating: 255, count: content.count / 255)
    let segments = full + [UInt8(content.count % 255)]
    let numbers = littleEndian(granule, 8) + littleEndian(7, 4) + littleEndian(sequence, 4)
    let header = Array("OggS".utf8) + [0, flags] + numbers + [0, 0, 0, 0]
    var page = header + [UInt8(segments.count)] + segments + content
    page.replaceSubrange(22..<26, with: littleEndian(Int(OggChecksum.of(page[...])), 4))
    return page
  }

  /// An Opus file of ten seconds, page by page.
  static var oggPages: [[UInt8]] {
    let skipped = littleEndian(312, 2) + littleEndian(48_000, 4)
    let head = Array("OpusHead".utf8) + [1, 2] + skipped + [0, 0, 0]
    return [
      page(2, granule: 0, sequence: 0, head), page(0, granule: 48_000, sequence: 1, junk),
      page(4, granule: 480_312, sequence: 2, junk),
    ]
  }

  @Test("pages are complete up to the one marked as the last") func pages() throws {
    let pages = Self.oggPages
    let content = pages.flatMap { $0 }
    #expect(
      try AudioStructure.of(content) == AudioStructure(ending: .whole, duration: .seconds(10)))
    #expect(try AudioStructure.of(Array(content.dropLast())).word == "cut")
    #expect(try AudioStructure.of(pages[0] + pages[1]).word == "open")
    #expect(try AudioStructure.of(pages[0] + pages[1] + Self.junk + pages[2]).word == "whole")
    let twice = try AudioStructure.of(content + content)
    #expect(twice == AudioStructure(ending: .whole, duration: .seconds(20)))
  }

  @Test("a page's checksum is the one of the specification") func checksum() {
    /// The division of polynomials as it is defined, bit by bit.
    func remainder(_ bytes: some Sequence<UInt8>) -> UInt32 {
      bytes.reduce(UInt32(0)) { rest, byte in
        (0..<8).reversed().reduce(rest) { rest, bit in
          let isSet = rest >> 31 ^ UInt32(byte >> bit & 1) == 1
          return isSet ? rest << 1 ^ 0x04C1_1DB7 : rest << 1
        }
      }
    }
    var page = Self.junk
    let told = OggChecksum.of(page[...])
    page.replaceSubrange(22..<26, with: [0, 0, 0, 0])
    #expect(told == remainder(page) && told != remainder(Self.junk))
  }

  @Test("damaged and missing pages are reported") func damagedPages() throws {
    let skipped = Self.littleEndian(312, 2) + Self.littleEndian(48_000, 4)
    let head = Array("OpusHead".utf8) + [1, 2] + skipped + [0, 0, 0]
    var pages = [Self.page(2, granule: 0, sequence: 0, head)]
    for number in 1...8 {
      pages.append(Self.page(0, granule: number * 48_000, sequence: number, Self.junk))
    }
    pages.append(Self.page(4, granule: 480_312, sequence: 9, Self.junk))
    let whole = try AudioStructure.of(pages.flatMap { $0 })
    #expect(whole == AudioStructure(ending: .whole, duration: .seconds(10)))

    for (page, offset, bit) in [(4, 100, 1), (5, 20, 3), (9, 2000, 7), (3, 24, 0)] {
      var flipped = pages
      flipped[page][offset] ^= 1 << bit
      let structure = try AudioStructure.of(flipped.flatMap { $0 })
      #expect(structure.damage == "The checksum of 1 of its 10 pages is wrong.")
    }
    var gap = pages
    gap.remove(at: 4)
    #expect(
      try AudioStructure.of(gap.flatMap { $0 }).damage == "Pages are missing in one place.")
    gap.removeSubrange(6...7)
    #expect(
      try AudioStructure.of(gap.flatMap { $0 }).damage == "Pages are missing in 2 places.")
    // A second stream numbers its pages from the start.
    #expect(try AudioStructure.of((pages + pages).flatMap { $0 }).damage == nil)
  }

  /// A wave file of three seconds.
  static var wave: [UInt8] {
    func chunk(_ name: String, _ size: Int) -> [UInt8] {
      Array(name.utf8) + littleEndian(size, 4)
    }
    let rates = littleEndian(1000, 4) + littleEndian(1000, 4)
    let format = chunk("fmt ", 16) + [1, 0, 1, 0] + rates + [1, 0, 8, 0]
    return chunk("RIFF", 3036) + Array("WAVE".utf8) + format + chunk("data", 3000) + junk
  }

  /// A FLAC file of 20 seconds, as far as its first block says so.
  static var flac: [UInt8] {
    let samples: [UInt8] = [0x0A, 0xC4, 0x42, 0xF0, 0x00, 0x0D, 0x75, 0x7C]
    let zeros = [UInt8](repeating: 0, count: 10)
    return Array("fLaC".utf8) + [0x80, 0, 0, 34] + zeros + samples + junk
  }

  @Test("wave, AAC and FLAC") func others() throws {
    let wave = Self.wave
    let structure = try AudioStructure.of(wave)
    #expect(structure == AudioStructure(ending: .whole, duration: .seconds(3)))
    #expect(try AudioStructure.of(Array(wave.dropLast(500))).word == "cut")
    // Programs that cannot go back to the header write such a length.
    var unfinished = wave
    unfinished.replaceSubrange(40..<44, with: [0xFF, 0xFF, 0xFF, 0x7F])
    #expect(try AudioStructure.of(unfinished).word == "unknown")

    let header: [UInt8] = [0xFF, 0xF1, 0x50, 0x80, 0x19, 0x1F, 0xFC]
    let frame = header + [UInt8](repeating: 1, count: 193)
    let aac = (0..<100).flatMap { _ in frame }
    #expect(try AudioStructure.of(aac).word == "unmarked")
    #expect(try AudioStructure.of(aac).duration == .milliseconds(2321))
    #expect(try AudioStructure.of(Array(aac.dropLast())).word == "open")

    #expect(try AudioStructure.of(Self.flac) == AudioStructure(duration: .seconds(20)))
    #expect(try AudioStructure.of(Self.junk) == AudioStructure())
    #expect(try AudioStructure.of([]) == AudioStructure())
  }

  @Test("very many small parts are read within limits") func manyParts() throws {
    let box: [UInt8] = [0, 0, 0, 8] + Array("free".utf8)
    let chunk: [UInt8] = Array("junk".utf8) + [0, 0, 0, 0]
    let starts: [([UInt8], [UInt8])] = [
      ([0, 0, 0, 16] + Array("ftypM4A ".utf8) + [0, 0, 0, 0], box),
      (Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WAVE".utf8), chunk),
      ([], Array("ID3".utf8) + [3, 0, 0, 0, 0, 0, 0]),
    ]
    for (start, part) in starts {
      var bytes = CountingBytes(start + Array(repeatElement(part, count: 5_000).joined()))
      let structure = try AudioStructure.walk(&bytes, limit: 1_000)
      #expect(structure == AudioStructure())
      #expect(bytes.looks == 1_000)
    }
  }

  @Test("a sparse file of any claimed length is read without an overflow") func claimedLength()
    throws
  {
    // One box up to just before the largest number, and one after it.
    let size: [UInt8] = [0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x00]
    let box: [UInt8] = [0, 0, 2, 0] + Array("free".utf8) + [UInt8](repeating: 0, count: 8)
    var bytes = EndlessBytes(start: [0, 0, 0, 1] + Array("mdat".utf8) + size, rest: box)
    #expect(try AudioStructure.walk(&bytes) == AudioStructure())
    #expect(try EpisodeTags.read(&bytes) == EpisodeTags())
  }

  @Test("no bytes make it fail") func random() throws {
    var generator = SeededGenerator(seed: 11)
    let bases = [
      Self.mp3(40, announcing: 40), Self.mp4(indexFirst: true), Self.mp4(indexFirst: false),
      Self.page(2, granule: 9, sequence: 0, Self.junk), Self.junk,
    ]
    for _ in 0..<2000 {
      var content = bases.randomElement(using: &generator) ?? []
      for _ in 0..<Int.random(in: 1...8, using: &generator) {
        let place = Int.random(in: 0..<min(400, content.count), using: &generator)
        content[place] = UInt8.random(in: 0...255, using: &generator)
      }
      content.removeLast(Int.random(in: 0..<content.count, using: &generator))
      _ = try AudioStructure.of(content)
    }
  }

  @Test(

    "the corpus is complete or cut as its files are",

    .enabled(if: CorpusNaming.root != nil, "the corpus is not here"))
  func corpus() throws {
    // Cut by the authors of the collections, to keep them small.
    let cut: Set<String> = [
      "truncated-64bit", "vbri", "compressed_id3_frame", "ilst-is-last", "lame_cbr", "lame_vbr",
      "mpeg2", "w000",
    ]
    let open: Set<String> = ["id3v22-test", "xing", "toc_many_children"]
    let unknown: Set<String> = ["fake", "too-short", "extended-header", "id3v2-invalid-version"]
    for file in try CorpusNaming.files(in: "audio") {
      let structure = try AudioStructure.of([UInt8](try Data(contentsOf: file)))
      let stem = file.deletingPathExtension().lastPathComponent
      let name = String(stem.split(separator: "__").last ?? "")
      let expected =
        cut.contains(name)
        ? "cut" : open.contains(name) ? "open" : unknown.contains(name) ? "unknown" : "whole"
      // Short samples of frames seldom have a mark at their end.
      let word = structure.ending == .unmarked ? "whole" : structure.word
      #expect(word == expected, "\(file.lastPathComponent)")
      #expect(structure.damage == nil, "\(file.lastPathComponent)")
    }
  }
}
