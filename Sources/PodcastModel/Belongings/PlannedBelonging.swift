/// A file that is to be stored beside an episode: what a feed names, or has itself.
package struct PlannedBelonging: Codable, Sendable, Hashable {
  /// Its kind.
  package var kind: Belonging
  /// Its absolute address; nil for what the feed has itself.
  package var url: String?
  /// The media type that the feed names, if it does.
  package var type: String?
  /// What the feed has itself, as it is stored.
  package var text: String?

  /// The most bytes of a text.
  package static let mostTextBytes = 64 << 10

  /// Creates one that a server has.
  package init(_ kind: Belonging, url: String, type: String? = nil) {
    (self.kind, self.url, self.type) = (kind, url, type)
  }

  /// Creates one that the feed has itself; nil for a text with more bytes than are kept. A part of it
  /// might mean something else.
  package init?(_ kind: Belonging, text: String) {
    guard text.utf8.count <= Self.mostTextBytes else { return nil }
    (self.kind, self.text) = (kind, text)
  }
}
