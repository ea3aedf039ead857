package import PodcastModel

/// A list of subscriptions that another program wrote, read as far as it goes.
package struct OPMLImport: Sendable {
  /// What an outline of the list means.
  package enum Verdict: Sendable, Hashable {
    /// It is a feed.
    case feed
    /// It is none, and need not be one. The sentence says why.
    case ignored(reason: String)
    /// It should be one, and its address is none that podget can fetch. The sentence says why.
    case invalid(reason: String)
  }

  /// An outline that is no folder.
  package struct Entry: Sendable, Hashable {
    /// The name of the podcast.
    package var title: String?
    /// The address as written, white space at its ends removed. It may hold a password or a token.
    package var address: String?
    /// The address of the feed, when the outline is one.
    package var url: FeedURL?
    /// The folders in which it lies and the categories that it names: names with slashes between them,
    /// each path once.
    package var categories: [String]
    /// The attributes of podget's namespace.
    package var settings: [OPMLAttribute]
    /// The line of the file, from 1.
    package var line: Int
    /// What it means.
    package var verdict: Verdict
  }

  /// All outlines but folders, in the order of the file.
  package var entries: [Entry] = []
  /// The title of the list.
  package var title: String?
  /// Why the list was not read to its end. What came before is in ``entries``.
  package var problem: PodgetError?

  /// Reads a list in any encoding, well formed or not.
  ///
  /// Throws ``PodgetError/Code/decoding`` when it is no OPML at all. A list without a feed is no error
  /// here.
  ///
  /// - Parameter name: what the list is called in messages: its file, or its address.
  package static func read(_ bytes: [UInt8], name: String) throws(PodgetError) -> OPMLImport {
    var result = OPMLImport()
    let (text, isTooLarge) = decoded(bytes)
    var walk = OPMLWalk(text)
    var found: MarkupKind?
    var isComplete = true
    var start = 0
    for _ in 0..<maximumDocuments where isComplete {
      var reader = MarkupReader(walk, root: .outlines, at: start)
      text[start...].withUnsafeBufferPointer { reader.add($0) }
      found = found ?? reader.kind
      guard reader.kind == .outlines else { break }
      walk = reader.target
      isComplete = reader.isComplete
      start = reader.place
    }
    guard found == .outlines else {
      let isEmpty = text.allSatisfy(MarkupTag.isSpace)
      var error = PodgetError(.decoding, sentence(found, isEmpty: isEmpty), of: name)
      if found == .feed { error.remedy = .subscribe }
      throw error
    }
    walk.finish()
    var problem: String?
    if walk.isStopped {
      problem = "There are more than \(OPMLLimits.outlines) outlines."
    } else if isTooLarge {
      problem = "The list has more than \(OPMLLimits.bytes / 1_048_576) MiB."
    } else if !isComplete {
      problem = "The list is cut short or damaged."
    }
    result.entries = walk.entries
    result.title = walk.title
    result.problem = problem.map { PodgetError(.decoding, $0, of: name) }
    return result
  }

  /// The most root elements in a file. There is one; files of several were joined by hand.
  private static let maximumDocuments = 20

  /// The text, and whether there is more of it.
  private static func decoded(_ bytes: [UInt8]) -> (text: [UInt8], isTooLarge: Bool) {
    var text: [UInt8] = []
    var decoder = FeedDecoder(charset: nil)
    bytes.prefix(OPMLLimits.bytes).withUnsafeBufferPointer { decoder.add($0, to: &text) }
    decoder.finish(to: &text)
    text = OPMLText.lines(text)
    // A character may have more bytes in UTF-8.
    let isTooLarge = max(bytes.count, text.count) > OPMLLimits.bytes
    if isTooLarge { text = Array(text.prefix(OPMLLimits.bytes)) }
    return (text, isTooLarge)
  }

  private static func sentence(_ kind: MarkupKind?, isEmpty: Bool) -> String {
    if isEmpty { return "The list is empty." }
    return switch kind {
    case .feed: "This is a feed, not a list of feeds (OPML)."
    case .webPage: "This is a web page, not a list of feeds (OPML)."
    default: "This is not a list of feeds (OPML)."
    }
  }

  /// For each entry the index of the first one that is the same feed; nil for the first one itself and
  /// for what is no feed.
  ///
  /// Addresses that differ in their scheme, in tracking services and parameters are the same.
  package func duplicates() -> [Int?] {
    var known: [ComparableAddress: Int] = [:]
    return entries.enumerated().map { index, entry in
      guard let url = entry.url, let address = ComparableAddress(url.text) else { return nil }
      if let first = known[address] { return first }
      known[address] = index
      return nil
    }
  }
}
