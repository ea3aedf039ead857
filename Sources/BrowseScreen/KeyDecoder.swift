/// Turns the bytes of a terminal into keys, however they are cut into pieces.
///
/// Answers of the terminal are kept apart from the keys, whenever they come. Unknown sequences are
/// ignored, and so are answers to questions of other programs.
package struct KeyDecoder: Sendable {
  private enum State: Sendable, Hashable {
    case ground
    /// After ESC.
    case escape
    /// In a control sequence (CSI), with its parameters.
    case control([UInt8])
    /// After ESC O (SS3).
    case shifted
    /// In a string (OSC, DCS, APC, PM, SOS), with the byte that began it and how many have come;
    /// whether ESC was the last one.
    case string(UInt8, Int, Bool)
    /// In a character of several bytes, with how many are missing.
    case character([UInt8], Int)
    /// In pasted text.
    case paste
    /// Before the last byte of a function key of the Linux console.
    case functionKey
    /// In the report of a mouse by a terminal that does not know mode 1006, with how many bytes are
    /// missing.
    case oldMouse(Int)
  }

  /// The longest control sequence, string and pasted text that count.
  private static let longestSequence = 256
  private static let longestString = 1 << 16
  private static let longestPaste = 4096
  /// How many answers are kept until they are taken; there are fewer questions.
  private static let mostAnswers = 16
  /// No key begins as these answers do, and the rest of one must not count as keys.
  private static let answerPatience: Duration = .milliseconds(600)
  private static let pasteEnd = Array("\u{1B}[201~".utf8)

  private var state = State.ground
  private var pasted: [UInt8] = []
  /// The beginning of the string.
  private var content: [UInt8] = []
  private var answers: [TerminalAnswer] = []

  /// Creates a decoder at the beginning of input.
  package init() {}

  /// How long the rest of what has begun may take after the last byte; nil when nothing has begun.
  /// If nothing comes by then, call ``end()``.
  package var patience: Duration? {
    switch state {
    case .ground: nil
    // Less than a person notices, more than a slow line needs for the rest of a sequence.
    case .escape: .milliseconds(60)
    case .control(let parameters) where parameters.first == UInt8(ascii: "?"): Self.answerPatience
    case .control, .shifted, .character, .functionKey, .oldMouse: .milliseconds(120)
    case .string: Self.answerPatience
    // If a paste ended early, the rest of its text would count as keys.
    case .paste: .seconds(5)
    }
  }

  /// The keys in the next bytes.
  package mutating func keys(_ bytes: some Sequence<UInt8>) -> [Key] {
    var keys: [Key] = []
    for byte in bytes { take(byte, &keys) }
    return keys
  }

  /// The answers since the last call.
  package mutating func takeAnswers() -> [TerminalAnswer] {
    defer { answers = [] }
    return answers
  }

  /// The keys that are complete because nothing follows: ESC alone is a key, and so is pasted text
  /// without its end. Other unfinished sequences are ignored, so that the next keys count again.
  package mutating func end() -> [Key] {
    defer { state = .ground }
    switch state {
    case .escape: return [.escape]
    case .paste: return pastedKeys(pasted[...])
    // Nothing followed: Esc and another key were pressed, and tmux sent them together.
    case .control([]): return [.escape, .character("[")]
    case .shifted: return [.escape, .character("O")]
    case .string(let kind, 0, false): return Self.keys(ofString: kind)
    case .ground, .control, .string, .character, .functionKey, .oldMouse: return []
    }
  }
}

extension KeyDecoder {
  private mutating func take(_ byte: UInt8, _ keys: inout [Key]) {
    switch state {
    case .ground: begin(byte, &keys)
    case .escape: escaped(byte, &keys)
    case .shifted:
      state = .ground
      guard byte >= 0x30, byte < 0x7F else {
        keys += [.escape, .character("O")]
        return begin(byte, &keys)
      }
      if byte == UInt8(ascii: "M") { keys.append(.enter) }
      if let key = Self.letter(byte) { keys.append(key) }
    case .functionKey: state = .ground
    case .oldMouse(let missing):
      // Its bytes are from 32 on: a smaller one is a key.
      state = missing > 1 ? .oldMouse(missing - 1) : .ground
      if byte < 0x20 { begin(byte, &keys) }
    case .control(let parameters): control(byte, parameters, &keys)
    case .string(let kind, let count, let wasEscape):
      string(byte, kind, count, wasEscape, &keys)
    case .character(let bytes, let missing): character(byte, bytes, missing, &keys)
    case .paste: paste(byte, &keys)
    }
  }

  private mutating func begin(_ byte: UInt8, _ keys: inout [Key]) {
    state = .ground
    switch byte {
    case 0x1B: state = .escape
    case 0x0D, 0x0A: keys.append(.enter)
    case 0x09: keys.append(.tab)
    case 0x7F, 0x08: keys.append(.backspace)
    case 0x00: break
    case 0x01...0x1A: keys.append(.control(Character(Unicode.Scalar(byte | 0x60))))
    case 0x1C...0x1F: break
    case 0x20..<0x7F: keys.append(.character(Character(Unicode.Scalar(byte))))
    case 0xC2...0xDF: state = .character([byte], 1)
    case 0xE0...0xEF: state = .character([byte], 2)
    case 0xF0...0xF4: state = .character([byte], 3)
    default: break
    }
  }

