@testable import PodcastModel

/// Text on its way to a terminal: nothing that the terminal obeys, and no more columns than there are.
enum TextFuzzing {
  static func run(_ input: inout FuzzInput) throws {
    let columns = input.choice(40)
    let text = String(decoding: input.remaining(), as: UTF8.self)
    let safe = TerminalText.safe(text)
    try FuzzFailure.require(!safe.unicodeScalars.contains(where: isObeyed), "Unsafe: \(text)")
    try FuzzFailure.require(TerminalText.safe(safe) == safe, "Made safe twice is another text.")

    let (measured, width) = TerminalText.measured(text)
    try FuzzFailure.require(
      measured == safe && width == TerminalText.width(safe), "Measured otherwise than made safe.")
    try FuzzFailure.require(
      width >= 0 && width <= 2 * safe.unicodeScalars.count, "\(width) columns for \(safe)")
    if let simple = PlainText.columns(of: text) {
      let slow = text.reduce(0) { $0 + ColumnWidth.of($1) }
      try FuzzFailure.require(simple == slow, "\(simple) columns, or \(slow).")
    }
    for short in [
      TerminalText.truncated(safe, to: columns), TerminalText.shortened(safe, to: columns),
    ] {
      let taken = TerminalText.width(short)
      try FuzzFailure.require(taken <= columns, "\(taken) of \(columns) columns: \(short)")
      let padded = TerminalText.width(TerminalText.padded(short, to: columns))
      try FuzzFailure.require(padded == columns, "\(padded) of \(columns) columns when padded.")
    }
    let composed = text.composed
    try FuzzFailure.require(composed == text, "Another text in its composed form.")
    try FuzzFailure.require(
      composed.composed.unicodeScalars.elementsEqual(composed.unicodeScalars),
      "Composed twice is another form.")
  }

  /// What a terminal obeys, and what hides or reverses the text next to it.
  private static func isObeyed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0x2028, 0x2029:
      true
    case 0xFEFF, 0x200B, 0xE0000...0xE00FF: true
    default: false
    }
  }
}
