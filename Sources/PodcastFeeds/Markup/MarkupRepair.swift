/// Turns clean UTF-8 that is meant to be XML into XML that a strict parser accepts.
///
/// It skips what stands before the root element, leaves out the XML declaration, DOCTYPE, processing
/// instructions and comments, repairs tags, references and nesting, and stops behind the root. So the
/// parser never meets a declaration of an entity or of a character set. It looks at every byte once, and
/// what comes out does not depend on how the bytes were cut.
struct MarkupRepair {
  /// What the root element shows about the document.
  enum Kind {
    case feed
    /// OPML.
    case outlines
    case webPage
  }

  /// The longest tag in bytes; a longer one is left out.
  static let maximumTagBytes = 64 * 1024
  private enum State {
    case text
    /// Behind an `&`.
    case reference
    /// Behind a `<`, where it is not known what follows.
    case opening
    case tag
    case comment
    case instruction
    /// In `<!…>` that is neither a comment nor CDATA; the number counts open brackets.
    case declaration(brackets: Int)
    case cdata
    case done
  }

  private var state = State.text
  /// The tag, reference or beginning of markup that is being read.
  private var token: [UInt8] = []
  /// The quote in which the tag stands, or 0.
  private var quote: UInt8 = 0
  /// The last byte of the tag that is no white space.
  private var significant: UInt8 = 0
  /// How many bytes of a `-->`, `?>` or `]]>` have come.
  private var ending = 0
  private var text = RepairedText()
  private var open = OpenElements()
  private var names = NameBudget()
  /// Whether the text of descriptions is kept. It is most of a feed.
  private let keepsDescriptions: Bool
  /// What is looked for: a feed, or outlines.
  private let wanted: Kind
  /// How many declarations of namespaces the parser looks through for the tags that were passed on.
  private var namespaces = 0
  /// How much was done besides looking at each byte.
  var work: Int { namespaces + open.comparisons }
  /// What the document is, as soon as its root element is known.
  private(set) var kind: Kind?

  /// - Parameters:
  ///   - keepsDescriptions: whether text in elements named `description`, `summary` and the like is
  ///     kept.
  ///   - root: what is looked for: a feed, or outlines. Nothing else is passed on.
  init(keepsDescriptions: Bool, root: Kind = .feed) {
    self.keepsDescriptions = keepsDescriptions
    wanted = root
  }

  /// Whether nothing more is read.
  var isEnded: Bool {
    if case .done = state { true } else { false }
  }

  /// Whether the root element was closed.
  var isComplete: Bool { isEnded && kind == wanted }

  /// Takes the next bytes and appends the repaired ones.
  mutating func add(_ bytes: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
    var index = 0
    while index < bytes.count {
      switch state {
      case .text: readText(bytes, &index, &output)
      case .reference: reference(bytes, &index, &output)
      case .opening: opening(bytes, &index, &output)
      case .tag: tag(bytes, &index, &output)
      case .comment: skip(bytes, &index, until: Self.commentEnd)
      case .instruction: skip(bytes, &index, until: Self.instructionEnd)
      case .declaration(let brackets): declaration(bytes[index], brackets, &index)
      case .cdata: cdata(bytes, &index, &output)
      case .done: return
      }
    }
  }
}

extension MarkupRepair {
  private static let commentEnd = Array("-->".utf8)
  private static let instructionEnd = Array("?>".utf8)
  private static let cdataStart = Array("![CDATA[".utf8)
  private static let commentStart = Array("!--".utf8)
  /// An XML declaration or a style sheet, which have no `>` in them: `?>` or `>` ends them.
  private static let xmlStart = Array("?xml".utf8)

