import Foundation
import TestSupport
import Testing

@testable import PodcastLibrary

/// The digest of the audio in a file.
@Suite("Audio digest") struct AudioDigestTests {
  static let files: [(name: String, format: TaggedFormat)] = [
    ("titled.mp3", .mp3), ("end.m4a", .mp4), ("start.m4a", .mp4), ("fragments.m4a", .mp4),
    ("short.flac", .flac), ("short.ogg", .vorbis), ("short.opus", .opus),
  ]

  private static func sum(_ content: [UInt8], _ format: TaggedFormat) throws -> String? {
    var bytes = MemoryBytes(content: content)
    return try AudioDigest.sum(of: &bytes, format)
  }

  @Test(arguments: files.indices) func `each byte of the audio counts`(place: Int) throws {
    let (name, format) = Self.files[place]
    let content = [UInt8](try Fixtures.data("audio/\(name)"))
    var bytes = MemoryBytes(content: content)
    #expect(try TaggedFormat(of: &bytes) == format)
    let whole = try #require(try Self.sum(content, format))
    var changed: [Int] = []
    for byte in content.indices {
      var other = content
      other[byte] ^= 0x10
      if try Self.sum(other, format) != whole { changed.append(byte) }
    }
    // Most of each file is audio; the rest are tags, indexes and numbers of pages.
    #expect(changed.count > content.count / 3, "\(changed.count) of \(content.count)")
    for count in [content.count / 3, content.count / 2, content.count - 200] {
      #expect(try Self.sum(Array(content.prefix(count)), format) != whole)
    }
  }

  @Test func `the numbers and checksums of pages do not count, their content does`() throws {
    let content = [UInt8](try Fixtures.data("audio/short.ogg"))
    let whole = try #require(try Self.sum(content, .vorbis))
    let last = try #require(content.ranges(of: Array("OggS".utf8)).last?.lowerBound)
    for (offset, counts) in [(18, false), (22, false), (6, true), (14, true), (30, true)] {
      var other = content
      other[last + offset] ^= 1
      #expect(try (Self.sum(other, .vorbis) != whole) == counts, "\(offset)")
    }
  }

  @Test func `other formats are not tagged`() throws {
    for start in ["RIFF....WAVEfmt ", "%PDF-1.4", "<html>", "OggS", "fLaC"] {
      var bytes = MemoryBytes(content: Array(start.utf8) + [UInt8](repeating: 0, count: 500))
      #expect(try TaggedFormat(of: &bytes) == (start == "fLaC" ? .flac : nil), "\(start)")
    }
    for format in TaggedFormat.allCases {
      #expect(try Self.sum([], format) == nil)
      #expect(try Self.sum([UInt8](repeating: 0, count: 4_000), format) == nil)
    }
  }
}
