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

  private enum CodingKeys: String, CodingKey {
    case description, page, chapters, chaptersURL, artwork
  }

  /// The most bytes of the description, and of the titles of all chapters together.
  package static let mostBytes = PlannedBelonging.mostTextBytes

  /// Creates one that knows nothing.
  package init() {}
}

extension PlannedTags {
  /// Reads one from a record. What is longer than podget writes is cut or left out: it would take long to
  /// search it for passwords.
  package init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    func address(_ key: CodingKeys) throws -> String? {
      try members.decodeIfPresent(String.self, forKey: key).flatMap {
        $0.utf8.count <= WebAddress.maximumBytes ? $0 : nil
      }
    }
    description = try members.decodeIfPresent(String.self, forKey: .description)?
      .prefix(maximumBytes: Self.mostBytes)
    page = try address(.page)
    chapters = try members.decodeIfPresent([Chapter].self, forKey: .chapters).flatMap { chapters in
      chapters.reduce(0) { $0 + $1.title.utf8.count } <= Self.mostBytes ? chapters : nil
    }
    chaptersURL = try address(.chaptersURL)
    artwork = try address(.artwork)
  }
}
