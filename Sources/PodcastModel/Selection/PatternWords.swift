/// Words that a document must have, in any case, for a regular expression to match in its text: a
/// search for bytes leaves out most documents before they are parsed.
package struct PatternWords: Sendable, Hashable {
  /// The words of each alternative in lower case, of ASCII letters and digits only: a document has all
  /// those of one of them. None if every document may match.
  let alternatives: [[[UInt8]]]

  /// A single letter is in nearly every text.
  private static let shortest = 2

  /// The words of an expression. It has none where it has classes, escapes, or groups but one around
  /// all of it.
  package init(_ pattern: TitlePattern) {
    var text = Array(pattern.pattern.unicodeScalars)[...]
    if text.first == "(", text.last == ")", text.dropFirst().first != "?" {
      text = text.dropFirst().dropLast()
    }
    guard !text.contains(where: { Self.structure.contains($0) }) else {
      alternatives = []
      return
    }
    let all = text.split(separator: "|", omittingEmptySubsequences: false).map(Self.words)
    // One that has no words may match anything.
    alternatives = all.contains(where: \.isEmpty) ? [] : all
  }

  private static let structure: Set<Unicode.Scalar> = ["(", ")", "[", "]", "{", "}", "\\"]

  /// The words of an alternative.
  private static func words(_ text: ArraySlice<Unicode.Scalar>) -> [[UInt8]] {
    var words: [[UInt8]] = []
    var word: [UInt8] = []
    func end() {
      if word.count >= shortest { words.append(word) }
      word = []
    }
    for scalar in text {
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9":
        let byte = UInt8(truncatingIfNeeded: scalar.value)
        word.append(scalar.value < 0x40 ? byte : byte | 0x20)
      case "*", "?", "\u{80}"...:
        // The character before may be missing, or be one with what follows.
        _ = word.popLast()
        end()
      default: end()
      }
    }
    end()
    return words
  }

  /// Whether a text has the words of an alternative.
  private func areIn(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    alternatives.isEmpty
      || alternatives.contains { $0.allSatisfy { Self.contains(text, $0) } }
  }

  /// Whether the text of a document may match: it has all words, or a word may be written in another
  /// way.
  package func mayMatch(_ document: UnsafeBufferPointer<UInt8>) -> Bool {
    areIn(document) || Self.mayHideWords(document)
  }

  /// The same for a text without markup.
  package func mayMatch(_ text: String) -> Bool {
    guard !alternatives.isEmpty else { return true }
    var text = text
    return text.withUTF8 { bytes in
      areIn(bytes) || Self.hasOtherLetters(bytes)
    }
  }

  private static func contains(_ text: UnsafeBufferPointer<UInt8>, _ word: [UInt8]) -> Bool {
    guard let first = word.first, text.count >= word.count else { return false }
    return word.withUnsafeBufferPointer { word in
      // Digits have the bit already; what else becomes equal to a letter by it is none.
      let last = text.count - word.count
      var index = 0
      while index <= last {
        if text[index] | 0x20 == first {
          var place = 1
          while place < word.count, text[index + place] | 0x20 == word[place] { place += 1 }
          if place == word.count { return true }
        }
        index += 1
      }
      return false
    }
  }

  /// Whether letters may be numeric references of HTML, escapes of JSON or UTF-16, or be apart: by tags,
  /// comments, styles, commands in braces or characters that are dropped.
  static func mayHideWords<Text: RandomAccessCollection>(_ text: Text) -> Bool
  where Text.Element == UInt8, Text.Index == Int {
    special.withUnsafeBufferPointer { special in
      var index = text.startIndex
      // Where the last row of tags ends: each byte is in one row at most.
      var end = index
      while index < text.endIndex {
        let byte = text[index]
        guard special[Int(byte)] else {
          index += 1
          continue
        }
        let next = index + 1 < text.endIndex ? text[index + 1] : 0x20
        switch (byte, next) {
        case (UInt8(ascii: "&"), UInt8(ascii: "#")), (UInt8(ascii: "<"), UInt8(ascii: "!")),
          (UInt8(ascii: "{"), UInt8(ascii: "\\")), (0xC5, 0xBF), (0xE2, 0x84), (0xEF, 0xBF):
          return true
        // Escapes of JSON, but for those that are read as blanks.
        case (UInt8(ascii: "\\"), _):
          if isLetter(next), !"bfnrt".utf8.contains(next) { return true }
        // What is in a script or a style is not read.
        case (UInt8(ascii: "<"), UInt8(ascii: "s")), (UInt8(ascii: "<"), UInt8(ascii: "S")):
          return true
        case (..<0x20, _), (0x7F, _): return true
        case (UInt8(ascii: "<"), _):
          guard index >= end, index > text.startIndex, isLetter(text[index - 1]) else { break }
          // Of tags in a row, what is before the first one and behind the last one counts.
          end = index
          while end < text.endIndex, text[end] == UInt8(ascii: "<") {
            while end < text.endIndex, text[end] != UInt8(ascii: ">") { end += 1 }
            end += 1
          }
          if end < text.endIndex, isLetter(text[end]) { return true }
        default: break
        }
        index += 1
      }
      return false
    }
  }

  /// Whether a text has letters of other alphabets that are equal to k or s without case.
  private static func hasOtherLetters(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var last: UInt8 = 0x20
    for byte in text {
      if last == 0xC5 && byte == 0xBF || last == 0xE2 && byte == 0x84 { return true }
      last = byte
    }
    return false
  }

  /// The bytes with which something may begin that hides letters.
  private static let special: [Bool] = (0...255).map { byte in
    switch UInt8(byte) {
    case UInt8(ascii: "&"), UInt8(ascii: "\\"), UInt8(ascii: "<"), UInt8(ascii: "{"), 0x7F, 0xC5,
      0xE2, 0xEF:
      true
    case 0x09, 0x0A, 0x0D: false
    default: byte < 0x20
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
  }
}
