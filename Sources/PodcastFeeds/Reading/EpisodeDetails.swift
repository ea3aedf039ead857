/// What a feed says about an episode besides what is needed to download it.
public struct EpisodeDetails: Sendable, Hashable {
  /// A transcript or captions (`podcast:transcript`).
  public struct Transcript: Sendable, Hashable {
    /// The absolute address.
    public var url: String
    /// The media type, such as `text/vtt`.
    public var type: String?
    /// The language, such as `en`.
    public var language: String?
  }

  /// Somebody who takes part (`podcast:person`).
  public struct Person: Sendable, Hashable {
    /// The name.
    public var name: String
    /// The role, in lower case; `host` where the feed names none.
    public var role: String
    /// The absolute address of a page about the person.
    public var url: String?
  }

  /// The longest description that the item has, as published: HTML mostly. Markup that is
  /// not escaped, as in Atom's XHTML, comes without its attributes. Cut at 256 KiB.
  public var description: String?
  /// The absolute address of the episode's page.
  public var link: String?
  /// The absolute address of the chapters (`podcast:chapters`).
  public var chaptersURL: String?
  /// The chapters that the feed has itself (Podlove Simple Chapters), by their beginnings.
  public var chapters: [Chapter] = []
  /// The transcripts, in the feed's order.
  public var transcripts: [Transcript] = []
  /// The persons, in the feed's order.
  public var persons: [Person] = []
  /// Whether the episode is marked as explicit; nil when the feed does not say so.
  public var isExplicit: Bool?

  /// Makes details that say nothing.
  public init() {}

  /// How many bytes its texts have, roughly.
  var bytes: Int {
    func count(_ texts: String?...) -> Int { texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) } }
    let transcripts = transcripts.reduce(0) { $0 + 64 + count($1.url, $1.type, $1.language) }
    let persons = persons.reduce(0) { $0 + 64 + count($1.name, $1.role, $1.url) }
    let chapters = chapters.reduce(0) { $0 + 64 + count($1.title, $1.url) }
    return count(description, link, chaptersURL) + chapters + transcripts + persons
  }

  /// Puts the chapters in order; those with equal beginnings stay as they are.
  mutating func sortChapters() {
    chapters = chapters.enumerated()
      .sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }.map(\.element)
  }

  /// The description without markup, with one line feed for each line; computed at each call.
  public var text: String? { description.flatMap { DescriptionText.text($0) } }

  /// The same with marks for items and numbers for links.
  ///
  /// - Parameter includesPage: whether the episode's page is the first link.
  public func notes(includesPage: Bool = false) -> ShowNotes? {
    description.flatMap { ShowNotes($0, page: includesPage ? link : nil) }
  }
}
