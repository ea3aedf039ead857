package import FoundationEssentials
package import PodcastModel

/// A podcast as its published feed and page have it.
package struct PublishedPodcast: Sendable, Hashable {
  /// Its folder below the base.
  package var name: PublishedName
  /// The title on one line.
  package let title: String
  /// The author on one line.
  package let author: String?
  /// The podcast's UUID, which stays when its feed moves (`podcast:guid`).
  package let guid: String?
  /// The name of its artwork, beside its page; nil if there is none.
  package var artwork: String?
  /// The episodes, in the order in which they are listed.
  package var items: [PublishedItem] = []

  /// Describes a podcast without episodes.
  package init(_ podcast: Podcast, name: PublishedName, guid: String? = nil) {
    self.name = name
    title = FeedText.published(podcast.shownTitle) ?? name.text
    author = podcast.author.flatMap { FeedText.published($0) }
    self.guid = guid.flatMap { FeedText.publishedToken($0, maximumBytes: 64) }
  }

  /// The size of its episodes.
  package var bytes: Int64 { ByteSum.of(items.map(\.bytes)) }
}

/// What a feed was published with as the guid of an episode.
package enum PublishedGUID: Sendable, Hashable {
  /// The guid of the episode.
  case own(String)
  /// The episode's key.
  case key

  /// A guid that feeds may have; nil for any other text.
  package init?(own text: String) {
    guard FeedText.publishedToken(text, maximumBytes: FeedLimits.guidBytes) == text else {
      return nil
    }
    self = .own(text)
  }
}

/// An episode as its published feed and page have it: what its publisher said of it, bounded, and the
/// file that is there.
package struct PublishedItem: Sendable, Hashable {
  /// The longest duration that a feed can have, in seconds.
  private static let longest: Int64 = 31 * 86_400

  /// The name of its file.
  package let file: String
  /// The original guid; the episode's key if it has none, one that no feed can have, one that may have a
  /// password or a token in it, or that of another episode of the feed.
  package private(set) var guid: String
  /// The episode's key.
  package let key: String
  /// The title on one line.
  package let title: String
  /// When it was published, of the years that a feed can have.
  package let date: Date?
  /// The duration in whole seconds.
  package let seconds: Int64?
  /// The real length of the file.
  package let bytes: Int64
  /// The season's number, from 1.
  package let season: Int?
  /// The episode's number, from 1.
  package let number: Int?
  /// Its type.
  package let kind: Episode.Kind

  /// Describes an episode.
  ///
  /// - Parameters:
  ///   - episode: the episode.
  ///   - key: its key.
  ///   - file: the name of its file.
  ///   - bytes: the length of its file.
  package init(_ episode: Episode, key: EpisodeKey, file: String, bytes: Int64) {
    self.file = file
    self.bytes = bytes
    self.key = key.text
    guid =
      episode.guid.flatMap { FeedText.publishedToken($0, maximumBytes: FeedLimits.guidBytes) }
      ?? key.text
    title = FeedText.published(episode.title) ?? "Untitled"
    date = episode.date.flatMap {
      Date.calendarRange.contains($0.timeIntervalSince1970) ? $0 : nil
    }
    seconds = episode.duration.flatMap {
      (1...Self.longest).contains($0.components.seconds) ? $0.components.seconds : nil
    }
    season = Self.number(episode.season)
    number = Self.number(episode.number)
    kind = episode.kind
  }

  /// The media type that its extension stands for.
  package var mediaType: String {
    FileExtension.mediaType(of: file.split(separator: ".").last.map(String.init) ?? "")
      ?? "application/octet-stream"
  }

  /// Whether the key is in the place of the guid.
  package var hasKeyAsGUID: Bool { guid == key }

  /// The guid, for the next time that it is published.
  package var published: PublishedGUID { hasKeyAsGUID ? .key : .own(guid) }

  /// Gives each episode of a feed a guid of its own, and those that were published the same as before.
  ///
  /// - Parameters:
  ///   - items: the episodes.
  ///   - earlier: what an episode was published with, by its key; nil for one that is new.
  package static func makeDistinct(
    _ items: inout [PublishedItem], earlier: (_ key: String) -> PublishedGUID?
  ) {
    var taken = Set(items.lazy.map(\.key))
    var known: Set<String> = []
    for place in items.indices {
      switch earlier(items[place].key) {
      case .own(let guid)?:
        items[place].guid = guid
        known.insert(items[place].key)
      case .key?: items[place].guid = items[place].key
      case nil: break
      }
    }
    // A published guid stays where it is; the first key of several new ones decides.
    let order = items.indices.sorted { first, second in
      let keys = (items[first].key, items[second].key)
      let isKnown = (known.contains(keys.0), known.contains(keys.1))
      return isKnown.0 == isKnown.1 ? keys.0 < keys.1 : isKnown.0
    }
    for place in order where !items[place].hasKeyAsGUID {
      if !taken.insert(items[place].guid).inserted { items[place].guid = items[place].key }
    }
  }

  private static func number(_ number: Int?) -> Int? {
    number.flatMap { (1..<1_000_000).contains($0) ? $0 : nil }
  }
}

extension FeedText {
  /// A title or a name of any origin as one line of bounded length, without the passwords, queries and
  /// tokens of addresses in it; nil when nothing is left.
  static func published(_ text: String) -> String? {
    line(MarkupEscape.permitted(text)).map { AddressSecrets.published($0) }
  }

  /// A guid that a feed can have, and that everybody may know.
  static func publishedToken(_ text: String, maximumBytes: Int) -> String? {
    guard let token = token(MarkupEscape.permitted(text), maximumBytes: maximumBytes),
      !AddressSecrets.areKnown(in: token)
    else { return nil }
    return token
  }
}
