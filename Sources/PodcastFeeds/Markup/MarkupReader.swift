internal import PodcastModel

/// Takes clean UTF-8 that is meant to be XML apart as it arrives, and tells a target what it holds.
///
/// It skips what stands before the root element, DOCTYPE, processing instructions and comments, closes
/// what was never closed, and stops behind the root. Nothing is ever declared but entities of plain text.
/// It looks at every byte once, and what comes out does not depend on how the bytes were cut, but
/// for where a text is divided.
struct MarkupReader<Target: MarkupTarget> {
  private enum State {
    case text
    /// Behind an `&`.
    case reference
    /// Behind a `<`, where it is not known what follows.
    case opening
    case tag
    case comment
    case instruction
    /// In an XML declaration or the link to a style sheet.
    case xml
    /// In `<!…>` that is neither a comment nor CDATA; the number counts open brackets.
    case declaration(brackets: Int)
    case cdata
    case done
  }

  /// What is told what the document holds.
  var target: Target
  private var state = State.text
  /// The tag, reference or beginning of markup that is being read.
  private var token: [UInt8] = []
  /// The tag that is being read.
  private var scanner = TagScanner()
  /// How many bytes of a `-->`, `?>` or `]]>` have come.
  private var ending = 0
  /// Whether the last byte of the text was a CR, of which an LF is a part.
  private var isBehindReturn = false
  private var open = OpenElements()
  /// Where the next piece begins in the document.
  private var base: Int
  /// Where the last `<` stands in the document.
  private var markupPlace = 0
  /// Whether the root element of a document that must be well formed has begun.
  private var hasRoot = false
  private let attributes = AttributeStorage()
  private var entities = DocumentEntities()
  /// What is looked for: a feed, or outlines.
  private let wanted: MarkupKind
  /// What the document is, as soon as its root element is known.
  private(set) var kind: MarkupKind?

  /// - Parameters:
  ///   - target: what is told what the document holds.
  ///   - root: what is looked for: a feed, or outlines. Nothing is told about anything else, unless the
  ///     target is strict.
  ///   - place: the place of the first byte.
  init(_ target: Target, root: MarkupKind = .feed, at place: Int = 0) {
    self.target = target
    wanted = root
    base = place
  }

  /// How much was done besides looking at each byte.
  var work: Int { open.comparisons }

  /// Whether nothing more is read.
  var isEnded: Bool {
    if case .done = state { true } else { false }
  }

  /// The place behind what was read.
  var place: Int { base }

  /// Whether the root element was closed.
  var isComplete: Bool { isEnded && kind == wanted }

  /// Takes the next bytes.
  mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
    var index = 0
    defer { base += index }
    while index < bytes.count {
      switch state {
      case .text: readText(bytes, &index)
      case .reference: reference(bytes, &index)
      case .opening: opening(bytes, &index)
      case .tag: tag(bytes, &index)
      case .comment: skip(bytes, &index, until: MarkupSpelling.commentEnd)
      case .instruction: skip(bytes, &index, until: MarkupSpelling.instructionEnd)
      case .xml: xml(bytes, &index)
      case .declaration(let brackets): declaration(bytes[index], brackets, &index)
      case .cdata: cdata(bytes, &index)
      case .done: return
      }
    }
  }
}

/// How the parts of a document begin and end.
private enum MarkupSpelling {
  static let commentEnd = Array("-->".utf8)
  static let instructionEnd = Array("?>".utf8)
  static let cdataStart = Array("![CDATA[".utf8)
  static let commentStart = Array("!--".utf8)
  static let xmlStart = Array("?xml".utf8)
}

