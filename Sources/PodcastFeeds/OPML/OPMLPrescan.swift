/// Looks through the tags of a list before libxml2 does, for what would take it too long and for what
/// podget does not read.
struct OPMLPrescan {
  /// What was found: the place of the tag, and what is wrong.
  struct Finding {
    var offset: Int
    var sentence: String
  }

  private let bytes: UnsafeBufferPointer<UInt8>
  private var names = NameBudget()
  private var attributes = 0
  private var declarations = 0

  private init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// The first fault; nil when there is none. What is not well formed otherwise is left to the parser.
  static func finding(in bytes: [UInt8]) -> Finding? {
    bytes.withUnsafeBufferPointer { bytes in
      var scan = OPMLPrescan(bytes)
      return scan.run()
    }
  }

  private mutating func run() -> Finding? {
    var index = 0
    while let start = bytes[index...].firstIndex(of: UInt8(ascii: "<")) {
      let rest = bytes[start...]
      if rest.starts(with: "<!--".utf8) {
        index = end(of: "-->", from: start + 4)
      } else if rest.starts(with: "<![CDATA[".utf8) {
        index = end(of: "]]>", from: start + 9)
      } else if rest.starts(with: "<?".utf8) {
        index = end(of: "?>", from: start + 2)
      } else if rest.starts(with: "<!".utf8) {
        return Finding(
          offset: start, sentence: "A document type (DOCTYPE) is not read; remove it.")
      } else if let sentence = tag(from: start + 1, &index) {
        return Finding(offset: start, sentence: sentence)
      }
    }
    return nil
  }

  private func end(of mark: StaticString, from start: Int) -> Int {
    var index = start
    while index + mark.utf8CodeUnitCount <= bytes.count {
      if bytes[index] == mark.utf8Start[0],
        (0..<mark.utf8CodeUnitCount).allSatisfy({ bytes[index + $0] == mark.utf8Start[$0] })
      {
        return index + mark.utf8CodeUnitCount
      }
      index += 1
    }
    return bytes.count
  }

  private mutating func tag(from start: Int, _ index: inout Int) -> String? {
    index = start
    var found = 0
    /// Where the name begins that is being read.
    var name: Int?
    var isDeclaration = false
    while index < bytes.count {
      let byte = bytes[index]
      guard Self.endsName(byte) else {
        if name == nil { name = index }
        index += 1
        continue
      }
      if let start = name {
        guard admits(start..<index) else { return Self.tooManyNames }
        isDeclaration = bytes[start..<index].starts(with: "xmlns".utf8)
        name = nil
      }
      switch byte {
      case UInt8(ascii: ">"):
        index += 1
        return nil
      case UInt8(ascii: "<"): return nil
      case UInt8(ascii: "="):
        found += 1
        if let sentence = count(found, isDeclaration: isDeclaration) { return sentence }
        index += 1
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        let content = index + 1
        let end = bytes[content...].firstIndex(of: byte) ?? bytes.count
        // The name of a namespace is kept like that of an element. Other values are not.
        guard !isDeclaration || admits(content..<end) else { return Self.tooManyNames }
        index = min(end + 1, bytes.count)
      default: index += 1
      }
    }
    return nil
  }

  /// Counts an attribute.
  private mutating func count(_ inTag: Int, isDeclaration: Bool) -> String? {
    attributes += 1
    declarations += isDeclaration ? 1 : 0
    if inTag > OPMLLimits.attributes {
      return "An element has more than \(OPMLLimits.attributes) attributes."
    }
    if attributes > OPMLLimits.allAttributes { return "There are too many attributes." }
    if declarations > OPMLLimits.declarations {
      return "There are more than \(OPMLLimits.declarations) declarations of namespaces."
    }
    return nil
  }

  private mutating func admits(_ range: Range<Int>) -> Bool {
    range.isEmpty || names.admits(UnsafeBufferPointer(rebasing: bytes[range]))
  }

  private static func endsName(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: "/"), UInt8(ascii: "="), UInt8(ascii: "\""),
      UInt8(ascii: "'"), UInt8(ascii: "<"), UInt8(ascii: ">"):
      true
    default: false
    }
  }

  private static let tooManyNames = "There are too many different names."
}
