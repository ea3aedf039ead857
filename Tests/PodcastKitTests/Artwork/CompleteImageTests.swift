import TestSupport
import Testing

@testable import PodcastArtwork

@Suite("Complete images") struct CompleteImageTests {
  private static let samples: [(ImageFormat, [UInt8])] = [
    (.jpeg, SampleImages.jpeg), (.jpeg, SampleImages.progressive), (.jpeg, SampleImages.inks),
    (.jpeg, SampleImages.grey), (.png, SampleImages.png), (.webP, SampleImages.webp),
    (.webP, SampleImages.lossless),
  ]

  private static func refusal(_ bytes: [UInt8]) -> ImageRefusal? {
    do throws(ImageRefusal) {
      _ = try ImageFormat(complete: bytes)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: samples)
  func `an image is complete, whatever follows it`(format: ImageFormat, bytes: [UInt8]) throws {
    for more in [[], [0, 0], Array("more".utf8)] as [[UInt8]] {
      #expect(try ImageFormat(complete: bytes + more) == format)
    }
  }

  @Test(arguments: samples)
  func `an image that breaks off is not complete`(format: ImageFormat, bytes: [UInt8]) {
    for length in stride(from: 0, to: bytes.count, by: bytes.count > 1000 ? 61 : 1) {
      let start = Array(bytes.prefix(length))
      #expect(Self.refusal(start) != nil, "\(length)")
      // A WebP says only how long it is.
      guard format != .webP else { continue }
      let hollow = start + [UInt8](repeating: 0, count: bytes.count - length)
      #expect(Self.refusal(hollow) != nil, "\(length)")
    }
  }

  @Test(
    "few bytes are no image",
    arguments: [
      [0xFF, 0xD8, 0xFF], [0xFF, 0xD8, 0xFF, 0xD9],
      [0xFF, 0xD8, 0xFF, 0xDA, 0x00, 0x02, 0xFF, 0xD9],
      [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A],
      Array("RIFF\u{C}\u{0}\u{0}\u{0}WEBPVP8 ".utf8),
    ] as [[UInt8]])
  func few(bytes: [UInt8]) {
    #expect(Self.refusal(bytes) == .damaged)
  }

  @Test func `the extent is limited`() {
    func png(_ width: Int, _ height: Int) -> [UInt8] {
      TestPNG.bytes(width: width, height: height, compressed: [])
    }
    #expect(Self.refusal(png(6000, 6000)) == nil)
    #expect(Self.refusal(png(6001, 1)) == .tooManyPixels)
    #expect(Self.refusal(png(Int(UInt32.max), Int(UInt32.max))) == .tooManyPixels)
    #expect(Self.refusal(png(0, 1)) == .damaged)
    var jpeg = SampleImages.jpeg
    // The marker of a baseline JPEG, its length, a byte, and the height.
    let frame = jpeg.indices.first { jpeg[$0...].starts(with: [0xFF, 0xC0, 0x00, 0x11, 0x08]) }
    guard let frame else {
      Issue.record("It has no frame.")
      return
    }
    (jpeg[frame + 5], jpeg[frame + 6]) = (0xFF, 0xFF)
    #expect(Self.refusal(jpeg) == .tooManyPixels)
    (jpeg[frame + 5], jpeg[frame + 6]) = (0, 0)
    #expect(Self.refusal(jpeg) == .damaged)
  }
}
