/// What gets the parts of a document as ``MarkupReader`` reads them.
///
/// Bytes are lent for the call. Names are as written, with their prefix.
protocol MarkupTarget {
  /// Whether text here says something.
  var wantsText: Bool { get }

  /// An element begins.
  mutating func start(_ name: UnsafeBufferPointer<UInt8>, _ attributes: ElementAttributes)
  /// The innermost element ends.
  mutating func end(_ name: UnsafeBufferPointer<UInt8>)
  /// Text of the innermost element, or a part of it, references replaced.
  mutating func text(_ bytes: UnsafeBufferPointer<UInt8>)
}
