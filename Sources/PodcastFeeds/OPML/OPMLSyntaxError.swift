internal import CXML

/// What libxml2 says of a damaged list, in words for those who edit it.
struct OPMLSyntaxError {
  /// What is wrong.
  let sentence: String
  /// The error lies at the last of these before the parser's place; there itself if this is empty.
  let marks: [UInt8]

  /// - Parameters:
  ///   - code: libxml2's code.
  ///   - message: libxml2's message, for errors without a sentence of ours.
  ///   - inside: the innermost element that is open.
  ///   - isBefore: whether the root element has not begun.
  init(code: Int, message: String, inside: OPMLElement?, isBefore: Bool) {
    let code = UInt32(truncatingIfNeeded: code)
    let open = inside.map { "<\(Self.shown($0.name))> of line \($0.position.line)" }
    sentence = Self.sentence(code, message, open: open, isBefore: isBefore)
    switch code {
    case XML_ERR_TAG_NAME_MISMATCH.rawValue, XML_ERR_ATTRIBUTE_REDEFINED.rawValue, 200..<300:
      // Errors of namespaces have the numbers from 200 on.
      marks = [UInt8(ascii: "<")]
    case XML_ERR_NAME_REQUIRED.rawValue, XML_ERR_ENTITYREF_SEMICOL_MISSING.rawValue,
      XML_ERR_UNDECLARED_ENTITY.rawValue, XML_ERR_INVALID_CHARREF.rawValue:
      marks = [UInt8(ascii: "&"), UInt8(ascii: "<")]
    default: marks = []
    }
  }

  private static func sentence(
    _ code: UInt32, _ message: String, open: String?, isBefore: Bool
  ) -> String {
    switch code {
    case XML_ERR_TAG_NAME_MISMATCH.rawValue:
      return open.map { "This end tag does not match \($0)." } ?? "This end tag matches nothing."
    case XML_ERR_DOCUMENT_EMPTY.rawValue: return "There is no XML here."
    case XML_ERR_DOCUMENT_END.rawValue:
      if isBefore { return "There is no XML here." }
      return open.map { "The file ends before the end of \($0)." }
        ?? "There is content after the end of the list."
    case XML_ERR_NAME_REQUIRED.rawValue, XML_ERR_ENTITYREF_SEMICOL_MISSING.rawValue:
      return "Write &amp; for a bare &, and &lt; for a bare <."
    case XML_ERR_UNDECLARED_ENTITY.rawValue:
      return "XML does not know this reference. Write &amp; for a bare &."
    case XML_ERR_LT_IN_ATTRIBUTE.rawValue: return "Write &lt; for < in a value."
    case XML_ERR_ATTRIBUTE_NOT_STARTED.rawValue: return "A value needs quotes."
    case XML_ERR_ATTRIBUTE_NOT_FINISHED.rawValue: return "A quote is missing behind a value."
    case XML_ERR_ATTRIBUTE_WITHOUT_VALUE.rawValue: return "An attribute has no value."
    case XML_ERR_ATTRIBUTE_REDEFINED.rawValue, XML_NS_ERR_ATTRIBUTE_REDEFINED.rawValue:
      return "An attribute stands twice in one element."
    case XML_ERR_SPACE_REQUIRED.rawValue: return "A space is missing between two attributes."
    case XML_ERR_GT_REQUIRED.rawValue: return "A > is missing at the end of a tag."
    case XML_ERR_INVALID_CHAR.rawValue, XML_ERR_INVALID_CHARREF.rawValue:
      return "XML permits no such character."
    case XML_ERR_COMMENT_NOT_FINISHED.rawValue: return "A comment is not closed."
    case XML_ERR_CDATA_NOT_FINISHED.rawValue: return "A CDATA section is not closed."
    case XML_NS_ERR_UNDEFINED_NAMESPACE.rawValue:
      return "A prefix is not declared with xmlns."
    default:
      let words = message.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      return "This is not well-formed XML: \(shown(words))."
    }
  }

  private static func shown(_ text: String) -> String {
    let start = text.unicodeScalars.prefix(100)
    return String(String.UnicodeScalarView(start))
  }
}