  private mutating func readText(
    _ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int, _ output: inout [UInt8]
  ) {
    let start = index
    let isInside = keepsText
    if isInside {
      // Near the limit each reference counts by itself, so that none is cut.
      index =
        text.hasRoom(for: bytes.count - start)
        ? CharacterReference.endOfText(bytes, from: start)
        : ByteSearch.firstMarkup(bytes, from: start)
    } else {
      index = ByteSearch.firstTag(bytes, from: start)
    }
    if isInside { text.append(UnsafeBufferPointer(rebasing: bytes[start..<index]), to: &output) }
    guard index < bytes.count else { return }
    let byte = bytes[index]
    index += 1
    switch byte {
    case UInt8(ascii: "<"): state = .opening
    case UInt8(ascii: "&"): if isInside { state = .reference }
    default: if isInside { text.append(reference: "&gt;", to: &output) }
    }
  }

  private mutating func reference(
    _ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int, _ output: inout [UInt8]
  ) {
    let byte = bytes[index]
    if CharacterReference.isNameByte(byte), token.count < CharacterReference.maximumBytes {
      token.append(byte)
      index += 1
      return
    }
    let hasEnd = byte == UInt8(ascii: ";") && !token.isEmpty
    if hasEnd { index += 1 }
    text.append(reference: token, hasEnd: hasEnd, to: &output)
    token.removeAll(keepingCapacity: true)
    state = .text
  }

  private mutating func opening(
    _ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int, _ output: inout [UInt8]
  ) {
    let byte = bytes[index]
    if token.isEmpty {
      switch byte {
      case 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "/"), UInt8(ascii: ":"),
        0x80...0xFF:
        state = .tag
        quote = 0
        significant = 0
        return
      case UInt8(ascii: "!"), UInt8(ascii: "?"): break
      default:
        if keepsText { text.append(reference: "&lt;", to: &output) }
        state = .text
        return
      }
    }
    token.append(byte)
    index += 1
    if Self.cdataStart.starts(with: token) {
      guard token.count == Self.cdataStart.count else { return }
      if keepsText { text.beginSection(&output) }
      state = .cdata
    } else if Self.commentStart.starts(with: token) {
      guard token.count == Self.commentStart.count else { return }
      state = .comment
    } else if Self.xmlStart.starts(with: token) {
      guard token.count == Self.xmlStart.count else { return }
      state = .declaration(brackets: 0)
    } else if token[0] == UInt8(ascii: "?") {
      index -= 1
      state = .instruction
    } else {
      // A document type of a web page has `html` as its name; what follows says the same.
      index -= 1
      state = .declaration(brackets: 0)
    }
    ending = 0
    token.removeAll(keepingCapacity: true)
  }

  private mutating func declaration(_ byte: UInt8, _ brackets: Int, _ index: inout Int) {
    index += 1
    switch byte {
    case UInt8(ascii: "["): state = .declaration(brackets: min(brackets + 1, 1000))
    case UInt8(ascii: "]"): state = .declaration(brackets: max(brackets - 1, 0))
    case UInt8(ascii: ">"): if brackets == 0 { state = .text }
    default: break
    }
  }

  private mutating func skip(
    _ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int, until end: [UInt8]
  ) {
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      advance(byte, end)
      if ending == end.count {
        ending = 0
        state = .text
        return
      }
    }
  }

  /// Counts how much of an ending has come. All endings but the last byte are one byte repeated.
  private mutating func advance(_ byte: UInt8, _ end: [UInt8]) {
    if byte == end[ending] {
      ending += 1
    } else if byte != end[0] {
      ending = 0
    }
  }

  private mutating func cdata(
    _ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int, _ output: inout [UInt8]
  ) {
    let keepsText = keepsText
    while index < bytes.count {
      if ending == 0 {
        let start = index
        index = ByteSearch.firstBracket(bytes, from: index)
        if keepsText {
          text.append(
            section: UnsafeBufferPointer(rebasing: bytes[start..<index]), to: &output)
        }
        guard index < bytes.count else { return }
      }
      // Brackets are text only when it is known that they do not end the section.
      let byte = bytes[index]
      if byte == UInt8(ascii: ">"), ending == 2 {
        if keepsText { text.endSection(&output) }
        (state, ending) = (.text, 0)
        index += 1
        return
      }
      let isBracket = byte == UInt8(ascii: "]")
      if isBracket { index += 1 }
      if isBracket, ending < 2 {
        ending += 1
        continue
      }
      if keepsText { text.append(sectionBrackets: isBracket ? 1 : ending, to: &output) }
      if !isBracket { ending = 0 }
    }
  }

  /// Whether the text here is passed on.
  private var keepsText: Bool {
    !open.isBetweenElements && (keepsDescriptions || !open.isInDescription)
  }
}

