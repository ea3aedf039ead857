import Foundation
import TestSupport
import Testing

@testable import PodcastTransfer

@Suite("Coded bodies") struct BodyDecoderTests {
  /// Decodes a body in pieces of one size; nil if a piece was not taken.
  private static func decode(
    _ body: [UInt8], _ codings: String = "gzip", pieces: Int = 1000, limit: Int = .max
  ) throws -> (bytes: [UInt8], isAtEnd: Bool)? {
    let head = ResponseHead(status: 200, fields: [HTTPField("Content-Encoding", codings)])
    let decoder = try #require(BodyDecoder(head, acceptsCodings: true))
    var decoded: [UInt8] = []
    for start in stride(from: 0, to: body.count, by: pieces) {
      let piece = Array(body[start..<min(start + pieces, body.count)])
      let outcome = piece.withUnsafeBytes {
        decoder.decode($0, while: { true }) {
          decoded += $0
          return decoded.count < limit
        }
      }
      guard outcome == .taken else { return nil }
    }
    return (decoded, decoder.isAtEnd)
  }

  /// "podget" forty times, as other programs pack it.
  private static let text = Array(String(repeating: "podget", count: 40).utf8)
  private static let deflate: [UInt8] = [
    0x2B, 0xC8, 0x4F, 0x49, 0x4F, 0x2D, 0x29, 0x18, 0x31, 0x24, 0x00,
  ]
  private static let zlib: [UInt8] = [0x78, 0xDA] + deflate + [0x4E, 0xB9, 0x64, 0x79]
  private static let gzip: [UInt8] =
    [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 3] + deflate + [
      0x0E, 0xBF, 0xE4, 0x7D, 0xF0, 0x00, 0x00, 0x00,
    ]

  @Test("row 60: gzip ends at the end of its trailer, in pieces of any size")
  func gzipEnds() throws {
    let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }
    let packed = storedGzip(bytes)
    for pieces in [1, 7, 65_536, packed.count] {
      let whole = try #require(try Self.decode(packed, pieces: pieces))
      #expect(whole.bytes == bytes && whole.isAtEnd)
    }
    for missing in [1, 4, 8, 9, 100_000, packed.count - 1] {
      let cut = try #require(try Self.decode(packed.dropLast(missing)))
      #expect(!cut.isAtEnd, "\(missing)")
    }
    var wrong = packed
    wrong[wrong.count - 5] ^= 1
    #expect(try Self.decode(wrong) == nil)
  }

  @Test("row 60: deflate has its frame or none, and an end") func deflateEnds() throws {
    for packed in [Self.zlib, Self.deflate] {
      let whole = try #require(try Self.decode(packed, "deflate", pieces: 1))
      #expect(whole.bytes == Self.text && whole.isAtEnd)
      let cut = try #require(try Self.decode(packed.dropLast(), "deflate", pieces: 3))
      #expect(!cut.isAtEnd)
    }
  }

  @Test("gzip may have several members, and something behind the last one") func members() throws {
    let members = Self.gzip + storedGzip([1, 2, 3])
    for end in [[], [0, 0, 0], [0x1F, 0x2F, 0x3F], Array("<!-- served by -->".utf8)] as [[UInt8]] {
      for pieces in [1, 5, 1000] {
        let found = try #require(try Self.decode(members + end, pieces: pieces))
        #expect(found.bytes == Self.text + [1, 2, 3] && found.isAtEnd)
      }
    }
    let cut = try #require(try Self.decode(members.dropLast(9)))
    #expect(!cut.isAtEnd)
  }

  @Test("several codings are decoded in turn, and each must end") func chain() throws {
    let outer = storedGzip(storedGzip(Self.text))
    let whole = try #require(try Self.decode(outer, "gzip, x-gzip"))
    #expect(whole.bytes == Self.text && whole.isAtEnd)
    let inner = storedGzip(storedGzip(Self.text).dropLast(3))
    let cut = try #require(try Self.decode(inner, "gzip, gzip"))
    #expect(cut.bytes == Self.text && !cut.isAtEnd)
  }

  @Test("what is not coded so is refused; an empty body has no coding") func others() throws {
    #expect(try Self.decode(Self.text) == nil)
    #expect(try Self.decode(Self.text, "deflate") == nil)
    for unknown in ["br", "gzip, x-own", "gzip, gzip, gzip, gzip, gzip"] {
      #expect(try Self.decode(Self.gzip, unknown) == nil)
    }
    #expect(try #require(try Self.decode([])).isAtEnd)
    // A receiver that refuses a piece gets no other.
    #expect(try Self.decode(Self.gzip, pieces: 1000, limit: 1) == nil)
  }

  @Test("only codings of the message are decoded unless the request accepts others")
  func heads() {
    func isDecoded(_ name: String, _ value: String, accepts: Bool) -> Bool {
      let head = ResponseHead(status: 200, fields: [HTTPField(name, value)])
      return BodyDecoder(head, acceptsCodings: accepts) != nil
    }
    #expect(!isDecoded("Content-Encoding", "gzip", accepts: false))
    #expect(isDecoded("Transfer-Encoding", "gzip, chunked", accepts: false))
    for plain in ["chunked", "identity", "none", ""] {
      #expect(!isDecoded("Transfer-Encoding", plain, accepts: true))
    }
    #expect(!isDecoded("Content-Encoding", "identity", accepts: true))
  }
}
