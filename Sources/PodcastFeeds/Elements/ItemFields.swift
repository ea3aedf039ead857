internal import FoundationEssentials
internal import PodcastModel

/// What the elements of one item say, until the item ends and an episode is made of it.
struct ItemFields {
  var title: String?
  /// Titles in other vocabularies, for an item without one of its own.
  var otherTitle: String?
  /// How the description begins, for an item without a title.
  var opening: String?
  var guid: String?
  /// The guid, if it is the address of the episode's page.
  var permalink: String?
  var published: Date?
  /// Dates that are less certain to be the publication's.
  var otherDate: Date?
  var duration: Duration?
  var season: Int?
  var number: Int?
  var kind = Episode.Kind.full
  var artworkURL: String?
  var otherArtworkURL: String?
  var media = MediaChoice()
  /// The enclosure's address before FeedBurner replaced it.
  var originalURL: String?
  var details = EpisodeDetails()

  /// The episode; nil when the item has no file that can be fetched, or images only.
  var episode: Episode? {
    guard var file = media.chosen(playing: duration) else { return nil }
    if let originalURL, file.origin == .enclosure,
      MediaKind(type: nil, address: originalURL.utf8) != .image
    {
      file.url = originalURL
    }
    return Episode(
      guid: guid, title: title ?? otherTitle ?? file.title(or: opening),
      date: published ?? otherDate,
      duration: duration ?? file.seconds.map { .seconds($0) }, enclosure: file.enclosure,
      season: season, number: number, kind: kind, artworkURL: artworkURL ?? otherArtworkURL)
  }

  /// Whether nothing says yet what the title may be.
  var needsOpening: Bool { title == nil && otherTitle == nil && opening == nil }

  /// Keeps the longest description.
  mutating func add(description: String) {
    if description.utf8.count > details.description?.utf8.count ?? 0 {
      details.description = description
    }
  }
}

extension Episode.Kind {
  /// The kind that a feed names, in any case; full when it is unknown.
  init(feed bytes: some Collection<UInt8>) {
    let name = FeedText.token(bytes, maximumBytes: 16)?.lowercased()
    self = name.flatMap(Episode.Kind.init(rawValue:)) ?? .full
  }
}
