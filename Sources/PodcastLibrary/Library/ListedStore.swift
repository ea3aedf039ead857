import FoundationEssentials
import Glibc
package import PodcastModel
import PodcastTransfer

/// What followed feeds listed when they were last read, in `.podget/listed.db`.
///
/// It is a cache: it may be deleted at any time. A feed of which it has nothing is read again. Each call
/// opens it and closes it again, and blocks on the disk.
package struct ListedStore {
  /// An episode that a feed lists.
  package struct Item: Sendable, Hashable {
    /// The key that it has, or will have, in the library.
    package var key: String
    /// The episode as it was published.
    package var episode: Episode
    /// Whether it was first listed after its podcast was followed.
    package var isNew: Bool

    /// Creates an item.
    package init(key: String, _ episode: Episode, isNew: Bool) {
      (self.key, self.episode, self.isNew) = (key, episode, isNew)
    }
  }

  /// A feed's list.
  package struct Listing: Sendable, Hashable {
    /// The address first subscribed.
    package var feed: String
    /// The podcast as its feed describes it.
    package var podcast: Podcast
    /// The newest episodes, newest first.
    package var items: [Item]
    /// The digest of the feed's body, as its state has it; empty if there is none.
    package var body = ""
    /// Whether the feed lists no other episodes.
    package var isWhole = false
    /// Whether the podcast was not followed before: then nothing of an earlier list stays new.
    package var isFirst = false

    /// Creates a list with the newest of some episodes.
    package init(feed: String, podcast: Podcast, items: [Item]) {
      self.feed = feed
      self.podcast = podcast
      let sorted = items.sorted { first, second in
        (first.episode.date ?? .distantPast) > (second.episode.date ?? .distantPast)
      }
      self.items = Array(sorted.prefix(ListedStore.mostItems))
    }
  }

  /// A list as it is stored.
  package struct Encoded: Sendable {
    fileprivate var listing: Listing
    fileprivate var text: String

    /// Encodes a list, which takes some milliseconds for thousands of episodes; nil if that is not
    /// possible.
    package init?(_ listing: Listing) {
      self.listing = listing
      guard let first = try? ListedStore.text(of: listing) else { return nil }
      text = first
      while text.utf8.count > ListedStore.mostBytes, !self.listing.items.isEmpty {
        self.listing.items.removeLast((self.listing.items.count + 1) / 2)
        self.listing.isWhole = false
        guard let shorter = try? ListedStore.text(of: self.listing) else { return nil }
        text = shorter
      }
    }
  }

  /// The form of a list in the file.
  private struct Content: Codable {
    struct Item: Codable {
      var key: EpisodeKey
      var episode: StoredEpisode
    }

    var podcast: StoredPodcast
    var episodes: [Item]
    /// Whether that is all; nil in a list of before.
    var isWhole: Bool?
  }

  /// The file's name in `.podget`.
  package static let name = "listed.db"
  /// How many episodes of a feed are stored.
  package static let mostItems = 2_000
  /// How long the text of a list may be, in bytes.
  private static let mostBytes = 16 << 20
  /// The length of a key with the space behind it.
  private static let keyLength = 33

  private let library: Library
  private let file: DatabaseFile

  /// Names the store of a library; nothing is opened yet.
  package init(_ library: Library) {
    self.library = library
    // A process that was stopped while it writes holds up no sync.
    file = DatabaseFile(
      Self.name, version: 2, in: library, usesLog: false, patience: 500
    ) { db in
      try db.execute(
        """
        CREATE TABLE feed (
          address TEXT PRIMARY KEY,
          body TEXT NOT NULL DEFAULT '',
          asked TEXT NOT NULL DEFAULT '',
          news TEXT NOT NULL DEFAULT '',
          content TEXT
        ) STRICT;
        PRAGMA user_version = 2
        """)
    }
  }

  /// Removes the lists of all other feeds.
  ///
  /// - Parameter feeds: the addresses first subscribed of all that is followed, with the digests of the
  ///   bodies that were read last; empty where there is none, and the feed is read anyway.
  /// - Returns: the feeds without the list of that body, which are to be read; each once for a body,
  ///   and none if that cannot be written: then reading them would not help.
  package func unlisted(of feeds: [String: String]) -> Set<String> {
    let missing = try? using { db in
      var left = feeds.filter { !$0.value.isEmpty }
      var hasOthers = false
      let rows = try IndexRows(db, "SELECT address, body, asked, content IS NOT NULL FROM feed")
      while var row = try rows.next() {
        let (address, body, asked) = (try row.text(), try row.text(), try row.text())
        let hasList = try row.integer() != 0
        guard let now = feeds[address] else {
          hasOthers = true
          continue
        }
        if hasList && body == now || asked == now { left[address] = nil }
      }
      guard hasOthers || !left.isEmpty else { return Set<String>() }
      let all = String(decoding: try JSONEncoder().encode(Array(feeds.keys)), as: UTF8.self)
      try db.transaction(.immediate) {
        if hasOthers {
          try db.run("DELETE FROM feed WHERE address NOT IN (SELECT value FROM json_each(\(all)))")
        }
        // Written before the feed is read: what cannot be written is not read for it.
        for (address, body) in left {
          try db.run(
            """
            INSERT INTO feed (address, asked) VALUES (\(address), \(body))
            ON CONFLICT DO UPDATE SET asked = excluded.asked
            """)
        }
      }
      return Set(left.keys)
    }
    return missing ?? []
  }

  /// Removes the lists of feeds.
  ///
  /// - Parameter feeds: the addresses first subscribed.
  package func forget(_ feeds: Set<String>) {
    guard !feeds.isEmpty, (try? exists) == true else { return }
    try? using { db in
      let all = String(decoding: try JSONEncoder().encode(feeds.sorted()), as: UTF8.self)
      try db.run("DELETE FROM feed WHERE address IN (SELECT value FROM json_each(\(all)))")
    }
  }

  /// Stores lists in place of earlier ones. What was new in an earlier one stays new.
  ///
  /// - Throws: an error if they could not be stored; the earlier ones stay.
  package func store(_ lists: [Encoded]) throws {
    guard !lists.isEmpty else { return }
    try using { db in
      try db.transaction(.immediate) {
        for list in lists {
          let (listing, text) = (list.listing, list.text)
          let before = listing.isFirst ? [] : try Self.news(of: listing.feed, in: db)
          let news = listing.items.lazy.filter { $0.isNew || before.contains($0.key) }
          let keys: String = news.map { "\($0.key) " }.joined()
          try db.run(
            """
            INSERT OR REPLACE INTO feed (address, body, news, content)
            VALUES (\(listing.feed), \(listing.body), \(keys), \(text))
            """)
        }
      }
    }
  }

  /// The keys of the new episodes of each feed that has a list, by the addresses first subscribed.
  ///
  /// - Throws: an error if the store cannot be read. Without a file there is nothing in it.
  package func news() throws -> [String: Set<String>] {
    guard try exists else { return [:] }
    return try using { db in
      var found: [String: Set<String>] = [:]
      let rows = try IndexRows(
        db,
        """
        SELECT address, news FROM feed
        WHERE content IS NOT NULL AND length(news) <= \(Self.keyLength * Self.mostItems)
        """)
      while var row = try rows.next() {
        found[try row.text()] = Set(Self.keys(in: try row.text()))
      }
      return found
    }
  }

  /// The list of a feed; nil if there is none. One that cannot be used is removed, so that the next sync
  /// reads the feed.
  ///
  /// - Parameter feed: the address first subscribed.
  /// - Throws: an error if the store cannot be read.
  package func listing(of feed: String) throws -> Listing? {
    guard try exists else { return nil }
    return try using { db in
      let row = try IndexRows.first(
        db,
        """
        SELECT iif(length(CAST(content AS BLOB)) <= \(Self.mostBytes), content, '') FROM feed
        WHERE address = \(feed) AND content IS NOT NULL
        """
      ) { row in try row.text() }
      guard let row else { return nil }
      guard let content = try? JSONDecoder().decode(Content.self, from: Data(row.utf8)) else {
        try? db.run("UPDATE feed SET content = NULL, body = '', asked = '' WHERE address = \(feed)")
        return nil
      }
      let news = try Self.news(of: feed, in: db)
      let items = content.episodes.prefix(Self.mostItems).map {
        Item(key: $0.key.text, $0.episode.episode, isNew: news.contains($0.key.text))
      }
      var listing = Listing(feed: feed, podcast: content.podcast.podcast, items: items)
      listing.isWhole = content.isWhole == true && items.count == content.episodes.count
      return listing
    }
  }
}

