/// What a terminal answers to ``TerminalQuestions``. Anybody can write such bytes into a terminal's
/// input: only what is needed is kept, and numbers have limits.
package enum TerminalAnswer: Sendable, Hashable {
  /// The name and the version (XTVERSION).
  case version(String)
  /// Whether its background is light (OSC 11).
  case background(isLight: Bool)
  /// Whether it has kitty's graphics protocol.
  case kittyGraphics(Bool)
  /// The pixels of a cell.
  case cell(CellSize)
  /// How many colors sixels may have (XTSMGRAPHICS).
  case sixelColors(Int)
  /// Whether it knows synchronized output (mode 2026, DECRQM).
  case synchronizedOutput(Bool)
  /// Whether it has sixels, by its attributes (DA1). This is always the last answer.
  case attributes(hasSixel: Bool)

  /// The longest parts of strings that are read.
  static let longestString = 256
  private static let longestName = 64

  /// Reads a control sequence; nil for anything but an answer.
  ///
  /// - Parameters:
  ///   - parameters: the bytes between CSI and the last one.
  ///   - final: the last byte.
  init?(parameters: [UInt8], final: UInt8) {
    let text = String(decoding: parameters, as: UTF8.self)
    switch final {
    case UInt8(ascii: "c"):
      guard let hasSixel = Self.hasSixel(text) else { return nil }
      self = .attributes(hasSixel: hasSixel)
    case UInt8(ascii: "t"):
      // Height comes before width.
      guard let numbers = Self.numbers(text), numbers.count == 3, numbers[0] == 6,
        let cell = CellSize(checking: numbers[2], numbers[1])
      else { return nil }
      self = .cell(cell)
    case UInt8(ascii: "y"):
      guard text.hasPrefix("?"), text.hasSuffix("$"),
        let numbers = Self.numbers(String(text.dropFirst().dropLast())), numbers.count == 2,
        numbers[0] == 2026
      else { return nil }
      // Set or reset, and not fixed at either.
      self = .synchronizedOutput(numbers[1] == 1 || numbers[1] == 2)
    case UInt8(ascii: "S"):
      // The first item, without an error.
      guard text.hasPrefix("?"), let numbers = Self.numbers(String(text.dropFirst())),
        numbers.count >= 3, numbers[0] == 1, numbers[1] == 0, numbers[2] >= 2
      else { return nil }
      self = .sixelColors(min(numbers[2], 1 << 16))
    default: return nil
    }
  }

  /// Reads a string without its beginning and its end; nil for anything but an answer.
  ///
  /// - Parameters:
  ///   - kind: the byte after ESC: `_` for APC, `P` for DCS, `]` for OSC.
  ///   - content: the string.
  init?(kind: UInt8, content: [UInt8]) {
    let text = String(decoding: content, as: UTF8.self)
    if kind == UInt8(ascii: "_"), text.hasPrefix("G") {
      let parts = text.dropFirst().split(separator: ";", maxSplits: 1)
      guard parts.count == 2,
        parts[0].split(separator: ",").contains("i=\(TerminalQuestions.imageNumber)")
      else { return nil }
      self = .kittyGraphics(parts[1] == "OK")
    } else if kind == UInt8(ascii: "P"), text.hasPrefix(">|") {
      self = .version(String(text.dropFirst(2).prefix(Self.longestName)))
    } else if kind == UInt8(ascii: "]"), text.hasPrefix("11;"),
      let isLight = Self.isLight(text.dropFirst(3))
    {
      self = .background(isLight: isLight)
    } else {
      return nil
    }
  }

  /// Whether an answer of this kind may begin with a byte; otherwise both are keys.
  static func mayBegin(_ kind: UInt8, _ byte: UInt8) -> Bool {
    switch kind {
    case UInt8(ascii: "]"): (0x30...0x39).contains(byte)
    case UInt8(ascii: "P"): (0x30...0x39).contains(byte) || ">!+$|=".utf8.contains(byte)
    case UInt8(ascii: "_"): byte == UInt8(ascii: "G")
    default: false
    }
  }

  /// Whether a color is light; nil if it is none. It is written as in X11: `rgb:ff/ff/ff`, with one to four
  /// digits each.
  private static func isLight(_ text: Substring) -> Bool? {
    guard text.hasPrefix("rgb:") || text.hasPrefix("rgba:") else { return nil }
    let levels = text.drop { $0 != ":" }.dropFirst().split(separator: "/").prefix(3).map {
      field -> Double? in
      guard (1...4).contains(field.utf8.count), let level = UInt32(field, radix: 16) else {
        return nil
      }
      return Double(level) / Double((1 << (4 * field.utf8.count)) - 1)
    }
    guard levels.count == 3, let red = levels[0], let green = levels[1], let blue = levels[2] else {
      return nil
    }
    return 0.299 * red + 0.587 * green + 0.114 * blue > 0.5
  }

  /// Whether attributes have sixels; nil if they are none. The first parameter is a class: 4 there is
  /// another terminal, and after it sixels.
  private static func hasSixel(_ text: String) -> Bool? {
    guard text.hasPrefix("?"), let numbers = numbers(String(text.dropFirst())) else { return nil }
    // Terminals that were patched to have sixels kept their old class.
    if numbers == [1, 2, 4] || numbers == [12, 4] { return true }
    return (61...65).contains(numbers[0]) && numbers.dropFirst().contains(4)
  }

  /// Numbers between semicolons, at least one; none at all is zero. Nil for anything else.
  private static func numbers(_ text: String) -> [Int]? {
    var numbers: [Int] = []
    for field in text.split(separator: ";", omittingEmptySubsequences: false) {
      guard field.utf8.count <= 9, field.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
        let number = field.isEmpty ? 0 : Int(field)
      else { return nil }
      numbers.append(number)
    }
    return numbers
  }
}