  private mutating func escaped(_ byte: UInt8, _ keys: inout [Key]) {
    switch byte {
    case UInt8(ascii: "["): state = .control([])
    case UInt8(ascii: "O"): state = .shifted
    case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "_"), UInt8(ascii: "^"),
      UInt8(ascii: "X"):
      state = .string(byte, 0, false)
      content = []
    case 0x1B: keys.append(.escape)
    // The end of a string that broke off.
    case UInt8(ascii: "\\"): state = .ground
    default:
      // Esc and a key soon after it, which tmux sends together. A key with Alt is the same.
      keys.append(.escape)
      begin(byte, &keys)
    }
  }

  private mutating func control(_ byte: UInt8, _ parameters: [UInt8], _ keys: inout [Key]) {
    switch byte {
    case 0x40...0x7E:
      // The Linux console sends its function keys as ESC [ [ and a letter.
      if byte == UInt8(ascii: "["), parameters.isEmpty {
        state = .functionKey
        return
      }
      // The three bytes that follow must not count as keys.
      if byte == UInt8(ascii: "M"), parameters.isEmpty {
        state = .oldMouse(3)
        return
      }
      state = .ground
      finish(byte, parameters, &keys)
    case 0x20...0x3F:
      // One that is too long is ignored up to its end: the rest must not count as keys.
      if parameters.count <= Self.longestSequence { state = .control(parameters + [byte]) }
    case 0x1B: state = .escape
    default: state = .ground
    }
  }

  private mutating func finish(_ final: UInt8, _ parameters: [UInt8], _ keys: inout [Key]) {
    guard parameters.count <= Self.longestSequence else { return }
    if let answer = TerminalAnswer(parameters: parameters, final: final) { return keep(answer) }
    if let mouse = MouseEvent(parameters: parameters, final: final) {
      keys.append(.mouse(mouse))
      return
    }
    guard parameters.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ";") }) else {
      return
    }
    let fields = parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
    guard final == UInt8(ascii: "~") else {
      // An answer such as a cursor report has other letters, or more parameters.
      if fields.count <= 2, let key = Self.letter(final) { keys.append(key) }
      return
    }
    switch fields.first.map({ String(decoding: $0, as: UTF8.self) }) {
    case "1", "7": keys.append(.home)
    case "4", "8": keys.append(.end)
    case "3": keys.append(.delete)
    case "5": keys.append(.pageUp)
    case "6": keys.append(.pageDown)
    case "200":
      pasted = []
      state = .paste
    default: break
    }
  }

  private static func letter(_ byte: UInt8) -> Key? {
    switch byte {
    case UInt8(ascii: "A"): .up
    case UInt8(ascii: "B"): .down
    case UInt8(ascii: "C"): .right
    case UInt8(ascii: "D"): .left
    case UInt8(ascii: "H"): .home
    case UInt8(ascii: "F"): .end
    case UInt8(ascii: "Z"): .backTab
    default: nil
    }
  }

  private mutating func string(
    _ byte: UInt8, _ kind: UInt8, _ count: Int, _ wasEscape: Bool, _ keys: inout [Key]
  ) {
    if count == 0, !wasEscape, !TerminalAnswer.mayBegin(kind, byte) {
      keys += Self.keys(ofString: kind)
      return begin(byte, &keys)
    }
    if wasEscape {
      state = .ground
      if byte == UInt8(ascii: "\\") {
        keepString(kind, count)
      } else {
        // Anything but ST begins a new sequence (ECMA-48, section 5.6).
        state = .escape
        escaped(byte, &keys)
      }
    } else if byte == 0x07 || byte == 0x18 || byte == 0x1A || count >= Self.longestString {
      state = .ground
      // Some terminals end OSC as xterm did at first.
      if byte == 0x07, kind == UInt8(ascii: "]") { keepString(kind, count) }
    } else {
      state = .string(kind, count + (byte == 0x1B ? 0 : 1), byte == 0x1B)
      if byte != 0x1B, content.count < TerminalAnswer.longestString { content.append(byte) }
    }
  }

  /// The keys that were pressed where no string follows.
  private static func keys(ofString kind: UInt8) -> [Key] {
    [.escape, .character(Character(Unicode.Scalar(kind)))]
  }

  private mutating func keepString(_ kind: UInt8, _ count: Int) {
    guard count <= TerminalAnswer.longestString else { return }
    if let answer = TerminalAnswer(kind: kind, content: content) { keep(answer) }
  }

  private mutating func keep(_ answer: TerminalAnswer) {
    if answers.count < Self.mostAnswers { answers.append(answer) }
  }

  private mutating func character(
    _ byte: UInt8, _ bytes: [UInt8], _ missing: Int, _ keys: inout [Key]
  ) {
    guard (0x80..<0xC0).contains(byte) else { return begin(byte, &keys) }
    let bytes = bytes + [byte]
    guard missing == 1 else {
      state = .character(bytes, missing - 1)
      return
    }
    state = .ground
    guard let text = String(validating: bytes, as: UTF8.self), let character = text.first,
      (text.unicodeScalars.first?.value ?? 0) >= 0xA0
    else { return }
    keys.append(.character(character))
  }

  private mutating func paste(_ byte: UInt8, _ keys: inout [Key]) {
    pasted.append(byte)
    guard pasted.suffix(Self.pasteEnd.count).elementsEqual(Self.pasteEnd) else {
      // The end must be found, however much is pasted.
      if pasted.count > Self.longestPaste + Self.pasteEnd.count {
        pasted.remove(at: Self.longestPaste)
      }
      return
    }
    state = .ground
    keys += pastedKeys(pasted.dropLast(Self.pasteEnd.count))
  }

  private mutating func pastedKeys(_ bytes: ArraySlice<UInt8>) -> [Key] {
    let text = String(decoding: bytes, as: UTF8.self)
    pasted = []
    let kept = text.unicodeScalars.map { scalar -> Unicode.Scalar in
      scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) ? " " : scalar
    }
    return kept.isEmpty ? [] : [.paste(String(String.UnicodeScalarView(kept)))]
  }
}
