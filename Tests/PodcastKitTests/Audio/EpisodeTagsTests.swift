import Foundation
import TestSupport
import Testing

@testable import PodcastLibrary

@Suite("Episode tags") struct EpisodeTagsTests {
  private static func read(_ content: [UInt8]) throws -> EpisodeTags {
    var bytes = MemoryBytes(content: content)
    return try EpisodeTags.read(&bytes)
  }

  private static func size(_ number: Int, bits: Int, count: Int = 4) -> [UInt8] {
    (0..<count).reversed().map { UInt8(number >> ($0 * bits) & (1 << bits - 1)) }
  }

  private static func id3(_ version: UInt8, _ frames: [(String, [UInt8])]) -> [UInt8] {
    let body = frames.flatMap { name, content in
      let size =
        version == 2
        ? size(content.count, bits: 8, count: 3) : size(content.count, bits: version == 4 ? 7 : 8)
      return Array(name.utf8) + size + (version == 2 ? [] : [0, 0]) + content
    }
    return Array("ID3".utf8) + [version, 0, 0] + size(body.count, bits: 7) + body
  }

  @Test("ID3 in its versions and encodings") func id3() throws {
    let picture = [UInt8](repeating: 7, count: 300)
    let utf16: [UInt8] = [1, 0xFF, 0xFE, 0x51, 0, 0x26, 0, 0x41, 0, 0, 0]
    let fourth = try Self.read(
      Self.id3(
        4,
        [
          ("APIC", picture), ("TIT2", [3] + Array("Psälms".utf8) + [0]), ("TALB", utf16),
          ("TDRC", [0] + Array("2023-02-16T16:00".utf8)), ("TGID", [0] + Array("g-1".utf8)),
        ]) + MPEGStreamTests.audio)
    #expect(fourth.title == "Psälms" && fourth.album == "Q&A")
    #expect(fourth.date == "2023-02-16T16:00" && fourth.guid == "g-1")
    let third = try Self.read(
      Self.id3(
        3,
        [
          ("APIC", picture), ("TIT2", [0, 0x50, 0xE4]), ("TYER", [0] + Array("2023".utf8)),
          ("TDAT", [0] + Array("1602".utf8)),
        ]))
    #expect(third.title == "Pä" && third.date == "2023-02-16")
    let second = try Self.read(Self.id3(2, [("PIC", picture), ("TT2", [0, 0x41])]))
    #expect(second.title == "A")
    #expect(try Self.read(MPEGStreamTests.audio) == EpisodeTags())
  }

  @Test("a tag of very many texts is read within limits") func manyTexts() throws {
    let frame: [UInt8] = Array("TXXX".utf8) + [0, 0, 0, 1, 0, 0, 0]
    var bytes = CountingBytes(
      Array("ID3".utf8) + [3, 0, 0] + Self.size(frame.count << 15, bits: 7)
        + Array(repeatElement(frame, count: 1 << 15).joined()))
    #expect(try EpisodeTags.read(&bytes) == EpisodeTags())
    #expect(bytes.looks < 20_000)
  }

  @Test("MP4 and Vorbis") func others() throws {
    func box(_ type: [UInt8], _ content: [UInt8]) -> [UInt8] {
      Self.size(content.count + 8, bits: 8) + type + content
    }
    func item(_ type: [UInt8], _ text: String) -> [UInt8] {
      box(type, box(Array("data".utf8), [0, 0, 0, 1, 0, 0, 0, 0] + Array(text.utf8)))
    }
    let sign: UInt8 = 0xA9
    let list = box(
      Array("ilst".utf8),
      item([sign] + Array("nam".utf8), "Psalms") + item([sign] + Array("alb".utf8), "World")
        + item([sign] + Array("day".utf8), "2023-02-16") + item(Array("egid".utf8), "g-1"))
    let meta = box(Array("meta".utf8), [0, 0, 0, 0] + list)
    let file =
      box(Array("ftyp".utf8), Array("M4A ".utf8) + [0, 0, 0, 0])
      + box(Array("moov".utf8), box(Array("udta".utf8), meta))
    let tags = try Self.read(file)
    #expect(tags.title == "Psalms" && tags.album == "World")
    #expect(tags.date == "2023-02-16" && tags.guid == "g-1")

    func text(_ text: String) -> [UInt8] { [UInt8(text.utf8.count), 0, 0, 0] + Array(text.utf8) }
    let comments =
      text("maker") + [3, 0, 0, 0] + text("Title=Psalms") + text("ALBUM=World")
      + text("DATE=2023")
    let ogg = try Self.read(Array("OggS....\u{3}vorbis".utf8) + comments)
    #expect(ogg.title == "Psalms" && ogg.album == "World" && ogg.date == "2023")
    let opus = try Self.read(Array("OggS....OpusTags".utf8) + text("") + [1, 0, 0, 0] + text("x"))
    #expect(opus == EpisodeTags())
  }

  @Test("no bytes make it fail") func random() throws {
    var generator = SeededGenerator(seed: 12)
    let base = Self.id3(4, [("TIT2", [1, 0xFF, 0xFE, 0x41]), ("TALB", [3, 0x41])])
    for _ in 0..<2000 {
      var content = base
      for _ in 0..<4 {
        let place = Int.random(in: 3..<content.count, using: &generator)
        content[place] = UInt8.random(in: 0...255, using: &generator)
      }
      content.removeLast(Int.random(in: 0..<10, using: &generator))
      _ = try Self.read(content)
    }
  }

  @Test(

    "the corpus has the tags that it is kept for",

    .enabled(if: CorpusNaming.root != nil, "the corpus is not here"))
  func corpus() throws {
    var titles: [String: String] = [:]
    for file in try CorpusNaming.files(in: "audio") {
      let stem = file.lastPathComponent.split(separator: "__").last.map(String.init) ?? ""
      titles[stem] = try Self.read([UInt8](try Data(contentsOf: file))).title
    }
    #expect(titles["silence-44-s.mp3"] == "Silence")
    #expect(titles["id3v22-test.mp3"] == "cosmic american")
    #expect(titles["auphonic.ogg"] != nil && titles["auphonic.m4a"] != nil)
  }
}
