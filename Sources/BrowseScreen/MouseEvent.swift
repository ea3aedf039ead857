/// What a mouse does on the screen, as terminals report it (xterm, mode 1006).
package struct MouseEvent: Sendable, Hashable {
  /// What happened.
  package enum Kind: Sendable, Hashable { case press, wheelUp, wheelDown }

  /// The largest place that is believed.
  private static let largestPlace = 10_000

  /// What happened.
  package var kind: Kind
  /// The cell, from 0 at the top and at the left.
  package var row: Int
  package var column: Int

  /// Creates an event.
  package init(_ kind: Kind, row: Int, column: Int) {
    self.kind = kind
    self.row = row
    self.column = column
  }

  /// Reads a report; nil for releases, movements and other buttons.
  ///
  /// - Parameters:
  ///   - parameters: the bytes between CSI and the last one: `<`, the button, the column, the row.
  ///   - final: the last byte, `M` for a press.
  init?(parameters: [UInt8], final: UInt8) {
    guard final == UInt8(ascii: "M"), parameters.first == UInt8(ascii: "<") else { return nil }
    let fields = parameters.dropFirst().split(
      separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
    guard fields.count == 3 else { return nil }
    var numbers: [Int] = []
    for field in fields {
      guard (1...5).contains(field.count), field.allSatisfy({ (0x30...0x39).contains($0) }),
        let number = Int(String(decoding: field, as: UTF8.self))
      else { return nil }
      numbers.append(number)
    }
    let places = 1...Self.largestPlace
    guard places.contains(numbers[1]), places.contains(numbers[2]) else { return nil }
    // Shift, Alt and Ctrl do not matter.
    switch numbers[0] & ~0b11100 {
    case 0: kind = .press
    case 64: kind = .wheelUp
    case 65: kind = .wheelDown
    default: return nil
    }
    column = numbers[1] - 1
    row = numbers[2] - 1
  }
}
