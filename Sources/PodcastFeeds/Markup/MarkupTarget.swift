/// What gets the parts of a document as ``MarkupReader`` reads them.
///
/// Bytes are lent for the call. Names are as written, with their prefix.
protocol MarkupTarget {
  /// Whether the document must be well formed, with comments and instructions kept. Nothing is read
  /// behind the first fault then, and the document has to come in one piece.
  static var isStrict: Bool { get }

  /// Whether text here says something.
  var wantsText: Bool { get }
  /// Whether nothing more has to come.
  var isStopped: Bool { get }

  /// An element begins.
  mutating func start(_ name: UnsafeBufferPointer<UInt8>, _ attributes: ElementAttributes)
  /// The innermost element ends.
  mutating func end(_ name: UnsafeBufferPointer<UInt8>)
  /// Text of the innermost element, or a part of it, references replaced.
  mutating func text(_ bytes: UnsafeBufferPointer<UInt8>)
  /// A comment, without its marks; only where ``isStrict`` is true.
  mutating func comment(_ bytes: UnsafeBufferPointer<UInt8>)
  /// What stands between `<?` and `?>`, at a place in the document; only where ``isStrict`` is true.
  mutating func instruction(_ bytes: UnsafeBufferPointer<UInt8>, at place: Int)
  /// XML forbids what stands at a place in the document; only where ``isStrict`` is true.
  mutating func fault(_ fault: MarkupFault, at place: Int)
}

extension MarkupTarget {
  static var isStrict: Bool { false }
  var isStopped: Bool { false }

  mutating func comment(_ bytes: UnsafeBufferPointer<UInt8>) {}
  mutating func instruction(_ bytes: UnsafeBufferPointer<UInt8>, at place: Int) {}
  mutating func fault(_ fault: MarkupFault, at place: Int) {}
}
