/// The header of an MPEG audio frame (ISO/IEC 11172-3, section 2.4.2.3; 13818-3 for MPEG-2, and the
/// unofficial MPEG-2.5).
struct MPEGFrameHeader: Sendable, Hashable {
  /// The length of the frame in bytes, including its header.
  let length: Int
  /// The duration of the frame in samples, and the number of samples per second.
  let samples: Int
  let samplesPerSecond: Int
  /// The bits that stay the same for a stream: version, layer, sampling rate.
  private let stream: Int

  /// Reads a header; nil if it is not one, and for the free format, whose header has no length.
  init?(_ bytes: ArraySlice<UInt8>) {
    let at = bytes.startIndex
    guard bytes.count >= 4, bytes[at] == 0xFF, bytes[at + 1] & 0xE0 == 0xE0 else { return nil }
    let version = Int(bytes[at + 1] >> 3) & 3
    let layer = 4 - Int(bytes[at + 1] >> 1) & 3
    let bitRate = Int(bytes[at + 2] >> 4)
    let rate = Int(bytes[at + 2] >> 2) & 3
    let padding = Int(bytes[at + 2] >> 1) & 1
    guard version != 1, layer != 4, (1...14).contains(bitRate), rate != 3 else { return nil }

    let isFirstVersion = version == 3
    let halvings = isFirstVersion ? 1 : version == 2 ? 2 : 4
    samplesPerSecond = Self.samplingRates[rate] / halvings
    samples = layer == 1 ? 384 : layer == 3 && !isFirstVersion ? 576 : 1152
    let row = isFirstVersion ? layer - 1 : layer == 1 ? 3 : 4
    let bits = 1000 * Self.kilobits[row][bitRate]
    switch layer {
    case 1: length = (12 * bits / samplesPerSecond + padding) * 4
    case 3 where !isFirstVersion: length = 72 * bits / samplesPerSecond + padding
    default: length = 144 * bits / samplesPerSecond + padding
    }
    stream = version << 4 | layer << 2 | rate
  }

  /// Whether two frames can belong to one stream.
  func isSameStream(as other: MPEGFrameHeader) -> Bool { stream == other.stream }

  private static let samplingRates = [44_100, 48_000, 32_000]

  /// By bit rate index: the three layers of MPEG-1, then layer I and the others of MPEG-2.
  private static let kilobits = [
    [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
    [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
    [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
    [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  ]
}
