import PodcastTransfer

/// Reads through raw AAC frames (ISO/IEC 13818-7, ADTS).
enum ADTSFrames {
  private static let samplingRates: [Int64] = [
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000,
    7_350,
  ]

  /// Reads through a file.
  static func walk(_ file: inout some AudioBytes) throws(DiskError) -> AudioStructure {
    var position: Int64 = 0
    while let tag = ID3Tag.length(try file.look(10, at: position)) { position += Int64(tag) }
    var samples: Int64 = 0
    var rate: Int64 = 0
    while position < file.length {
      let header = Array(try file.next(7, at: position))
      guard let length = AudioSignature.adtsLength(header[...]) else { break }
      if rate == 0 { rate = samplingRates[Int(header[2] >> 2 & 0xF)] }
      samples += 1024 * Int64(header[6] & 3 + 1)
      position += Int64(length)
    }
    let duration = AudioStructure.duration(samples: samples, perSecond: rate)
    guard position >= file.length else { return AudioStructure(duration: duration) }
    let isCut = position > file.length
    return AudioStructure(
      ending: isCut ? .open("Its last frame is cut.") : .unmarked, duration: duration)
  }
}