extension ListedStore {
  private var exists: Bool {
    get throws {
      do throws(DiskError) {
        let folder = try OpenFile.ownFolder(nil, in: library.root, creating: false)
        return folder.status(of: Self.name) != nil
      } catch {
        guard error.number == ENOENT else { throw error }
        return false
      }
    }
  }

  /// Uses the file; a damaged one is replaced.
  private func using<Result>(_ work: (SQLiteConnection) throws -> Result) throws -> Result {
    let folder = try OpenFile.ownFolder(nil, in: library.root, creating: true)
    return try file.use(in: folder) { try work(try file.open()) }
  }

  private static func text(of listing: Listing) throws -> String {
    let items = listing.items.compactMap { item in
      EpisodeKey(item.key).map { Content.Item(key: $0, episode: StoredEpisode(item.episode)) }
    }
    let content = Content(
      podcast: StoredPodcast(listing.podcast), episodes: items,
      isWhole: listing.isWhole && items.count == listing.items.count ? true : nil)
    return String(
      decoding: try RecordEncoder.data(content, for: name, isSorted: false), as: UTF8.self)
  }

  private static func news(of feed: String, in db: SQLiteConnection) throws -> Set<String> {
    let text = try IndexRows.first(db, "SELECT news FROM feed WHERE address = \(feed)") { row in
      try row.text()
    }
    return Set(keys(in: text ?? ""))
  }

  private static func keys(in text: String) -> [String] {
    text.split(separator: " ").prefix(mostItems).map(String.init)
  }
}