extension MarkupReader {
  private mutating func readText(_ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int) {
    guard target.wantsText else {
      let start = index
      index = ByteSearch.first(UInt8(ascii: "<"), in: bytes, from: index)
      if Target.isStrict,
        let outside = bytes[start..<index].firstIndex(where: { !MarkupTag.isSpace($0) })
      {
        return fail(.outside, at: base + outside)
      }
      guard index < bytes.count else { return }
      markupPlace = base + index
      index += 1
      state = .opening
      return
    }
    if isBehindReturn {
      isBehindReturn = false
      if bytes[index] == 0x0A { index += 1 }
    }
    let start = index
    index = ByteSearch.firstInText(bytes, from: start)
    if index > start { target.text(UnsafeBufferPointer(rebasing: bytes[start..<index])) }
    guard index < bytes.count else { return }
    let byte = bytes[index]
    switch byte {
    case UInt8(ascii: "<"):
      markupPlace = base + index
      state = .opening
    case 0x0D:
      // XML 1.0, section 2.11.
      text(0x0A)
      isBehindReturn = true
    default:
      if Target.isStrict, let fault = CharacterReference.fault(bytes, at: index) {
        return fail(fault, at: base + index)
      }
      let (scalar, end) = CharacterReference.read(bytes, at: index)
      if let scalar {
        if CharacterReference.isPermitted(scalar) { text(scalar) }
        index = end
        return
      }
      // Its end may not be here.
      state = .reference
    }
    index += 1
  }

  /// Passes one character on.
  private mutating func text(_ scalar: UInt32) {
    guard scalar >= 0x80 else {
      return withUnsafeBytes(of: UInt8(truncatingIfNeeded: scalar)) {
        target.text($0.assumingMemoryBound(to: UInt8.self))
      }
    }
    var bytes: [UInt8] = []
    bytes.append(utf8: scalar)
    bytes.withUnsafeBufferPointer { target.text($0) }
  }

  private mutating func reference(_ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int) {
    let byte = bytes[index]
    if CharacterReference.isNameByte(byte), token.count < CharacterReference.maximumBytes {
      token.append(byte)
      index += 1
      return
    }
    state = .text
    let name = token
    token.removeAll(keepingCapacity: true)
    let hasEnd = byte == UInt8(ascii: ";") && !name.isEmpty
    if hasEnd { index += 1 }
    let scalar = hasEnd ? name.withUnsafeBufferPointer { CharacterReference.scalar($0) } : nil
    if let scalar {
      if CharacterReference.isPermitted(scalar) { text(scalar) }
      return
    }
    if hasEnd, let text = entities.text(of: name) {
      return text.withUnsafeBufferPointer { target.text($0) }
    }
    text(0x26)
    name.withUnsafeBufferPointer { target.text($0) }
    if hasEnd { text(0x3B) }
  }

