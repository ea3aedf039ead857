import BrowseScreen

/// What a terminal sends to `podget browse`: keys and answers, in pieces of any size.
enum KeysFuzzing {
  static func run(_ input: inout FuzzInput) throws {
    let piece = input.choice(7) + 1
    let choice = ImageChoice.allCases[input.choice(ImageChoice.allCases.count)]
    let bytes = input.remaining()

    var whole = KeyDecoder()
    var keys = whole.keys(bytes)
    let answers = whole.takeAnswers()
    var pieces = KeyDecoder()
    var start = 0
    var others: [Key] = []
    while start < bytes.count {
      let end = min(start + piece, bytes.count)
      others += pieces.keys(bytes[start..<end])
      start = end
    }
    try FuzzFailure.require(others == keys, "In pieces of \(piece): \(others), else \(keys)")
    try FuzzFailure.require(pieces.takeAnswers() == answers, "Other answers in pieces.")
    keys += whole.end()
    try FuzzFailure.require(
      whole.keys([UInt8(ascii: "q")]) == [.character("q")], "The input never ends.")
    try FuzzFailure.require(keys.count <= bytes.count, "\(keys.count) keys")
    for key in keys { try check(key) }
    try check(answers, choice)
  }

  private static func check(_ key: Key) throws {
    let text: String
    switch key {
    case .character(let character): text = String(character)
    case .paste(let pasted): text = pasted
    case .mouse(let mouse):
      return try FuzzFailure.require(
        (0..<10_000).contains(mouse.row) && (0..<10_000).contains(mouse.column), "\(mouse)")
    default: return
    }
    try FuzzFailure.require(
      text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value) },
      "A control character in \(key)")
  }

  private static func check(_ answers: [TerminalAnswer], _ choice: ImageChoice) throws {
    var images = TerminalImages(
      choice, TerminalEnvironment(["TERM": "xterm-256color"]), hasColor: true, isUTF8: true)
    for answer in answers {
      images.take(answer)
      if case .version(let name) = answer {
        try FuzzFailure.require(name.count <= 64, "A name of \(name.count) characters")
      }
    }
    try FuzzFailure.require(
      (2...200).contains(images.cell.width) && (2...200).contains(images.cell.height),
      "Cells of \(images.cell)")
    if case .sixel(let colors)? = images.method {
      try FuzzFailure.require((2...256).contains(colors), "\(colors) colors")
    }
    let hasKitty = answers.contains(.kittyGraphics(true))
    try FuzzFailure.require(
      images.method != .kitty || choice == .kitty || hasKitty, "kitty without its answer")
  }
}
