/// How many colors a terminal has for half blocks.
package enum ColorDepth: Sendable, Hashable {
  /// All.
  case full
  /// The 256 of xterm's palette.
  case palette
}

/// A color of one half of a cell.
package enum BlockColor: Sendable, Hashable {
  /// Red, green and blue.
  case rgb(UInt8, UInt8, UInt8)
  /// An entry of xterm's palette.
  case palette(UInt8)

  /// The six levels of the palette's colors.
  private static let levels: [Int] = [0, 95, 135, 175, 215, 255]

  /// The nearest color of a depth.
  package init(_ color: (red: UInt8, green: UInt8, blue: UInt8), _ depth: ColorDepth) {
    let (red, green, blue) = color
    guard depth == .palette else {
      self = .rgb(red, green, blue)
      return
    }
    let values = [Int(red), Int(green), Int(blue)]
    // The cube of colors begins at 16, the 24 greys, ten apart, at 232.
    let steps = values.map(Self.nearestLevel)
    let cube = 16 + steps[0] * 36 + steps[1] * 6 + steps[2]
    let step = min(max(0, (values.reduce(0, +) / 3 - 3) / 10), 23)
    let isGreyNearer =
      Self.distance(values, Array(repeating: 8 + 10 * step, count: 3))
      < Self.distance(values, steps.map { Self.levels[$0] })
    self = .palette(UInt8(isGreyNearer ? 232 + step : cube))
  }

  /// The parameters of SGR after `38;` or `48;`.
  var parameters: String {
    switch self {
    case .rgb(let red, let green, let blue): "2;\(red);\(green);\(blue)"
    case .palette(let entry): "5;\(entry)"
    }
  }

  private static func nearestLevel(_ value: Int) -> Int {
    value < 48 ? 0 : value < 115 ? 1 : min(5, (value - 35) / 40)
  }

  private static func distance(_ first: [Int], _ second: [Int]) -> Int {
    zip(first, second).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
  }
}

/// The colors of a cell that shows a part of an image; nil is the terminal's own color.
package struct CellColors: Sendable, Hashable {
  /// The color of the character.
  package var foreground: BlockColor?
  /// The color behind it.
  package var background: BlockColor?

  /// The control sequence that adds these to no style at all.
  var sequence: String {
    var codes = "0"
    if let foreground { codes += ";38;\(foreground.parameters)" }
    if let background { codes += ";48;\(background.parameters)" }
    return "\u{1B}[\(codes)m"
  }
}