  private mutating func opening(_ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int) {
    let byte = bytes[index]
    if token.isEmpty {
      switch byte {
      case UInt8(ascii: "/") where open.isInnermostEnd(bytes, from: index + 1):
        // Most end tags are those of the innermost element.
        index = open.closeInnermost(from: index + 1, telling: &target)
        state = open.isEmpty && !Target.isStrict ? .done : .text
        return
      case 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "/"), UInt8(ascii: ":"),
        0x80...0xFF:
        state = .tag
        scanner = TagScanner()
        return
      case UInt8(ascii: "?") where Target.isStrict:
        index += 1
        (state, ending) = (.instruction, 0)
        return
      case UInt8(ascii: "!") where MarkupName.begins(bytes, from: index, with: "![CDATA["):
        index += MarkupSpelling.cdataStart.count
        (state, ending) = (.cdata, 0)
        return
      case UInt8(ascii: "!"), UInt8(ascii: "?"): break
      default:
        if Target.isStrict { return fail(.bareLess, at: markupPlace) }
        if target.wantsText { text(0x3C) }
        state = .text
        return
      }
    }
    token.append(byte)
    index += 1
    if MarkupSpelling.cdataStart.starts(with: token) {
      guard token.count == MarkupSpelling.cdataStart.count else { return }
      state = .cdata
    } else if MarkupSpelling.commentStart.starts(with: token) {
      guard token.count == MarkupSpelling.commentStart.count else { return }
      state = .comment
    } else if MarkupSpelling.xmlStart.starts(with: token) {
      guard token.count == MarkupSpelling.xmlStart.count else { return }
      state = .xml
    } else if token[0] == UInt8(ascii: "?") {
      index -= 1
      state = .instruction
    } else if Target.isStrict {
      return fail(.documentType, at: markupPlace)
    } else {
      // A document type of a web page has `html` as its name; what follows says the same.
      index -= 1
      state = .declaration(brackets: 0)
    }
    // `<!-->` is a complete comment, as in HTML.
    if case .comment = state, !Target.isStrict { ending = 2 } else { ending = 0 }
    token.removeAll(keepingCapacity: true)
  }

  /// Steps over what has neither `>` nor `<` in it, so that these end it where its `?>` is missing.
  private mutating func xml(_ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int) {
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if byte == UInt8(ascii: ">") { return state = .text }
      if byte == UInt8(ascii: "<") {
        markupPlace = base + index - 1
        return state = .opening
      }
    }
  }

  private mutating func declaration(_ byte: UInt8, _ brackets: Int, _ index: inout Int) {
    index += 1
    // A document type stands before the root element.
    if open.isEmpty, token.count < DocumentEntities.maximumBytes { token.append(byte) }
    switch byte {
    case UInt8(ascii: "["): state = .declaration(brackets: min(brackets + 1, 1000))
    case UInt8(ascii: "]"): state = .declaration(brackets: max(brackets - 1, 0))
    case UInt8(ascii: ">") where brackets == 0:
      if open.isEmpty { entities.declare(token) }
      token.removeAll(keepingCapacity: true)
      state = .text
    default: break
    }
  }

  private mutating func skip(
    _ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int, until end: [UInt8]
  ) {
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if Target.isStrict { token.append(byte) }
      // All endings but the last byte are one byte repeated.
      if byte == end[ending] {
        ending += 1
      } else if byte != end[0], Target.isStrict || ending != 2 || byte != UInt8(ascii: "!") {
        // HTML ends a comment with `--!>` too.
        ending = 0
      }
      if ending == end.count {
        ending = 0
        state = .text
        if Target.isStrict { keep(isComment: end == MarkupSpelling.commentEnd) }
        return
      }
    }
  }

  /// Passes on the comment or instruction that was gathered.
  private mutating func keep(isComment: Bool) {
    let text = token.dropLast(isComment ? 3 : 2)
    token.removeAll(keepingCapacity: true)
    let hyphen = UInt8(ascii: "-")
    if isComment,
      zip(text, text.dropFirst() + [hyphen]).contains(where: { $0 == hyphen && $1 == hyphen })
    {
      return fail(.hyphens, at: markupPlace)
    }
    text.withUnsafeBufferPointer {
      if isComment { target.comment($0) } else { target.instruction($0, at: markupPlace) }
    }
    if target.isStopped { state = .done }
  }

  private mutating func fail(_ fault: MarkupFault, at place: Int) {
    target.fault(fault, at: place)
    state = .done
  }

  /// Ends a document that must be well formed.
  mutating func finish() {
    switch state {
    case .done: return
    case .text, .reference:
      if !open.isEmpty {
        fail(.unclosedElement, at: base)
      } else if !hasRoot {
        fail(.noRoot, at: 0)
      }
    case .opening, .tag: fail(scanner.quote == 0 ? .unclosedTag : .missingQuoteEnd, at: base)
    case .comment, .declaration: fail(.unclosedComment, at: base)
    case .cdata: fail(.unclosedSection, at: base)
    case .instruction, .xml: fail(.unclosedInstruction, at: base)
    }
    state = .done
  }

  private mutating func cdata(_ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int) {
    let isWanted = target.wantsText
    if Target.isStrict, !isWanted { return fail(.outside, at: markupPlace) }
    while index < bytes.count {
      if ending == 0 {
        let start = index
        index = ByteSearch.first(UInt8(ascii: "]"), in: bytes, from: index)
        if isWanted, index > start {
          target.text(UnsafeBufferPointer(rebasing: bytes[start..<index]))
        }
        guard index < bytes.count else { return }
      }
      // Brackets are text only when it is known that they do not end the section.
      let byte = bytes[index]
      if byte == UInt8(ascii: ">"), ending == 2 {
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
      if isWanted { for _ in 0..<(isBracket ? 1 : ending) { text(0x5D) } }
      if !isBracket { ending = 0 }
    }
  }
}

