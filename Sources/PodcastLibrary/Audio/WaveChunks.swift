import PodcastTransfer

/// Reads through the chunks of a wave file (RIFF).
enum WaveChunks {
  /// Reads through a file.
  static func walk(_ file: inout some AudioBytes) throws(DiskError) -> AudioStructure {
    var bytesPerSecond: Int64 = 0
    var position: Int64 = 12
    while case let header = Array(try file.look(20, at: position)), header.count >= 8 {
      let size = header[4..<8].littleEndian
      if header.starts(with: "fmt ".utf8), header.count == 20 {
        bytesPerSecond = header[16..<20].littleEndian
      } else if header.starts(with: "data".utf8) {
        // Programs that write while they record, and RF64, cannot write the length here. Some write
        // the largest number of 31 or 32 bits, less some blocks.
        guard size > 0, size < 0x7FFF_0000 else { return AudioStructure() }
        let held = min(size, file.length - position - 8)
        return AudioStructure(
          ending: held < size ? .cut("Its audio lacks \(size - held) bytes.") : .whole,
          duration: AudioStructure.duration(samples: held, perSecond: bytesPerSecond))
      }
      position += 8 + size + size % 2
    }
    return AudioStructure()
  }
}
