/// Recognizes media files by their first bytes.
enum AudioSignature {
  /// The usual extension of the format; nil when the format is not known.
  static func fileExtension(of bytes: [UInt8]) -> String? {
    fixed(bytes) ?? isoMedia(bytes) ?? container(bytes) ?? tagged(bytes) ?? frames(bytes, at: 0)
  }

  /// The extension if audio frames follow one another somewhere in the window, after padding or the
  /// rest of a stream that was cut; for bytes that are neither known nor text.
  static func fileExtension(ofFramesWithin bytes: [UInt8], isWhole: Bool) -> String? {
    if isWhole, let frame = MPEGFrameHeader(bytes[...]), frame.length == bytes.count {
      return "mp3"
    }
    let starts = bytes.indices.filter { bytes[$0] == 0xFF }
    return starts.lazy.compactMap { frames(bytes, at: $0, wanted: 3) }.first
  }
}

extension AudioSignature {
  private static func has(_ text: StaticString, _ bytes: [UInt8], at offset: Int = 0) -> Bool {
    let wanted = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    return bytes.dropFirst(offset).starts(with: wanted)
  }

  private static func fixed(_ bytes: [UInt8]) -> String? {
    if has("fLaC", bytes) { return "flac" }
    if has("%PDF-", bytes) { return "pdf" }
    if has("ADIF", bytes) { return "aac" }
    if has("#!AMR", bytes) { return "amr" }
    if has("wvpk", bytes) { return "wv" }
    if has("caff\0\u{1}", bytes) { return "caf" }
    if has("FLV\u{1}", bytes) { return "flv" }
    // The version follows as a little-endian number of 3800 to 3999, so text cannot match.
    if has("MAC ", bytes), [0x0E, 0x0F].contains(bytes.dropFirst(5).first) { return "ape" }
    let asf: [UInt8] = [0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11]
    if bytes.starts(with: asf) { return "wma" }
    if bytes.starts(with: [0, 0, 1, 0xBA]) || bytes.starts(with: [0, 0, 1, 0xB3]) { return "mpg" }
    let isTransportStream = bytes.count > 376 && [0, 188, 376].allSatisfy { bytes[$0] == 0x47 }
    return isTransportStream ? "ts" : nil
  }

  /// ISO base media (ISO/IEC 14496-12) and QuickTime, which may lack the `ftyp` box.
  private static func isoMedia(_ bytes: [UInt8]) -> String? {
    // No first box is 16 MiB long; in text, this byte is a letter.
    guard bytes.count >= 12, bytes[0] == 0 else { return nil }
    guard has("ftyp", bytes, at: 4) else {
      let isQuickTime =
        has("moov", bytes, at: 4) || has("mdat", bytes, at: 4) || has("wide", bytes, at: 4)
      return isQuickTime ? "mov" : nil
    }
    let end = min(bytes.count, Int(bytes[2]) << 8 | Int(bytes[3]))
    let offsets = [8] + stride(from: 16, to: max(16, end - 3), by: 4)
    for offset in offsets {
      switch String(decoding: bytes[offset..<min(offset + 4, bytes.count)], as: UTF8.self) {
      case "M4A ", "M4P ": return "m4a"
      case "M4B ": return "m4b"
      case "M4V ", "M4VH", "M4VP": return "m4v"
      case "qt  ": return "mov"
      case let brand where brand.hasPrefix("3gp"): return "3gp"
      case let brand where brand.hasPrefix("3g2"): return "3g2"
      default: continue
      }
    }
    return "mp4"
  }

  private static func container(_ bytes: [UInt8]) -> String? {
    if has("OggS", bytes) { return oggCodec(bytes) }
    if has("RIFF", bytes) || has("RF64", bytes) || has("BW64", bytes) {
      return has("WAVE", bytes, at: 8) ? "wav" : has("AVI ", bytes, at: 8) ? "avi" : nil
    }
    if has("FORM", bytes), has("AIF", bytes, at: 8) { return "aiff" }
    if bytes.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) {
      return bytes.prefix(64).firstRange(of: Array("webm".utf8)) == nil ? "mkv" : "webm"
    }
    guard has("PK\u{3}\u{4}", bytes) else { return nil }
    return has("mimetypeapplication/epub+zip", bytes, at: 30) ? "epub" : "zip"
  }

  /// The codec in the first packet of the first page (RFC 3533, section 6).
  private static func oggCodec(_ bytes: [UInt8]) -> String {
    guard bytes.count > 26 else { return "ogg" }
    let packet = 27 + Int(bytes[26])
    if has("OpusHead", bytes, at: packet) { return "opus" }
    if has("Speex   ", bytes, at: packet) { return "spx" }
    if has("FLAC", bytes, at: packet + 1) { return "oga" }
    if has("theora", bytes, at: packet + 1) || has("fishead", bytes, at: packet) { return "ogv" }
    return "ogg"
  }

  /// What follows an ID3v2 tag, if it is in the window; MP3 if it is not.
  private static func tagged(_ bytes: [UInt8]) -> String? {
    guard let length = ID3Tag.length(bytes[...]) else { return nil }
    guard length + 4 <= bytes.count else { return "mp3" }
    let rest = Array(bytes[length...])
    if has("fLaC", rest) { return "flac" }
    if has("wvpk", rest) { return "wv" }
    return frames(rest, at: 0) ?? "mp3"
  }

  /// The extension if frames of one kind follow one another to the end of the bytes; unknown
  /// without a second frame.
  private static func frames(_ bytes: [UInt8], at start: Int, wanted: Int = 2) -> String? {
    if let first = MPEGFrameHeader(bytes[start...]) {
      var position = start + first.length
      for _ in 1..<wanted {
        guard position < bytes.count, let next = MPEGFrameHeader(bytes[position...]),
          next.isSameStream(as: first)
        else { return nil }
        position += next.length
      }
      return "mp3"
    }
    var position = start
    for _ in 0..<wanted {
      guard position < bytes.count, let length = adtsLength(bytes[position...]) else { return nil }
      position += length
    }
    return "aac"
  }

  /// The length of an AAC frame including its header (ISO/IEC 13818-7, ADTS).
  static func adtsLength(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard bytes.count >= 7 else { return nil }
    let at = bytes.startIndex
    guard bytes[at] == 0xFF, bytes[at + 1] & 0xF6 == 0xF0, (bytes[at + 2] >> 2) & 0xF < 13 else {
      return nil
    }
    let length =
      Int(bytes[at + 3] & 3) << 11 | Int(bytes[at + 4]) << 3 | Int(bytes[at + 5] >> 5)
    return length >= 7 ? length : nil
  }
}