extension MarkupRepair {
  private mutating func tag(
    _ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int, _ output: inout [UInt8]
  ) {
    let start = index
    let end = scanTag(bytes, &index)
    let part = UnsafeBufferPointer(rebasing: bytes[start..<index])
    if end != 0, token.isEmpty, part.count <= Self.maximumTagBytes {
      // Most tags lie in one piece.
      index += 1
      state = end == UInt8(ascii: ">") ? .text : .opening
      return finish(MarkupTag(part), part, &output)
    }
    if token.count + part.count <= Self.maximumTagBytes {
      token.append(contentsOf: part)
    } else {
      // What is too long has no name, and is left out.
      token = [0x80] + [UInt8](repeating: 0, count: Self.maximumTagBytes)
    }
    guard end != 0 else { return }
    // A `<` ends a tag that was never closed, and begins another one.
    index += 1
    state = end == UInt8(ascii: ">") ? .text : .opening
    let text = token
    token = []
    text.withUnsafeBufferPointer { finish(MarkupTag($0), $0, &output) }
  }

  /// Steps to the `>` that ends a tag, quotes honoured, or to the `<` of another one, and returns it; 0
  /// where neither is there.
  private mutating func scanTag(_ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int) -> UInt8 {
    var (place, quote, significant) = (index, quote, significant)
    defer { (index, self.quote, self.significant) = (place, quote, significant) }
    while place < bytes.count {
      if quote != 0 {
        place = ByteSearch.first(quote, in: bytes, from: place)
        guard place < bytes.count else { return 0 }
        (significant, quote) = (quote, 0)
        place += 1
        continue
      }
      let byte = bytes[place]
      // Letters are all above `>`.
      if byte <= UInt8(ascii: ">") {
        if byte == UInt8(ascii: ">") || byte == UInt8(ascii: "<") { return byte }
        if significant == UInt8(ascii: "="),
          byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
        {
          quote = byte
        }
        if MarkupTag.isSpace(byte) {
          place += 1
          continue
        }
      }
      significant = byte
      place += 1
    }
    return 0
  }

  private mutating func finish(
    _ tag: MarkupTag, _ bytes: UnsafeBufferPointer<UInt8>, _ output: inout [UInt8]
  ) {
    guard let range = tag.name else { return }
    let name = UnsafeBufferPointer(rebasing: bytes[range])
    guard tag.kind == .end || names.admits(name) else { return }
    if open.isEmpty {
      guard tag.kind != .end, begin(name) else { return }
    }
    let before = output.count
    namespaces += open.namespaces
    if tag.kind != .end { open.closeLost(before: name, to: &output) }
    switch tag.kind {
    case .start where open.holdsHTML && HTMLElement.isVoid(name), .empty,
      .start where EmptyElement.isEmpty(tag, bytes):
      guard open.hasRoom else { break }
      var declared = open.namespaces
      tag.append(to: &output, names: &names, namespaces: &declared, isEmpty: true)
    case .start:
      guard open.open(name) else { break }
      tag.append(to: &output, names: &names, namespaces: &open.namespaces, isEmpty: false)
    case .end: open.close(name, to: &output)
    }
    if output.count > before { text.end() }
    if open.isEmpty { state = .done }
  }

  /// Whether an element is the root of what is looked for. Servers put warnings and other rubbish
  /// before it.
  private mutating func begin(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    let local = name.split(separator: UInt8(ascii: ":")).last ?? []
    switch String(decoding: local, as: UTF8.self).lowercased() {
    case "rss", "rdf", "feed", "channel": kind = .feed
    case "opml": kind = .outlines
    case "html", "body", "head": kind = .webPage
    default: return false
    }
    if kind != wanted { state = .done }
    return kind == wanted
  }
}
