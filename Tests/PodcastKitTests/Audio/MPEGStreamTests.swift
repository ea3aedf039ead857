import TestSupport
import Testing

@testable import PodcastLibrary

@Suite("MPEG audio") struct MPEGStreamTests {
  /// MPEG-1 layer III, 128 kbit/s at 44.1 kHz: 417 bytes.
  static let frame: [UInt8] = [0xFF, 0xFB, 0x90, 0x00] + [UInt8](repeating: 0x55, count: 413)
  static let audio = (0..<200).flatMap { _ in frame }

  /// What the structure says of the end of the bytes.
  private static func ending(_ content: [UInt8]) throws -> String {
    try AudioStructure.of(content).word
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

  @Test("only tags behind the frames show that they are the last ones") func tags() throws {
    let ends = [
      Self.id3v1, Self.ape, Self.lyrics + Self.id3v1, Self.ape + Self.id3v1,
      Self.enhanced + Self.id3v1, Self.ape + Self.lyrics + Self.id3v1,
    ]
    for start in [[], Self.id3(20), Self.id3(100_000), Self.id3(5, hasFooter: true)] {
      #expect(try Self.ending(start + Self.audio) == "unmarked")
      for end in ends {
        #expect(try Self.ending(start + Self.audio + end) == "whole")
      }
    }
    #expect(try Self.ending(Self.id3(20) + Self.id3(30) + Self.audio) == "unmarked")
    #expect(try Self.ending(Self.audio + Self.id3(30) + Self.audio) == "unmarked")
    #expect(try Self.ending(Self.audio + [UInt8](repeating: 0, count: 70_000)) == "unmarked")
  }

  @Test("a cut is detected anywhere except between two frames") func cuts() throws {
    let content = Self.id3(1_000) + Self.audio
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<300 {
      let length = Int.random(in: (1_010 + 3 * 417)..<content.count, using: &generator)
      let isBetween = (length - 1_010) % 417 == 0
      let found = try Self.ending(Array(content.prefix(length)))
      #expect(found == (isBetween ? "unmarked" : "open"), "\(length)")
    }
    #expect(try Self.ending(Array(content.prefix(500))) == "cut")
    for tag in [Self.id3v1, Self.ape, Self.enhanced + Self.id3v1, Self.lyrics] {
      for length in [1, 2, 3, 7, 9, 31, tag.count - 1] {
        #expect(try Self.ending(Self.audio + tag.prefix(length)) == "open", "\(length)")
      }
    }
    for length in 1...3 {
      #expect(try Self.ending(Self.audio + Self.frame.prefix(length)) == "open", "\(length)")
    }
  }

  @Test("frames of different lengths follow one another") func variable() throws {
    let padded: [UInt8] = [0xFF, 0xFB, 0x92, 0x00] + [UInt8](repeating: 1, count: 414)
    let quiet: [UInt8] = [0xFF, 0xFB, 0x10, 0x00] + [UInt8](repeating: 1, count: 100)
    #expect(try Self.ending(Self.frame + padded + quiet + Self.frame) == "unmarked")
    let second: [UInt8] = [0xFF, 0xF3, 0x80, 0x00] + [UInt8](repeating: 1, count: 204)
    #expect(try Self.ending(second + second) == "unmarked")
    let layer2: [UInt8] = [0xFF, 0xFD, 0x84, 0x00] + [UInt8](repeating: 1, count: 380)
    #expect(try Self.ending(layer2 + layer2) == "unmarked")
  }
}
