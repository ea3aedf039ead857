/// What the root element shows about a document.
enum MarkupKind {
  case feed
  /// OPML.
  case outlines
  case webPage
}

extension MarkupKind {
  /// The longest tag in bytes; a longer one is left out. One of a list of subscriptions may hold an image
  /// in an attribute.
  var longestTag: Int { self == .outlines ? 1024 * 1024 : 64 * 1024 }
}