extension MarkupReader {
  private mutating func tag(_ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int) {
    let start = index
    let end = scanner.scan(bytes, &index)
    let part = UnsafeBufferPointer(rebasing: bytes[start..<index])
    if Target.isStrict, end == UInt8(ascii: "<") { return fail(.unclosedTag, at: base + index) }
    if end != 0, token.isEmpty, Target.isStrict || part.count <= wanted.longestTag {
      // Most tags lie in one piece.
      finish(MarkupTag(part, acceptsAllNames: Target.isStrict), next: end, at: base + index)
      index += 1
      return
    }
    if token.count + part.count <= wanted.longestTag {
      token.append(contentsOf: part)
    } else if token.count <= wanted.longestTag {
      // What is too long has no name, and is left out.
      token = [0x80] + [UInt8](repeating: 0, count: wanted.longestTag)
    }
    guard end != 0 else { return }
    let text = token
    token = []
    text.withUnsafeBufferPointer { finish(MarkupTag($0), next: end, at: base + index) }
    index += 1
  }

  /// Takes a tag.
  ///
  /// - Parameters:
  ///   - next: the byte that ends it. A `<` ends a tag that was never closed, and begins another one.
  ///   - end: the place of that byte.
  private mutating func finish(_ tag: MarkupTag, next: UInt8, at end: Int) {
    let place = markupPlace
    markupPlace = end
    state = next == UInt8(ascii: ">") ? .text : .opening
    if Target.isStrict, let (fault, offset) = strictFault(tag) {
      return fail(fault, at: place + 1 + offset)
    }
    guard let range = tag.name else { return }
    let name = UnsafeBufferPointer(rebasing: tag.bytes[range])
    if open.isEmpty {
      guard tag.kind != .end, begin(name) else { return }
    }
    if tag.kind == .end {
      open.close(name, telling: &target)
    } else {
      let role = OpenElements.role(of: name)
      if role == .item, !Target.isStrict { open.closeLost(before: name, telling: &target) }
      let isEmpty = tag.kind == .empty || !Target.isStrict && hasNoContent(tag, name)
      if isEmpty ? open.hasRoom : open.open(name, role) {
        target.start(name, attributes.attributes(of: tag, at: place))
        if isEmpty { target.end(name) }
      }
    }
    if open.isEmpty && !Target.isStrict || target.isStopped { state = .done }
  }

  /// Whether an element ends with its tag although nothing says so.
  private func hasNoContent(_ tag: MarkupTag, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
    open.holdsHTML && HTMLElement.isVoid(name)
      || wanted == .feed && EmptyElement.isEmpty(tag)
  }

  /// What XML forbids in a tag at its place.
  private func strictFault(_ tag: MarkupTag) -> (fault: MarkupFault, place: Int)? {
    if let fault = tag.fault() { return fault }
    guard tag.kind == .end else { return open.isEmpty && hasRoot ? (.outside, -1) : nil }
    let name = tag.name.map { UnsafeBufferPointer(rebasing: tag.bytes[$0]) }
    return name.map { open.isInnermost($0) } == true ? nil : (.endTag, -1)
  }

  /// Whether an element is the root of what is looked for. Servers put warnings and other rubbish
  /// before it.
  private mutating func begin(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    if Target.isStrict {
      hasRoot = true
      return true
    }
    switch String(decoding: MarkupName.local(name), as: UTF8.self).lowercased() {
    case "rss", "rdf", "feed", "channel": kind = .feed
    case "opml": kind = .outlines
    case "html", "body", "head": kind = .webPage
    default: return false
    }
    if kind != wanted { state = .done }
    return kind == wanted
  }
}
