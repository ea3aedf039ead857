internal import PodcastModel

/// The words of a description without its markup.
enum DescriptionText {
  /// The text of an HTML description: tags are left out, references replaced, blocks and line breaks
  /// begin new lines, and runs of spaces are one. Text without markup keeps its lines. Nil when no words
  /// are left.
  static func text(_ html: String) -> String? { text(html) { _, _ in true } }

  /// The same with marks.
  ///
  /// - Parameter mark: is called with each tag, the bytes between `<` and `>`. It may add to the text, and
  ///   returns whether a block begins a new line there.
  static func text(
    _ html: String, mark: (UnsafeBufferPointer<UInt8>, inout [UInt8]) -> Bool
  ) -> String? {
    var output: [UInt8] = []
    let bytes = Array(html.utf8)
    bytes.withUnsafeBufferPointer { bytes in
      let hasMarkup = bytes.contains(UInt8(ascii: "<"))
      var index = 0
      while index < bytes.count {
        switch bytes[index] {
        case UInt8(ascii: "<") where isTag(bytes, at: index):
          index = skipTag(bytes, at: index, to: &output, mark)
        case UInt8(ascii: "&"):
          index = reference(bytes, at: index, to: &output)
        case 0x0A, 0x0D:
          hasMarkup ? space(&output) : lineFeed(&output)
          index += 1
        case 0x20, 0x09:
          space(&output)
          index += 1
        case let byte:
          output.append(byte)
          index += 1
        }
      }
    }
    while let last = output.last, MarkupTag.isSpace(last) { output.removeLast() }
    return output.isEmpty ? nil : String(decoding: output, as: UTF8.self)
  }

  private static func isTag(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
    guard index + 1 < bytes.count else { return false }
    let byte = bytes[index + 1]
    return (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "/")
      || byte == UInt8(ascii: "!")
  }

  /// Steps over a tag or a comment, and over what nobody reads: scripts and styles.
  private static func skipTag(
    _ bytes: UnsafeBufferPointer<UInt8>, at start: Int, to output: inout [UInt8],
    _ mark: (UnsafeBufferPointer<UInt8>, inout [UInt8]) -> Bool
  ) -> Int {
    if bytes[start...].starts(with: "<!--".utf8) { return endOfComment(bytes, from: start + 4) }
    let end = bytes[start...].firstIndex(of: UInt8(ascii: ">")) ?? bytes.count
    let tag = bytes[(start + 1)..<end]
    let word = tag.drop { $0 == UInt8(ascii: "/") }.prefix(while: MarkupTag.isNameByte)
    let name = String(decoding: word.prefix(16), as: UTF8.self).lowercased()
    let isBreak = mark(UnsafeBufferPointer(rebasing: tag), &output)
    if isBreak, blocks.contains(name) { lineFeed(&output) }
    let isHidden = name == "script" || name == "style"
    guard isHidden, tag.first != UInt8(ascii: "/") else { return min(end + 1, bytes.count) }
    return endOfHidden(bytes, name, from: end)
  }

  /// The place behind a comment; `<!-->` and `<!--->` are whole ones (HTML Standard, section 13.2.5.43).
  private static func endOfComment(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var index = start
    while index < bytes.count {
      // The dashes may be those of the beginning.
      if bytes[index] == UInt8(ascii: ">"), bytes[index - 1] == UInt8(ascii: "-"),
        bytes[index - 2] == UInt8(ascii: "-")
      {
        return index + 1
      }
      index += 1
    }
    return bytes.count
  }

  /// The place of the end tag of a script or a style: other tags in it are part of it.
  private static func endOfHidden(
    _ bytes: UnsafeBufferPointer<UInt8>, _ name: String, from start: Int
  ) -> Int {
    var index = start
    while index + 2 + name.utf8.count < bytes.count {
      if bytes[index] == UInt8(ascii: "<"), bytes[index + 1] == UInt8(ascii: "/") {
        let word = bytes[(index + 2)..<(index + 2 + name.utf8.count)]
        let isEnd = !MarkupTag.isNameByte(bytes[word.endIndex])
        if isEnd, word.elementsEqual(name.utf8, by: { $0 | 0x20 == $1 }) { return index }
      }
      index += 1
    }
    return bytes.count
  }

  private static func reference(
    _ bytes: UnsafeBufferPointer<UInt8>, at start: Int, to output: inout [UInt8]
  ) -> Int {
    var character: [UInt8] = []
    let end = CharacterReference.decode(bytes, at: start, to: &character)
    if character == [0xC2, 0xA0] || character == [0x20] {
      space(&output)
    } else {
      output += character
    }
    return end
  }

  private static func space(_ output: inout [UInt8]) {
    if let last = output.last, !MarkupTag.isSpace(last) { output.append(0x20) }
  }

  /// Begins a new line, unless there is nothing before it.
  static func lineFeed(_ output: inout [UInt8]) {
    while output.last == 0x20 { output.removeLast() }
    if let last = output.last, last != 0x0A { output.append(0x0A) }
  }

  private static let blocks: Set<String> = [
    "p", "br", "div", "li", "ul", "ol", "tr", "table", "h1", "h2", "h3", "h4", "h5", "h6", "hr",
    "blockquote", "pre", "section", "article", "dt", "dd",
  ]
}
