/// The format of a feed.
public enum FeedFormat: String, Sendable, Hashable, CaseIterable {
  /// RSS 0.91 to 2.0.
  case rss
  /// RSS 0.90 and 1.0, which are written in RDF.
  case rdf
  /// Atom 0.3 and 1.0 (RFC 4287).
  case atom
  /// JSON Feed 1.0 and 1.1.
  case json
}
