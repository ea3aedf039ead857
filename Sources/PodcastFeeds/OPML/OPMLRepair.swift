/// Lists of other programs, made well formed.
struct OPMLRepair {
  /// The text of one root element.
  struct Document {
    /// Well-formed UTF-8, unless its end is missing.
    var bytes: [UInt8] = []
    /// The line of the file that the first line is.
    var firstLine: Int
  }

  /// The most root elements in a file. There is one; files of several were joined by hand.
  private static let maximumDocuments = 20

  private(set) var documents: [Document] = []
  /// What the file is; nil where nothing tells.
  private(set) var found: MarkupKind?
  /// Whether the file holds nothing but white space.
  private(set) var isEmpty = true
  private(set) var isTooLarge = false
  /// Whether each root element is closed.
  private(set) var isComplete = true

  private var line = 1

  /// Decodes and repairs a file.
  static func documents(_ bytes: [UInt8]) -> OPMLRepair {
    var repair = OPMLRepair()
    let text = repair.decode(bytes)
    repair.isEmpty = text.allSatisfy(MarkupTag.isSpace)
    var start = 0
    while start < text.count, repair.documents.count < maximumDocuments {
      guard let end = repair.addDocument(text, from: start) else { break }
      start = end
    }
    return repair
  }

  /// Reads one root element, with a sentence when a limit ends it.
  static func parse(_ document: Document) -> (root: OPMLElement?, problem: String?) {
    var bytes = document.bytes
    let finding = OPMLPrescan.finding(in: bytes)
    if let finding { bytes.removeSubrange(finding.offset...) }
    let result = OPMLParser.read(bytes, isLenient: true, firstLine: document.firstLine)
    return (result.tree.root, finding?.sentence ?? result.error?.sentence)
  }

  private mutating func decode(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    var decoder = FeedDecoder(charset: nil)
    isTooLarge = bytes.count > OPMLLimits.bytes
    bytes.prefix(OPMLLimits.bytes).withUnsafeBufferPointer { decoder.add($0, to: &text) }
    decoder.finish(to: &text)
    // A character may have more bytes in UTF-8.
    if text.count > OPMLLimits.bytes {
      isTooLarge = true
      text.removeSubrange(OPMLLimits.bytes...)
    }
    return text
  }

  /// Repairs the next root element.
  ///
  /// Each tag begins on the line of the file on which it began there: the repair leaves out white space
  /// and comments, so lines are put in.
  ///
  /// - Returns: where the rest begins; nil when there is none.
  private mutating func addDocument(_ text: [UInt8], from start: Int) -> Int? {
    var reader = MarkupReader(RepairedMarkup(), root: .outlines)
    var document = Document(firstLine: line)
    var written = line
    var index = start
    while index < text.count, !reader.isEnded {
      let lineEnd = text[index...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? text.count
      let next = text[lineEnd...].firstIndex(of: UInt8(ascii: "<")) ?? text.count
      if written < line {
        reader.target.output += repeatElement(0x0A, count: line - written)
        written = line
      }
      let before = reader.target.output.count
      text[index..<next].withUnsafeBufferPointer { reader.add($0) }
      written += OPMLPlaces.lineEnds(reader.target.output[before...])
      line += OPMLPlaces.lineEnds(text[index..<next])
      index = next
    }
    found = found ?? reader.kind
    guard reader.kind == .outlines else { return nil }
    isComplete = isComplete && reader.isComplete
    document.bytes = reader.target.output
    documents.append(document)
    return reader.isComplete ? index : nil
  }
}
