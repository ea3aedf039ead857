internal import PodcastModel

/// Passes UTF-8 on as it arrives, with what XML forbids taken out (XML 1.0, section 2.2).
///
/// Control characters other than tab and line ends are dropped, and so are U+FFFE and U+FFFF. A byte
/// that is not part of UTF-8 is read as windows-1252: that is what most feeds with such bytes mean. A
/// sequence that was cut after two or more of its bytes becomes U+FFFD.
struct UTF8Cleaner {
  /// The beginning of a sequence whose other bytes have not arrived.
  private var pending: [UInt8] = []

  /// Takes the next bytes and appends what is clean.
  mutating func add(_ bytes: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
    guard !pending.isEmpty else {
      let used = Self.clean(bytes, isLast: false, to: &output)
      pending.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[used...]))
      return
    }
    // Three more bytes complete any sequence; what they leave over is part of the rest.
    var start = 0
    while !pending.isEmpty, start < bytes.count {
      pending.append(bytes[start])
      start += 1
      let used = pending.withUnsafeBufferPointer {
        Self.clean($0, isLast: false, to: &output)
      }
      pending.removeFirst(used)
    }
    if start < bytes.count { add(UnsafeBufferPointer(rebasing: bytes[start...]), to: &output) }
  }

  /// Whether it is certain that the next bytes are passed on as they are.
  func isUnchanged(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard pending.isEmpty else { return false }
    var index = 0
    while true {
      index = Self.endOfPlain(bytes, from: index)
      guard index < bytes.count else { return true }
      let end = bytes[index] < 0x80 ? index : Self.endOfUsual(bytes, from: index)
      guard end > index else { return false }
      index = end
    }
  }

  /// Ends the input.
  mutating func finish(to output: inout [UInt8]) {
    pending.withUnsafeBufferPointer { _ = Self.clean($0, isLast: true, to: &output) }
    pending = []
  }

  /// The bytes of a character, or what begins like one.
  private typealias ByteSequence = (length: Int, isValid: Bool, isCut: Bool)

  /// Whether all bytes are UTF-8, but for a sequence that is cut at the end.
  static func isValid(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let index = firstInvalid(bytes) else { return true }
    let sequence = sequence(bytes, at: index)
    return sequence.isCut && index + sequence.length == bytes.count
  }

  /// Whether bytes are UTF-8 but for rare faults: at most one for ten characters beyond ASCII. A
  /// sequence that is cut at the end is none.
  static func isMostlyValid(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var (valid, faults) = (0, 0)
    _ = first(in: bytes) { sequence in
      if sequence.isValid { valid += 1 } else if !sequence.isCut { faults += 1 }
      return false
    }
    return faults * 10 <= valid
  }

  /// Where the first sequence begins that is not UTF-8, or is cut; nil when there is none.
  static func firstInvalid(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    first(in: bytes) { !$0.isValid }
  }

  /// Where the first sequence beyond ASCII begins that fits; nil when there is none.
  private static func first(
    in bytes: UnsafeBufferPointer<UInt8>, where fits: (ByteSequence) -> Bool
  ) -> Int? {
    var index = 0
    while index < bytes.count {
      if bytes[index] < 0x80 {
        index += 1
        continue
      }
      let sequence = sequence(bytes, at: index)
      if fits(sequence) { return index }
      index += sequence.length
    }
    return nil
  }
}

extension UTF8Cleaner {
  /// Cleans bytes and returns how many of them were used: all, or all but the beginning of a sequence.
  private static func clean(
    _ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool, to output: inout [UInt8]
  ) -> Int {
    var start = 0
    var index = 0
    func flush() {
      if start < index {
        output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<index]))
      }
    }
    while true {
      index = endOfPlain(bytes, from: index)
      guard index < bytes.count else { break }
      if bytes[index] < 0x80 {
        flush()
        index += 1
        start = index
        continue
      }
      let end = endOfUsual(bytes, from: index)
      if end > index {
        index = end
        continue
      }
      let sequence = sequence(bytes, at: index)
      if sequence.isValid {
        // U+FFFE and U+FFFF.
        let isForbidden =
          bytes[index] == 0xEF && bytes[index + 1] == 0xBF && bytes[index + 2] >= 0xBE
        if isForbidden { flush() }
        index += sequence.length
        if isForbidden { start = index }
        continue
      }
      flush()
      start = index
      if sequence.isCut, !isLast, index + sequence.length == bytes.count { return index }
      if sequence.length > 1 {
        output.append(utf8: 0xFFFD)
        index += sequence.length
      } else {
        output.append(utf8: Windows1252.scalar(bytes[index]))
        index += 1
      }
      start = index
    }
    flush()
    return bytes.count
  }

  /// The end of a run of ASCII characters that XML permits.
  private static func endOfPlain(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var index = start
    while true {
      index = ByteSearch.firstSpecial(bytes, from: index)
      guard index < bytes.count else { return index }
      let byte = bytes[index]
      guard byte == 0x0A || byte == 0x0D || byte == 0x09 else { return index }
      index += 1
    }
  }

  /// The end of a run of sequences of two and three bytes, but for those whose second byte or value is
  /// limited: in other scripts than Latin they are most of a text.
  private static func endOfUsual(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var index = start
    while index + 2 < bytes.count {
      guard bytes[index + 1] & 0xC0 == 0x80 else { return index }
      switch bytes[index] {
      case 0xC2...0xDF: index += 2
      case 0xE1...0xEC, 0xEE:
        guard bytes[index + 2] & 0xC0 == 0x80 else { return index }
        index += 3
      default: return index
      }
    }
    return index
  }

  /// The sequence that begins at a byte of 0x80 or more (Unicode 15, table 3-7).
  ///
  /// Where it is not valid, `length` counts the bytes that could have begun one, at least one, and
  /// `isCut` says that the bytes ended before it did.
  private static func sequence(
    _ bytes: UnsafeBufferPointer<UInt8>, at index: Int
  ) -> ByteSequence {
    let first = bytes[index]
    var second: ClosedRange<UInt8> = 0x80...0xBF
    let length: Int
    switch first {
    case 0xC2...0xDF: length = 2
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: length = 3
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: length = 4
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    default: return (1, false, false)
    }
    var found = 1
    while found < length {
      guard index + found < bytes.count else { return (found, false, true) }
      let range = found == 1 ? second : 0x80...0xBF
      guard range.contains(bytes[index + found]) else { return (found, false, false) }
      found += 1
    }
    return (length, true, false)
  }
}
