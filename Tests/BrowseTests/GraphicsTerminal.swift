import Foundation

@testable import BrowseScreen

/// A terminal with graphics, from the bytes that it gets: its cells, its images, where they are.
struct GraphicsTerminal {
  /// An image that was sent by kitty's protocol.
  struct Image: Equatable {
    var width = 0
    var height = 0
    var channels = 3
    var data: [UInt8] = []
  }

  /// The rows as text.
  private(set) var rows: [[Character]]
  /// The images that are stored, by their numbers.
  private(set) var images: [Int: Image] = [:]
  /// Where they are placed, by the numbers of images and placements.
  private(set) var places: [[Int]: CellArea] = [:]
  /// Where images are placed that are placed once.
  var placements: [Int: CellArea] {
    Dictionary(places.map { ($0.key[0], $0.value) }, uniquingKeysWith: { first, _ in first })
  }
  /// The sixel images that were complete, with where they began.
  private(set) var sixels: [(row: Int, column: Int, image: SixelReader)] = []
  /// How many sixel images were cancelled.
  private(set) var cancelledSixels = 0
  /// What was wrong.
  private(set) var mistakes: [String] = []
  /// All control strings, as they came.
  private(set) var strings: [String] = []

  private var row = 0
  private var column = 0
  private var loading: (number: Int, image: Image)?
  private var rest: [UInt8] = []

  init(_ size: ScreenSize) {
    rows = Array(repeating: Array(repeating: " ", count: size.columns), count: size.rows)
  }

  /// Whether an image is being sent, or a control sequence is not complete.
  var isBusy: Bool { loading != nil || !rest.isEmpty }

  /// The text of a row.
  func line(_ row: Int) -> String {
    var line = rows[row]
    while line.last == " " { line.removeLast() }
    return String(line)
  }

  /// Takes bytes, in pieces of any size.
  mutating func show(_ bytes: some Sequence<UInt8>) {
    rest += bytes
    while let used = take() { rest.removeFirst(used) }
  }

  /// Takes the next character or sequence; how many bytes it had, nil if it is not complete.
  private mutating func take() -> Int? {
    guard let first = rest.first else { return nil }
    guard first == 0x1B else {
      let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
      guard rest.count >= length else { return nil }
      put(Character(String(decoding: rest[..<length], as: UTF8.self)))
      return length
    }
    guard rest.count > 1 else { return nil }
    switch rest[1] {
    case UInt8(ascii: "["):
      guard let end = rest.dropFirst(2).firstIndex(where: { (0x40...0x7E).contains($0) }) else {
        return nil
      }
      control(String(decoding: rest[2..<end], as: UTF8.self), rest[end])
      return end + 1
    case UInt8(ascii: "_"), UInt8(ascii: "P"):
      guard let end = rest.dropFirst(2).firstIndex(of: 0x1B), end + 1 < rest.count else {
        return nil
      }
      guard rest[end + 1] == UInt8(ascii: "\\") else {
        mistakes.append("a control string has no end")
        return end
      }
      let text = String(decoding: rest[2..<end], as: UTF8.self)
      strings.append(text)
      if rest[1] == UInt8(ascii: "_") {
        graphics(text)
      } else {
        sixel(Array(rest[..<(end + 2)]))
      }
      return end + 2
    case UInt8(ascii: "\\"): return 2
    default:
      mistakes.append("ESC \(rest[1])")
      return 2
    }
  }

  private mutating func put(_ character: Character) {
    for (number, area) in places where area.contains(row: row, column: column) {
      mistakes.append("\(character) is written over the image \(number)")
    }
    if row < rows.count, column < rows[row].count { rows[row][column] = character }
    column += 1
  }

  private mutating func control(_ parameters: String, _ final: UInt8) {
    let numbers = parameters.split(separator: ";").compactMap { Int($0) }
    switch final {
    case UInt8(ascii: "H"): (row, column) = ((numbers.first ?? 1) - 1, (numbers.last ?? 1) - 1)
    case UInt8(ascii: "J"):
      for row in rows.indices { rows[row] = rows[row].map { _ in " " } }
      (places, images) = ([:], [:])
    case UInt8(ascii: "K"):
      for place in (numbers.first == 2 ? 0 : column)..<rows[row].count { rows[row][place] = " " }
    default: break
    }
  }

  private mutating func sixel(_ bytes: [UInt8]) {
    let image = SixelReader(bytes)
    guard image.isComplete, image.percent(image.width - 1, image.height - 1) != nil else {
      cancelledSixels += 1
      return
    }
    sixels.append((row, column, image))
  }

  private mutating func graphics(_ text: String) {
    guard text.hasPrefix("G") else { return mistakes.append("an unknown string \(text)") }
    let parts = text.dropFirst().split(
      separator: ";", maxSplits: 1, omittingEmptySubsequences: false)
    var keys: [String: String] = [:]
    for part in parts[0].split(separator: ",") {
      let pair = part.split(separator: "=")
      keys[String(pair[0])] = String(pair[1])
    }
    func number(_ key: String) -> Int { keys[key].flatMap { Int($0) } ?? 0 }
    if keys["q"] != "2" { mistakes.append("an answer is wanted: \(parts[0])") }
    if text.utf8.count + 4 > 4096 { mistakes.append("a part of \(text.utf8.count) bytes") }
    let payload = parts.count > 1 ? Array(String(parts[1]).utf8) : []
    switch keys["a"] {
    case "t":
      if loading != nil { mistakes.append("two images at once") }
      loading = (
        number("i"),
        Image(width: number("s"), height: number("v"), channels: number("f") / 8, data: payload)
      )
      finish(number("m"))
    case nil:
      // A last part without a first one is an error that nobody sees.
      guard loading != nil else { return }
      loading?.image.data += payload
      finish(number("m"))
    case "p":
      if loading != nil { mistakes.append("a placement within an image") }
      guard images[number("i")] != nil else {
        return mistakes.append("the image \(number("i")) is not there")
      }
      if keys["C"] != "1" { mistakes.append("the cursor is moved") }
      places[[number("i"), number("p")]] = CellArea(
        row: row, column: column, rows: number("r"), columns: number("c"))
    case "d":
      if loading != nil { mistakes.append("a deletion within an image") }
      if keys["d"] == "I" {
        images[number("i")] = nil
        places = places.filter { $0.key[0] != number("i") }
      }
      places[[number("i"), number("p")]] = nil
    default: mistakes.append("a=\(keys["a"] ?? "")")
    }
  }

  private mutating func finish(_ more: Int) {
    guard more == 0, let (number, image) = loading else { return }
    loading = nil
    var complete = image
    complete.data = Data(base64Encoded: Data(image.data)).map(Array.init) ?? []
    // A terminal refuses pixels that are too few.
    guard complete.data.count == image.width * image.height * image.channels else { return }
    images[number] = complete
  }
}
