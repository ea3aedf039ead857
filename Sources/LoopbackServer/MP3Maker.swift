/// Creates mp3 files that decode as silence and yet differ byte for byte.
///
/// Each frame is MPEG-1 Layer III at 128 kbit/s, 44.1 kHz, stereo (ISO 11172-3, section 2.4). Its
/// side information is zero, which is silence and leaves the rest of the frame for ancillary data:
/// these bytes depend on the seed and on the frame's number, so two files, or two places in one
/// file, always differ. Any range can be created by itself.
public struct MP3Maker: Sendable {
  /// The size in bytes: the tag and complete frames.
  public let size: Int64
  /// The number of frames, of 1152 samples each.
  public let frames: Int64
  /// The duration, rounded down.
  public var milliseconds: Int64 { frames * 1_152_000 / 44_100 }
  private let tag: [UInt8]
  private let seed: UInt64
  private let template: [UInt8]

  private static let longestFrame = 418

  /// Describes a file.
  /// - Parameters:
  ///   - seed: What tells this file's bytes from others'.
  ///   - approximateSize: The wanted size in bytes; the file ends with the frame that reaches it.
  ///   - title: The title for an ID3v2.4 tag at the start; nil leaves the tag out.
  public init(seed: UInt64, approximateSize: Int64, title: String? = nil) {
    let tag = title.map(Self.tag) ?? []
    let wanted = max(1, approximateSize - Int64(tag.count))
    let frames = (wanted * 49 + 20479) / 20480
    self.tag = tag
    self.seed = seed
    self.frames = frames
    size = Int64(tag.count) + Self.start(of: frames)
    // 0xFF does not occur in the ancillary data, so that no decoder takes it for a frame.
    let noise = (0..<UInt64(Self.longestFrame)).map { UInt8(Self.mixed(seed &+ $0) & 0x7F) }
    template = [0xFF, 0xFB, 0x90, 0x00] + [UInt8](repeating: 0, count: 32) + noise.dropFirst(36)
  }

  /// The complete file of about this size in bytes.
  public static func bytes(seed: UInt64, length: Int64, title: String? = nil) -> [UInt8] {
    let file = MP3Maker(seed: seed, approximateSize: length, title: title)
    return Array(file.bytes(in: 0..<file.size))
  }

  /// The bytes of a range, which is cut to the file's size.
  public func bytes(in range: Range<Int64>) -> ArraySlice<UInt8> {
    let range = range.clamped(to: 0..<size)
    guard !range.isEmpty else { return [] }
    let tagSize = Int64(tag.count)
    let first = max(0, Self.frame(at: range.lowerBound - tagSize))
    let last = max(0, Self.frame(at: range.upperBound - 1 - tagSize))
    var bytes = range.lowerBound < tagSize ? tag : []
    let origin = range.lowerBound < tagSize ? 0 : tagSize + Self.start(of: first)
    bytes.reserveCapacity(bytes.count + Int(last - first + 1) * Self.longestFrame)
    for frame in first...last { append(frame, to: &bytes) }
    return bytes[Int(range.lowerBound - origin)..<Int(range.upperBound - origin)]
  }

  /// Where a frame begins, after the tag: frames are 20480/49 bytes long on average, and a frame
  /// with padding follows as soon as the sum is too small (ISO 11172-3, section 2.4.3.1).
  static func start(of frame: Int64) -> Int64 { frame * 20480 / 49 }

  private static func frame(at offset: Int64) -> Int64 { (offset * 49 + 48) / 20480 }

  private func append(_ frame: Int64, to bytes: inout [UInt8]) {
    let length = Int(Self.start(of: frame + 1) - Self.start(of: frame))
    let start = bytes.count
    bytes += template[..<length]
    if length == Self.longestFrame { bytes[start + 2] |= 0x02 }
    let mark = Self.mixed(seed ^ Self.mixed(UInt64(frame))) & 0x7F7F_7F7F_7F7F_7F7F
    for index in 0..<8 {
      let byte = UInt8(truncatingIfNeeded: mark >> UInt64(index * 8))
      bytes[start + 40 + index] = byte
      bytes[start + 200 + index] = byte ^ 0x55
      bytes[start + 400 + index] = byte ^ 0x2A
    }
  }

  /// One step of a SplitMix generator: similar inputs give unrelated outputs.
  private static func mixed(_ input: UInt64) -> UInt64 {
    var value = input &+ 0x9E37_79B9_7F4A_7C15
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  /// An ID3v2.4 tag with a TIT2 frame in UTF-8; sizes have seven bits per byte.
  private static func tag(title: String) -> [UInt8] {
    let text = [0x03] + Array(title.utf8)
    let frame = Array("TIT2".utf8) + sevenBits(text.count) + [0, 0] + text
    return Array("ID3".utf8) + [4, 0, 0] + sevenBits(frame.count) + frame
  }

  private static func sevenBits(_ number: Int) -> [UInt8] {
    [21, 14, 7, 0].map { UInt8(number >> $0 & 0x7F) }
  }
}
