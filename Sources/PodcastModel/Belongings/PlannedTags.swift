/// What only a feed knows of an episode whose file gets tags. It is planned with the download, so that
/// one that is continued later writes the same.
package struct PlannedTags: Codable, Sendable, Hashable {
  /// Where a part of the episode begins.
  package struct Chapter: Codable, Sendable, Hashable {
    /// Milliseconds from the beginning.
    package var start: Int64
    package var title: String

    package init(start: Int64, title: String) { (self.start, self.title) = (start, title) }
  }

  /// The words about the episode, without markup.
  package var description: String?
  /// The address of its page.
  package var page: String?
  /// Its chapters, as the feed has them itself.
  package var chapters: [Chapter]?
  /// The address of its chapters, if the feed does not have them itself.
  package var chaptersURL: String?
  /// The address of its image, or of the podcast's.
  package var artwork: String?

  /// The most bytes of the description, and of the titles of all chapters together.
  package static let mostBytes = PlannedBelonging.mostTextBytes

  /// Creates one that knows nothing.
  package init() {}
}
