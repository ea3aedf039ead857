/// Draws sixels as a terminal does, for comparison.
struct SixelReader {
  /// The size that the image says it has.
  private(set) var width = 0
  private(set) var height = 0
  /// How many colors it defines.
  var colorCount: Int { colors.count }
  /// Whether it is one complete image of known commands.
  private(set) var isComplete = false

  private var colors: [Int: [Int]] = [:]
  private var pixels: [Int: [Int: [Int]]] = [:]

  /// Reads the control string of an image.
  init(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    let begin = "\u{1B}P0;1;0q\""
    guard text.hasPrefix(begin), text.hasSuffix("\u{1B}\\") else { return }
    var rest = Array(text.dropFirst(begin.count).dropLast(2).utf8)[...]
    let raster = Self.numbers(&rest)
    guard raster.count == 4, raster[0] == 1, raster[1] == 1 else { return }
    (width, height) = (raster[2], raster[3])
    var (column, band, color) = (0, 0, -1)
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "#"):
        let numbers = Self.numbers(&rest)
        if numbers.count == 5, numbers[1] == 2 {
          colors[numbers[0]] = Array(numbers[2...])
        } else if numbers.count == 1 {
          color = numbers[0]
        } else {
          return
        }
      case UInt8(ascii: "$"): column = 0
      case UInt8(ascii: "-"): (column, band) = (0, band + 1)
      case UInt8(ascii: "!"):
        guard let count = Self.numbers(&rest).first, let sixel = rest.popFirst() else { return }
        for _ in 0..<count { draw(sixel, &column, band, color) }
      case 0x3F...0x7E: draw(byte, &column, band, color)
      default: return
      }
    }
    isComplete = true
  }

  /// The color of a pixel in percent; nil where nothing was drawn.
  func percent(_ x: Int, _ y: Int) -> [Int]? { pixels[y]?[x] }

  /// Whether something was drawn outside the image.
  var isOutside: Bool {
    pixels.contains { y, row in y >= height || row.keys.contains { $0 >= width } }
  }

  private mutating func draw(_ byte: UInt8, _ column: inout Int, _ band: Int, _ color: Int) {
    for bit in 0..<6 where (byte - 0x3F) >> UInt8(bit) & 1 == 1 {
      pixels[band * 6 + bit, default: [:]][column] = colors[color]
    }
    column += 1
  }

  private static func numbers(_ rest: inout ArraySlice<UInt8>) -> [Int] {
    let text = rest.prefix { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ";") }
    rest = rest.dropFirst(text.count)
    return text.split(separator: UInt8(ascii: ";")).compactMap {
      Int(String(decoding: $0, as: UTF8.self))
    }
  }
}
