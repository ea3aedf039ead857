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
    var walk = OPMLWalk()
    let repaired = OPMLRepair.documents(bytes)
    guard repaired.found == .outlines else {
      var error = PodgetError(
        .decoding, sentence(repaired.found, isEmpty: repaired.isEmpty), of: name)
      if repaired.found == .feed { error.remedy = .subscribe }
      throw error
    }
    var problem: String?
    for document in repaired.documents {
      let (root, sentence) = OPMLRepair.parse(document)
      if let root { walk.add(root) }
      problem = problem ?? sentence
    }
    if repaired.isTooLarge {
      problem = problem ?? "The list has more than \(OPMLLimits.bytes / 1_048_576) MiB."
    } else if !repaired.isComplete {
      problem = problem ?? "The list is cut short or damaged."
    }
    result.entries = walk.entries
    result.title = walk.title
    result.problem = problem.map { PodgetError(.decoding, $0, of: name) }
    return result
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
