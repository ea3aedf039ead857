/// Parses a template.
enum TemplateParser {
  /// The folders and the stem of a template, at least one; its `.{ext}` is left out.
  static func components(
    of text: String
  ) throws(FilenameTemplate.ParseError) -> [[TemplateToken]] {
    let end = ".{ext}"
    guard text.hasSuffix(end) else { throw .missingExtension }
    let tokens = try tokens(of: text.dropLast(end.count))
    var components: [[TemplateToken]] = [[]]
    for token in tokens {
      guard case .text(let text) = token else {
        components[components.count - 1].append(token)
        continue
      }
      // By scalars: a slash or a brace with a combining mark is one character, and a different one.
      let parts = text.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false)
      for (index, part) in parts.enumerated() {
        if index > 0 { components.append([]) }
        if !part.isEmpty { components[components.count - 1].append(.text(String(part))) }
      }
    }
    // More folders than anybody has could result in a path that is too long to open.
    guard components.count <= 16 else { throw .invalidComponent }
    guard components.allSatisfy({ !$0.isEmpty && $0 != [.text(".")] && $0 != [.text("..")] })
    else { throw .invalidComponent }
    return components.map(bracketed)
  }

  private static func tokens(
    of text: Substring
  ) throws(FilenameTemplate.ParseError) -> [TemplateToken] {
    var tokens: [TemplateToken] = []
    var literal = ""
    var rest = text.unicodeScalars
    while let scalar = rest.popFirst() {
      switch scalar {
      case "{" where rest.first == "{", "}" where rest.first == "}":
        literal.unicodeScalars.append(scalar)
        rest.removeFirst()
      case "{":
        guard let close = rest.firstIndex(of: "}") else { throw .unclosedBrace }
        if !literal.isEmpty { tokens.append(.text(literal)) }
        literal = ""
        tokens.append(.field(try TemplateSlot(parsing: Substring(rest[..<close]))))
        rest = rest[close...].dropFirst()
      case "}": throw .loneBrace
      default: literal.unicodeScalars.append(scalar)
      }
    }
    if !literal.isEmpty { tokens.append(.text(literal)) }
    return tokens
  }

  /// Attaches brackets that contain only a field to the field.
  private static func bracketed(_ tokens: [TemplateToken]) -> [TemplateToken] {
    var tokens = tokens
    for index in tokens.indices.dropFirst().dropLast() {
      guard case .field(var slot) = tokens[index], case .text(var before) = tokens[index - 1],
        case .text(var after) = tokens[index + 1], let opening = before.last,
        let closing = after.first,
        ["[": "]", "(": ")"][opening] == closing
      else { continue }
      (slot.opening, slot.closing) = (String(opening), String(closing))
      before.removeLast()
      after.removeFirst()
      tokens[index - 1] = .text(before)
      tokens[index] = .field(slot)
      tokens[index + 1] = .text(after)
    }
    return tokens.filter { $0 != .text("") }
  }
}
