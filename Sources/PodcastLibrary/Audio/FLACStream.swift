/// The stream information of FLAC (RFC 9639, section 8.2). Only a decoder can find the lengths of
/// its frames, so the end of the file is not checked.
enum FLACStream {
  /// The information in the first bytes of a file.
  static func walk(_ start: [UInt8]) -> AudioStructure {
    let tag = ID3Tag.length(start[...]) ?? 0
    let information = start.dropFirst(tag + 8)
    guard information.count >= 18 else { return AudioStructure() }
    let samples = information.dropFirst(13).prefix(5).bigEndian & 0xF_FFFF_FFFF
    return AudioStructure(
      duration: AudioStructure.duration(
        samples: samples, perSecond: samplesPerSecond(information)))
  }

  /// The sampling rate in the stream information: 20 bits after its first ten bytes.
  static func samplesPerSecond(_ information: ArraySlice<UInt8>) -> Int64 {
    information.dropFirst(10).prefix(3).bigEndian >> 4
  }
}
