internal import CXML

/// The parts of an element's name, as zero-terminated UTF-8. They are interned: equal ones have equal
/// addresses while the parser lives.
struct ElementName {
  let local: UnsafePointer<UInt8>
  let prefix: UnsafePointer<UInt8>?
  let namespace: UnsafePointer<UInt8>?
}

/// libxml2's push parser for documents that were repaired before (``MarkupRepair``).
///
/// It is given blocks of one size, so that what it does cannot depend on how the bytes arrived. It
/// loads nothing: there is no DTD, no entity and no network. It stops at a text of more than 10 MB and
/// at 10 MB of different names, which counts as the end of the feed.
final class PushParser {
  private static let blockBytes = 32 * 1024

  private let context: xmlParserCtxtPtr
  /// What the callbacks are given. It is no object, since looking for conflicting accesses to one at
  /// each callback took a tenth of the time.
  private let target: UnsafeMutablePointer<FeedBuilder>
  private var block: [UInt8] = []

  /// Makes a parser that tells a builder what the document holds; nil when there is no memory.
  init?(builder: FeedBuilder) {
    xmlInitParser()
    var handler = xmlSAXHandler()
    handler.initialized = UInt32(truncatingIfNeeded: XML_SAX2_MAGIC)
    handler.startElementNs = { user, local, prefix, namespace, _, _, count, _, attributes in
      guard let user, let local else { return }
      user.assumingMemoryBound(to: FeedBuilder.self).pointee.startElement(
        ElementName(local: local, prefix: prefix, namespace: namespace),
        ElementAttributes(attributes, count: Int(count)))
    }
    handler.endElementNs = { user, local, _, _ in
      guard let user, let local else { return }
      user.assumingMemoryBound(to: FeedBuilder.self).pointee.endElement(local)
    }
    let characters: charactersSAXFunc = { user, bytes, count in
      guard let user, let bytes, count > 0 else { return }
      user.assumingMemoryBound(to: FeedBuilder.self).pointee
        .characters(UnsafeBufferPointer(start: bytes, count: Int(count)))
    }
    handler.characters = characters
    handler.ignorableWhitespace = characters
    handler.cdataBlock = characters
    let target = UnsafeMutablePointer<FeedBuilder>.allocate(capacity: 1)
    target.initialize(to: builder)
    guard let context = xmlCreatePushParserCtxt(&handler, target, nil, 0, nil) else {
      target.deinitialize(count: 1)
      target.deallocate()
      return nil
    }
    // References to predefined entities are replaced in attributes only with NOENT; no others are
    // ever declared.
    let options =
      XML_PARSE_RECOVER.rawValue | XML_PARSE_NONET.rawValue | XML_PARSE_NOENT.rawValue
      | XML_PARSE_NOERROR.rawValue | XML_PARSE_NOWARNING.rawValue
    xmlCtxtUseOptions(context, Int32(bitPattern: options))
    self.context = context
    self.target = target
    block.reserveCapacity(Self.blockBytes)
  }

  deinit {
    xmlFreeParserCtxt(context)
    target.deinitialize(count: 1)
    target.deallocate()
  }

  /// What was built so far.
  var builder: FeedBuilder { target.pointee }

  /// Whether a limit of the document was passed, so that nothing more needs to come.
  var isStopped: Bool { target.pointee.passedLimit != nil }

  /// Takes the next bytes of the document.
  func add(_ bytes: UnsafeBufferPointer<UInt8>) {
    var rest = bytes
    while !rest.isEmpty {
      let count = min(rest.count, Self.blockBytes - block.count)
      block.append(contentsOf: UnsafeBufferPointer(rebasing: rest[..<count]))
      rest = UnsafeBufferPointer(rebasing: rest[count...])
      if block.count == Self.blockBytes { pass() }
    }
  }

  /// Passes on what is left of the document.
  func finish() {
    pass()
    xmlParseChunk(context, nil, 0, 1)
  }

  private func pass() {
    block.withUnsafeBytes { bytes in
      let characters = bytes.bindMemory(to: CChar.self)
      _ = xmlParseChunk(context, characters.baseAddress, Int32(characters.count), 0)
    }
    block.removeAll(keepingCapacity: true)
  }
}
