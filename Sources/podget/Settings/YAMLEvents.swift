internal import CYAML

/// The events of a YAML text, as libyaml reads it (YAML 1.1). Anchors, aliases and tags are refused
/// where they are, so that nothing stands for more than itself.
struct YAMLEvents {
  struct Scalar {
    var text: String
    var isQuoted: Bool
    /// Whether it is nothing, or one of the words for it.
    var isNull: Bool { !isQuoted && ["", "~", "null", "Null", "NULL"].contains(text) }
  }

  struct Event {
    enum Kind {
      /// Of the text or of a document.
      case start
      case scalar(Scalar)
      case list
      case mapping
      /// Of a list or a mapping.
      case close
      /// Of the text.
      case end
    }

    var kind: Kind
    var place: ConfigurationFile.Place
  }

  private var parser = yaml_parser_t()
  private let bytes: UnsafeBufferPointer<UInt8>

  /// Begins to read bytes, which must stay where they are until ``end()``.
  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    yaml_parser_initialize(&parser)
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(&parser, bytes.baseAddress, bytes.count)
  }

  /// Frees what libyaml holds.
  mutating func end() { yaml_parser_delete(&parser) }

  /// The next event; the ends of documents are left out.
  mutating func next() throws(YAMLProblem) -> Event {
    while true {
      var event = yaml_event_t()
      guard yaml_parser_parse(&parser, &event) == 1 else { throw problem }
      defer { yaml_event_delete(&event) }
      let place = Self.place(event.start_mark)
      let data = event.data
      switch event.type {
      case YAML_SCALAR_EVENT:
        try refuse(anchor: data.scalar.anchor, tag: data.scalar.tag, at: place)
        let text = UnsafeBufferPointer(start: data.scalar.value, count: data.scalar.length)
        let scalar = Scalar(
          text: String(decoding: text, as: UTF8.self),
          isQuoted: data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
        return Event(kind: .scalar(scalar), place: place)
      case YAML_MAPPING_START_EVENT:
        try refuse(anchor: data.mapping_start.anchor, tag: nil, at: place)
        return Event(kind: .mapping, place: place)
      case YAML_SEQUENCE_START_EVENT:
        try refuse(anchor: data.sequence_start.anchor, tag: nil, at: place)
        return Event(kind: .list, place: place)
      case YAML_ALIAS_EVENT: throw Self.alias(at: place)
      case YAML_MAPPING_END_EVENT, YAML_SEQUENCE_END_EVENT: return Event(kind: .close, place: place)
      case YAML_STREAM_START_EVENT, YAML_DOCUMENT_START_EVENT:
        return Event(kind: .start, place: place)
      case YAML_STREAM_END_EVENT, YAML_NO_EVENT: return Event(kind: .end, place: place)
      default: break
      }
    }
  }

  private func refuse(
    anchor: UnsafePointer<UInt8>?, tag: UnsafePointer<UInt8>?, at place: ConfigurationFile.Place
  ) throws(YAMLProblem) {
    guard anchor == nil else { throw Self.alias(at: place) }
    guard let tag else { return }
    let name = String(cString: tag)
    // The tags of scalars that have none in the text.
    guard ["!", "tag:yaml.org,2002:str"].contains(name) else {
      throw YAMLProblem(place, "podget knows no tags, such as \(YAMLPairs.shown(name)).")
    }
  }

  private static func alias(at place: ConfigurationFile.Place) -> YAMLProblem {
    YAMLProblem(place, "podget knows no anchors and aliases (&name, *name).")
  }

  private static func place(_ mark: yaml_mark_t) -> ConfigurationFile.Place {
    .init(line: Int(clamping: mark.line) + 1, column: Int(clamping: mark.column) + 1)
  }

  /// Why libyaml cannot read on. Its texts are fixed ones, with blanks at their ends.
  private var problem: YAMLProblem {
    let words = [parser.context, parser.problem].compactMap { $0.map(String.init(cString:)) }
      .flatMap { $0.split(separator: " ") }.joined(separator: " ")
    let place =
      parser.error == YAML_READER_ERROR
      ? place(ofByte: parser.problem_offset) : Self.place(parser.problem_mark)
    return YAMLProblem(place, "this is not YAML: \(words).")
  }

  private func place(ofByte offset: Int) -> ConfigurationFile.Place {
    let before = bytes.prefix(max(0, offset))
    let line = before.count { $0 == 0x0A } + 1
    let start = before.lastIndex(of: 0x0A).map(before.index(after:)) ?? before.startIndex
    // The first byte of each Unicode scalar.
    return .init(line: line, column: before[start...].count { $0 & 0xC0 != 0x80 } + 1)
  }
}
