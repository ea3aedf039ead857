/// The versions of an episode that a fuzzed server has, all of them audio.
///
/// Bytes differ at every place where versions differ at all, so that any overlap shows it.
struct ServedVersion: Sendable {
  let bytes: [UInt8]
  /// Its strong entity tag, and when it was last changed: no two versions share them.
  let etag: String
  let lastModified: String

  /// Those that any piece in which they differ distinguishes: they agree up to some place, and
  /// nowhere after it.
  static let detectable: [ServedVersion] = [
    ServedVersion(1, frames(480, seed: 1)),
    ServedVersion(2, diverging(frames(480, seed: 1), from: 100_000)),
    ServedVersion(3, frames(360, seed: 3)),
    ServedVersion(4, frames(520, seed: 1)),
    ServedVersion(5, frames(30, seed: 5)),
  ]

  /// One that differs from the first in its beginning only; only a validator shows it.
  static let alike = ServedVersion(6, beginning(frames(480, seed: 1), to: 20_000))

  private init(_ number: Int, _ bytes: [UInt8]) {
    self.bytes = bytes
    etag = "\"version-\(number)\""
    lastModified = "Sun, 06 Nov 1994 08:4\(number):37 GMT"
  }

  /// Frames of MPEG layer III at 128 kbit/s and 44.1 kHz.
  private static func frames(_ count: Int, seed: UInt64) -> [UInt8] {
    var state = seed &* 0x9E37_79B9_7F4A_7C15
    var bytes: [UInt8] = []
    for _ in 0..<count {
      bytes += [0xFF, 0xFB, 0x90, 0x00]
      for _ in 4..<417 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        // Never the first byte of a frame's header.
        bytes.append(UInt8(truncatingIfNeeded: state >> 33) & 0x7F)
      }
    }
    return bytes
  }

  private static func diverging(_ bytes: [UInt8], from place: Int) -> [UInt8] {
    bytes.enumerated().map { index, byte in index < place ? byte : byte ^ 0x80 }
  }

  private static func beginning(_ bytes: [UInt8], to place: Int) -> [UInt8] {
    bytes.enumerated().map { index, byte in index < 400 || index >= place ? byte : byte ^ 0x40 }
  }
}
