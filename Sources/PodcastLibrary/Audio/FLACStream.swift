/// The stream information of FLAC (RFC 9639, section 8.2). Its frames tell their lengths to a
/// decoder only, so nothing is said about the end of the file.
enum FLACStream {
  /// What the first bytes of a file tell.
  static func walk(_ start: [UInt8]) -> AudioStructure {
    let tag = ID3Tag.length(start[...]) ?? 0
    let information = start.dropFirst(tag + 8)
    guard information.count >= 18 else { return AudioStructure() }
    let samples = information.dropFirst(13).prefix(5).bigEndian & 0xF_FFFF_FFFF
    return AudioStructure(
      duration: AudioStructure.duration(
        samples: samples, perSecond: samplesPerSecond(information)))
  }

  /// The sampling rate in stream information: 20 bits behind its first ten bytes.
  static func samplesPerSecond(_ information: ArraySlice<UInt8>) -> Int64 {
    information.dropFirst(10).prefix(3).bigEndian >> 4
  }
}
