public import PodcastModel

/// A chapter of an episode: of JSON chapters, or of Podlove's Simple Chapters in a feed.
public struct Chapter: Sendable, Hashable {
  /// Where it begins.
  public var start: Duration
  /// The title; never empty.
  public var title: String
  /// The absolute address of a page about it.
  public var url: String?

  /// The most bytes of a document with chapters.
  package static let maximumBytes = 1 << 20
  /// The title of a chapter that has none.
  static let untitled = "Untitled chapter"

  /// Makes a chapter.
  public init(start: Duration, title: String, url: String? = nil) {
    self.start = start
    self.title = title
    self.url = url
  }

  /// Reads JSON chapters, to which `podcast:chapters` leads (JSON Chapters Format 1.2).
  ///
  /// Chapters that are not in the table of contents are left out. A document that is cut gives the
  /// chapters before the cut.
  ///
  /// - Parameters:
  ///   - bytes: the document.
  ///   - charset: the encoding that the server names, if it does.
  /// - Returns: the chapters by their beginnings.
  /// - Throws: ``PodgetError/Code/decoding`` for anything else.
  public static func list(
    in bytes: some Sequence<UInt8>, charset: String? = nil
  ) throws(PodgetError) -> [Chapter] {
    let text = DocumentText.decoded(bytes, charset: charset, maximumBytes: maximumBytes)
    var chapters: [(start: Int, chapter: Chapter)]?
    text.withUnsafeBufferPointer { bytes in
      var scanner = JSONScanner(bytes)
      // What came before a fault counts.
      try? scanner.object { (scanner, name) throws(JSONScanner.Fault) in
        guard name == "chapters", scanner.isArray() else { return try scanner.skip() }
        chapters = chapters ?? []
        try scanner.array { scanner throws(JSONScanner.Fault) in
          guard let (start, chapter) = try read(&scanner) else { return }
          if let count = chapters?.count, count < FeedLimits.chapters {
            chapters?.append((start, chapter))
          }
        }
      }
    }
    guard let chapters else {
      throw PodgetError(
        .decoding,
        DocumentText.isWebPage(text)
          ? "There is a web page instead of the chapters." : "The list of chapters is not readable."
      )
    }
    // Equal beginnings stay in the order of the document.
    return chapters.enumerated().sorted {
      ($0.element.start, $0.offset) < ($1.element.start, $1.offset)
    }
    .map(\.element.chapter)
  }

  private static func read(
    _ scanner: inout JSONScanner
  ) throws(JSONScanner.Fault) -> (start: Int, chapter: Chapter)? {
    guard scanner.isObject() else {
      try scanner.skip()
      return nil
    }
    var start: Int?
    var chapter = Chapter(start: .zero, title: untitled)
    var isListed = true
    try scanner.object { (scanner, name) throws(JSONScanner.Fault) in
      switch name {
      case "startTime": start = MediaTime.milliseconds(try scanner.scalar())
      case "title":
        let title = try scanner.scalar()?.text.flatMap { FeedText.line($0.utf8) }
        chapter.title = title ?? chapter.title
      case "url":
        let url = try scanner.scalar()?.text
        chapter.url = url.flatMap { FeedAddress.absolute($0, base: nil) }
      case "toc": isListed = try scanner.scalar() != .bool(false)
      default: try scanner.skip()
      }
    }
    guard let start, isListed else { return nil }
    chapter.start = .milliseconds(start)
    return (start, chapter)
  }
}
