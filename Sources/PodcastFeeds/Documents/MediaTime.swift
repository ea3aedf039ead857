/// Places in a recording, as chapters and transcripts write them.
enum MediaTime {
  /// The latest that is believed, in milliseconds: a month.
  static let maximum = 31 * 86_400_000

  /// The milliseconds of `H:MM:SS.mmm`, `MM:SS,mmm` or `SS.mmm`; nil for what is none.
  ///
  /// White space around it is ignored, and so is what follows the milliseconds.
  static func milliseconds(_ bytes: some Collection<UInt8>) -> Int? {
    guard bytes.count <= 64 else { return nil }
    var content = Array(bytes.drop(while: MarkupTag.isSpace))
    while let last = content.last, MarkupTag.isSpace(last) { content.removeLast() }
    let parts = content.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard (1...3).contains(parts.count), let last = parts.last else { return nil }
    let mark = last.firstIndex { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ",") }
    var seconds = 0
    for (place, part) in parts.enumerated() {
      let digits = place == parts.count - 1 ? part[..<(mark ?? part.endIndex)] : part
      guard let value = number(digits) else { return nil }
      // Seven digits, times sixty twice, cannot overflow.
      seconds = seconds * 60 + value
    }
    guard let fraction = milliseconds(fraction: last[(mark ?? last.endIndex)...].dropFirst()) else {
      return nil
    }
    let sum = seconds * 1000 + fraction
    return sum <= maximum ? sum : nil
  }

  /// The milliseconds of a value in JSON: seconds as a number, or any of the texts above.
  static func milliseconds(_ value: JSONValue?) -> Int? {
    switch value {
    case .string(let text)?: return milliseconds(text.utf8)
    case .number(let text)?:
      // Not a text with digits alone: JSON may write `1.5e2`.
      guard let seconds = Double(text), seconds >= 0, seconds <= Double(maximum) / 1000 else {
        return nil
      }
      return Int((seconds * 1000).rounded())
    default: return nil
    }
  }

  /// The first three digits behind the mark.
  private static func milliseconds(fraction: ArraySlice<UInt8>) -> Int? {
    guard fraction.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    var value = 0
    for place in 0..<3 {
      let digit = fraction.count > place ? fraction[fraction.startIndex + place] - 0x30 : 0
      value = value * 10 + Int(digit)
    }
    return value
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    guard (1...7).contains(digits.count) else { return nil }
    var value = 0
    for byte in digits {
      guard (0x30...0x39).contains(byte) else { return nil }
      value = value * 10 + Int(byte - 0x30)
    }
    return value
  }
}
