/// What was found where a feed was expected.
public enum FeedContent: Sendable, Hashable {
  /// A feed, or as much of one as came before it broke (``FeedDocument/error``).
  case feed(FeedDocument)
  /// A web page, with the feeds that it links to; there may be none.
  case webPage([FeedLink])
}
