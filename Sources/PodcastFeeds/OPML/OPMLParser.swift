internal import CXML

/// libxml2's push parser for lists of subscriptions.
///
/// It loads nothing: there is no DTD, no entity and no network. ``OPMLPrescan`` comes first.
final class OPMLParser {
  private let context: xmlParserCtxtPtr
  private let target: Target

  /// What the callbacks are given.
  private final class Target {
    var builder: OPMLTreeBuilder
    var context: xmlParserCtxtPtr?
    let isLenient: Bool

    init(_ builder: OPMLTreeBuilder, isLenient: Bool) {
      self.builder = builder
      self.isLenient = isLenient
    }
  }

  /// Reads a list that is clean UTF-8.
  ///
  /// - Parameters:
  ///   - isLenient: whether what is not well formed is read as far as it goes. Limits hold all the same.
  ///   - firstLine: the number of the first line.
  ///   - blockBytes: how many bytes libxml2 gets at once, which must change nothing.
  /// - Returns: what was read before an error, and the error.
  static func read(
    _ bytes: [UInt8], isLenient: Bool, firstLine: Int = 1, blockBytes: Int = 32 * 1024
  ) -> (tree: OPMLTree, error: OPMLError?) {
    let builder = OPMLTreeBuilder(
      places: OPMLPlaces(bytes, line: firstLine),
      maximumDepth: isLenient ? OpenElements.maximumDepth : OPMLLimits.depth)
    guard let parser = OPMLParser(builder, isLenient: isLenient) else {
      let start = OPMLPosition(line: firstLine, column: 1)
      return (OPMLTree(), OPMLError(start, "There is no memory to read the list."))
    }
    parser.pass(bytes, blockBytes: blockBytes)
    parser.target.builder.endAll()
    return (parser.target.builder.tree, parser.target.builder.failure)
  }

  private init?(_ builder: OPMLTreeBuilder, isLenient: Bool) {
    xmlInitParser()
    let target = Target(builder, isLenient: isLenient)
    var handler = Self.handler()
    let user = Unmanaged.passUnretained(target).toOpaque()
    guard let context = xmlCreatePushParserCtxt(&handler, user, nil, 0, nil) else { return nil }
    // The bytes are UTF-8 whatever the XML declaration says.
    var options =
      XML_PARSE_NONET.rawValue | XML_PARSE_NOENT.rawValue | XML_PARSE_NOERROR.rawValue
      | XML_PARSE_NOWARNING.rawValue | XML_PARSE_IGNORE_ENC.rawValue
    if isLenient { options |= XML_PARSE_RECOVER.rawValue }
    xmlCtxtUseOptions(context, Int32(bitPattern: options))
    target.context = context
    self.context = context
    self.target = target
  }

  deinit { xmlFreeParserCtxt(context) }

  private func pass(_ bytes: [UInt8], blockBytes: Int) {
    bytes.withUnsafeBytes { bytes in
      let characters = bytes.bindMemory(to: CChar.self)
      for start in stride(from: 0, to: characters.count, by: max(blockBytes, 1)) {
        guard target.builder.failure == nil else { return }
        let count = min(blockBytes, characters.count - start)
        _ = xmlParseChunk(
          context, characters.baseAddress.map { $0 + start }, Int32(truncatingIfNeeded: count), 0)
      }
    }
    if target.builder.failure == nil { xmlParseChunk(context, nil, 0, 1) }
  }
}

extension OPMLParser {
  private static func handler() -> xmlSAXHandler {
    var handler = xmlSAXHandler()
    handler.initialized = UInt32(truncatingIfNeeded: XML_SAX2_MAGIC)
    handler.startElementNs = {
      user, local, prefix, _, declared, namespaces, count, _, attributes in
      guard let local else { return }
      OPMLParser.withTarget(user) { target, offset in
        var element = OPMLElement(
          prefix: prefix.map { String(cString: $0) }, local: String(cString: local))
        element.attributes =
          OPMLParser.declarations(namespaces, count: Int(declared))
          + OPMLParser.attributes(attributes, count: Int(count))
        target.builder.start(element, before: offset)
      }
    }
    handler.endElementNs = { user, _, _, _ in
      OPMLParser.withTarget(user) { target, _ in target.builder.end() }
    }
    let characters: charactersSAXFunc = { user, bytes, count in
      guard let bytes, count > 0 else { return }
      OPMLParser.withTarget(user) { target, _ in
        target.builder.characters(UnsafeBufferPointer(start: bytes, count: Int(count)))
      }
    }
    handler.characters = characters
    handler.ignorableWhitespace = characters
    handler.cdataBlock = characters
    handler.comment = { user, text in
      guard let text else { return }
      OPMLParser.withTarget(user) { target, _ in
        target.builder.comment(String(cString: text))
      }
    }
    handler.processingInstruction = { user, name, data in
      guard let name else { return }
      OPMLParser.withTarget(user) { target, _ in
        target.builder.instruction(
          String(cString: name), data.map { String(cString: $0) } ?? "")
      }
    }
    handler.serror = { user, error in
      guard let error, error.pointee.level.rawValue >= XML_ERR_ERROR.rawValue else { return }
      let code = Int(error.pointee.code)
      let text = error.pointee.message.map { String(cString: $0) } ?? ""
      OPMLParser.withTarget(user) { target, offset in
        guard !target.isLenient else { return }
        let error = OPMLSyntaxError(
          code: code, message: text, inside: target.builder.innermost,
          isBefore: !target.builder.hasBegun)
        target.builder.fail(atLast: error.marks, before: offset, error.sentence)
      }
    }
    return handler
  }

  /// Calls a function with the target and the place in the text, unless reading has failed; stops the
  /// parser when it fails in the function.
  private static func withTarget(
    _ user: UnsafeMutableRawPointer?, _ body: (Target, Int) -> Void
  ) {
    guard let user else { return }
    let target = Unmanaged<Target>.fromOpaque(user).takeUnretainedValue()
    guard target.builder.failure == nil, let context = target.context else { return }
    body(target, max(0, xmlByteConsumed(context)))
    if target.builder.failure != nil { xmlStopParser(context) }
  }

  /// Declarations come as pairs: the prefix, nil for the default namespace, and the namespace.
  private static func declarations(
    _ pointers: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, count: Int
  ) -> [OPMLAttribute] {
    guard let pointers, count > 0 else { return [] }
    return (0..<count).map { index in
      let value = pointers[index * 2 + 1].map { String(cString: $0) } ?? ""
      guard let prefix = pointers[index * 2] else {
        return OPMLAttribute(local: "xmlns", value: value)
      }
      return OPMLAttribute(prefix: "xmlns", local: String(cString: prefix), value: value)
    }
  }

  /// Attributes come as five pointers each; see ``ElementAttributes``.
  private static func attributes(
    _ pointers: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, count: Int
  ) -> [OPMLAttribute] {
    guard let pointers, count > 0 else { return [] }
    return (0..<count).compactMap { index in
      let attribute = pointers + index * 5
      guard let local = attribute[0], let start = attribute[3], let end = attribute[4], end >= start
      else { return nil }
      return OPMLAttribute(
        prefix: attribute[1].map { String(cString: $0) }, local: String(cString: local),
        namespace: attribute[2].map { String(cString: $0) },
        value: String(
          decoding: UnsafeBufferPointer(start: start, count: end - start), as: UTF8.self))
    }
  }
}
