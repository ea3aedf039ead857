import Foundation
import PodcastLibrary
import TestSupport
import Testing

@Suite("MPEG frames") struct MPEGFramesTests {
  /// MPEG-1 layer III, 128 kbit/s at 44.1 kHz: 417 bytes.
  static let frame: [UInt8] = [0xFF, 0xFB, 0x90, 0x00] + [UInt8](repeating: 0x55, count: 413)
  static let audio = (0..<200).flatMap { _ in frame }

  static func isWhole(_ content: [UInt8]) -> Bool? {
    MPEGFrames.isWhole(length: Int64(content.count)) { offset, count in
      Array(content[Int(offset)..<(Int(offset) + count)])
    }
  }

  static func id3(_ count: Int, hasFooter: Bool = false) -> [UInt8] {
    let size = [count >> 21, count >> 14, count >> 7, count].map { UInt8($0 & 0x7F) }
    let body = [UInt8](repeating: 0xFF, count: count + (hasFooter ? 10 : 0))
    return Array("ID3".utf8) + [4, 0, hasFooter ? 0x10 : 0] + size + body
  }

  static let id3v1 = Array("TAG".utf8) + [UInt8](repeating: 0x20, count: 125)
  static let enhanced = Array("TAG+".utf8) + [UInt8](repeating: 0x20, count: 223)
  static let ape: [UInt8] = {
    func end(_ flags: UInt8) -> [UInt8] {
      Array("APETAGEX".utf8) + [0xD0, 7, 0, 0, 82, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, flags]
        + [UInt8](repeating: 0, count: 8)
    }
    return end(0xA0) + [UInt8](repeating: 0x41, count: 50) + end(0x80)
  }()
  static let lyrics = Array("LYRICSBEGININD0000210000021LYRICS200".utf8)

  @Test("tags around complete frames do not matter") func tags() {
    let zeros = [UInt8](repeating: 0, count: 70_000)
    for start in [[], Self.id3(20), Self.id3(100_000), Self.id3(5, hasFooter: true), zeros] {
      for end in [
        [], Self.id3v1, Self.ape, Self.lyrics + Self.id3v1, Self.ape + Self.id3v1,
        Self.enhanced + Self.id3v1, Self.ape + Self.lyrics + Self.id3v1, zeros,
      ] {
        #expect(Self.isWhole(start + Self.audio + end) == true)
        // The missing byte would be read as zero.
        guard end != zeros else { continue }
        #expect(Self.isWhole(start + Self.audio.dropLast() + end) != true)
      }
    }
    #expect(Self.isWhole(Self.id3(20) + Self.id3(30) + Self.audio) == true)
    #expect(Self.isWhole(Self.audio + Self.id3(30) + Self.audio) == true)
  }

  @Test("a cut is detected anywhere except between two frames") func cuts() {
    let content = Self.id3(1_000) + Self.audio
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<300 {
      let length = Int.random(in: (1_010 + 3 * 417)..<content.count, using: &generator)
      let isBetween = (length - 1_010) % 417 == 0
      #expect(Self.isWhole(Array(content.prefix(length))) == isBetween, "\(length)")
    }
    #expect(Self.isWhole(Array(content.prefix(500))) == false)
    for tag in [Self.id3v1, Self.ape, Self.enhanced + Self.id3v1] {
      for length in [1, 2, 3, 7, 9, 31, tag.count - 1] {
        #expect(Self.isWhole(Self.audio + tag.prefix(length)) == false, "\(length)")
      }
    }
  }

  @Test("frames of different lengths follow one another") func variable() {
    let padded: [UInt8] = [0xFF, 0xFB, 0x92, 0x00] + [UInt8](repeating: 1, count: 414)
    let quiet: [UInt8] = [0xFF, 0xFB, 0x10, 0x00] + [UInt8](repeating: 1, count: 100)
    #expect(Self.isWhole(Self.frame + padded + quiet + Self.frame) == true)
    let second: [UInt8] = [0xFF, 0xF3, 0x80, 0x00] + [UInt8](repeating: 1, count: 204)
    #expect(Self.isWhole(second + second) == true)
    let layer2: [UInt8] = [0xFF, 0xFD, 0x84, 0x00] + [UInt8](repeating: 1, count: 380)
    #expect(Self.isWhole(layer2 + layer2) == true)
  }

  @Test("data that is not only MPEG audio is not judged") func foreign() {
    let junk = (0..<5_000).map { UInt8($0 % 97 + 1) }
    let lone = Self.frame + junk
    for content in [[], [0xFF], junk, Self.audio + junk + Self.audio, lone, Self.id3(10)] {
      #expect(Self.isWhole(content) == nil)
    }
  }

  @Test("reading is in order, in windows, and passes on its error") func reading() throws {
    struct Broken: Error {}
    #expect(throws: Broken.self) {
      try MPEGFrames.isWhole(length: 10) { _, _ throws(Broken) in throw Broken() }
    }
    let content = Self.id3(300_000) + Self.audio + Self.audio
    var read = 0
    let verdict = MPEGFrames.isWhole(length: Int64(content.count)) { offset, count in
      read += count
      return Array(content[Int(offset)..<(Int(offset) + count)])
    }
    #expect(verdict == true)
    #expect(read < Self.audio.count * 2 + 200_000)
  }

  @Test(

    "the corpus is complete or cut as its files are",

    .enabled(if: CorpusNaming.root != nil, "the corpus is not here"))
  func corpus() throws {
    // Cut by the authors of the collections, to keep them small.
    let cut: Set<String> = [
      "id3v1v2-combined", "id3v22-test", "vbri", "xing", "ape-id3v1", "compressed_id3_frame",
      "lame_cbr", "lame_vbr", "mpeg2", "rare_frames", "w000",
    ]
    let unknown: Set<String> = [
      "fake", "apev2-lyricsv2", "extended-header", "id3v2-invalid-version",
    ]
    for file in try CorpusNaming.files(in: "audio") {
      let content = [UInt8](try Data(contentsOf: file))
      let name = file.deletingPathExtension().lastPathComponent.split(separator: "__").last ?? ""
      let isOther = file.pathExtension != "mp3" || unknown.contains(String(name))
      let expected: Bool? = isOther ? nil : !cut.contains(String(name))
      #expect(Self.isWhole(content) == expected, "\(file.lastPathComponent)")
      if expected == true {
        #expect(
          Self.isWhole(Array(content.prefix(content.count * 2 / 3 + 2))) == false,
          "\(file.lastPathComponent)")
      }
    }
  }
}
