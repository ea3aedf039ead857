internal import Glibc
internal import PodcastModel

/// Converts text of one character set to UTF-8 as it arrives, with the C library's iconv.
final class CharacterSetConverter {
  private let converter: iconv_t
  /// How many bytes one unit has: what is skipped where something cannot be converted.
  private let unit: Int
  /// The beginning of a character whose other bytes have not arrived.
  private var pending: [UInt8] = []
  /// What iconv writes to.
  private let block = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 16 * 1024)

  /// Makes a converter; nil when the C library does not have the character set.
  ///
  /// - Parameters:
  ///   - name: iconv's name of the character set.
  ///   - unit: the bytes of one code unit: 2 for UTF-16, 4 for UTF-32.
  init?(_ name: String, unit: Int = 1) {
    guard let converter = iconv_open("UTF-8", name), Int(bitPattern: converter) != -1 else {
      block.deallocate()
      return nil
    }
    self.converter = converter
    self.unit = unit
  }

  deinit {
    iconv_close(converter)
    block.deallocate()
  }

  /// Converts the next bytes. What cannot be converted becomes U+FFFD.
  func convert(_ bytes: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
    guard !pending.isEmpty else {
      let used = step(bytes, to: &output)
      pending.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[used...]))
      return
    }
    // A few more bytes complete any character.
    var start = 0
    while !pending.isEmpty, start < bytes.count {
      pending.append(bytes[start])
      start += 1
      let used = pending.withUnsafeBufferPointer { step($0, to: &output) }
      pending.removeFirst(used)
    }
    if start < bytes.count { convert(UnsafeBufferPointer(rebasing: bytes[start...]), to: &output) }
  }

  /// Ends the input; a character that is cut becomes U+FFFD.
  func finish(to output: inout [UInt8]) {
    if !pending.isEmpty { output.append(utf8: 0xFFFD) }
    pending = []
  }

  /// Converts as much as is complete, and returns how many bytes that took.
  private func step(_ bytes: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) -> Int {
    guard let base = bytes.baseAddress else { return 0 }
    // The bytes are not changed.
    var input: UnsafeMutablePointer<CChar>? = UnsafeMutableRawPointer(mutating: base)
      .assumingMemoryBound(to: CChar.self)
    var inputLeft = bytes.count
    while inputLeft > 0 {
      var place = UnsafeMutableRawPointer(block.baseAddress)?.assumingMemoryBound(to: CChar.self)
      var room = block.count
      let count = iconv(converter, &input, &inputLeft, &place, &room)
      let reason = count == -1 ? errno : 0
      output.append(contentsOf: UnsafeBufferPointer(rebasing: block[..<(block.count - room)]))
      if reason == 0 || reason == E2BIG { continue }
      // The longest character of these character sets has four bytes, with what shifts to it eight.
      if reason == EINVAL, inputLeft < 16 { break }
      output.append(utf8: 0xFFFD)
      let skipped = min(unit, inputLeft)
      input = input.map { $0 + skipped }
      inputLeft -= skipped
    }
    return bytes.count - inputLeft
  }
}
