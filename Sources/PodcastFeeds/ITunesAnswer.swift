package import FoundationEssentials
package import PodcastModel

/// Parses the answers of Apple's lookup and search.
///
/// An answer is one list of podcasts and episodes. Each record says which of them it is; otherwise
/// its fields decide.
package enum ITunesAnswer {
  /// The podcasts of an answer in the order in which each is first mentioned, with their episodes.
  ///
  /// Episodes are sorted newest first; those without a playable address are counted and left out. A
  /// podcast that only its episodes mention is created from their fields. Records of other kinds
  /// are ignored, and so is a field that is missing or has the wrong type. Throws
  /// ``PodgetError/Code/decoding`` when there is no answer in the data.
  package static func listings(from data: Data) throws(PodgetError) -> [PodcastListing] {
    var groups = Groups()
    for record in try ITunesDocument.records(in: data) {
      switch record.kind {
      case .podcast: groups.add(podcast: record)
      case .episode: groups.add(episode: record)
      case .other: break
      }
    }
    return groups.listings
  }

  /// The podcast of a lookup by id.
  ///
  /// Throws ``PodgetError/Code/notFound`` when the answer has none, and
  /// ``PodgetError/Code/decoding`` when it has several or cannot be parsed.
  package static func listing(from data: Data, id: Int64) throws(PodgetError) -> PodcastListing {
    let listings = try listings(from: data)
    if let listing = listings.first, listings.count == 1 { return listing }
    if listings.count > 1 {
      throw PodgetError(
        .decoding,
        "Apple's catalog answered with \(listings.count) podcasts for the one id \(id).")
    }
    if try !ITunesDocument.records(in: data).isEmpty {
      throw PodgetError(
        .notFound, "The id \(id) names something in Apple's catalog that is not a podcast.")
    }
    throw PodgetError(
      .notFound,
      "Apple's catalog has no podcast with the id \(id).", remedy: .lookElsewhere)
  }
}

/// The records of an answer, grouped by podcast.
private struct Groups {
  private struct Group {
    var podcast: Podcast?
    var collectionName: String?
    var feedURL: FeedURL?
    var id: Int64?
    var episodes: [Episode] = []
    var listed: Set<Listed> = []
    var unplayableCount = 0
  }

  /// The properties that make a record a duplicate of another one; the scheme is ignored.
  private struct Listed: Hashable {
    var id: Int64?
    var place: String?
  }

  private var groups: [Group] = []
  private var positions: [Int64: Int] = [:]

  mutating func add(podcast record: ITunesRecord) {
    let id = record.collectionID ?? record.trackID
    let position = position(of: id)
    guard groups[position].podcast == nil else { return }
    groups[position].podcast = Podcast(
      id: id, title: record.collectionName ?? record.trackName ?? Self.title(for: id),
      author: record.artistName, feedURL: record.feedURL, artworkURL: record.artworkURL,
      episodeCount: record.trackCount.flatMap { $0 >= 0 ? Int(exactly: $0) : nil })
  }

  mutating func add(episode record: ITunesRecord) {
    let position = position(of: record.collectionID)
    groups[position].collectionName = groups[position].collectionName ?? record.collectionName
    groups[position].feedURL = groups[position].feedURL ?? record.feedURL
    // An id is added to the guid, which some shows give to every episode.
    let address = record.episodeURL.flatMap(WebAddress.init)
    let listed = Listed(
      id: record.trackID, place: address.map { "\($0.host):\($0.port)\($0.path)?\($0.query)" })
    if listed.id != nil, !groups[position].listed.insert(listed).inserted { return }
    if let episode = Episode(record) {
      groups[position].episodes.append(episode)
    } else {
      groups[position].unplayableCount += 1
    }
  }

  var listings: [PodcastListing] {
    groups.map { group in
      let podcast =
        group.podcast
        ?? Podcast(
          id: group.id, title: group.collectionName ?? Self.title(for: group.id),
          feedURL: group.feedURL)
      return PodcastListing(
        podcast: podcast, episodes: group.episodes.newestFirst(),
        unplayableCount: group.unplayableCount)
    }
  }

  /// The group of a podcast; a record without one belongs to the podcast before it.
  private mutating func position(of id: Int64?) -> Int {
    if let id, let position = positions[id] { return position }
    if id == nil, !groups.isEmpty { return groups.count - 1 }
    groups.append(Group(id: id))
    if let id { positions[id] = groups.count - 1 }
    return groups.count - 1
  }

  private static func title(for id: Int64?) -> String {
    id.map { "Podcast \($0)" } ?? "Untitled podcast"
  }
}

extension Episode {
  /// The episode of a record; nil without an address that can be fetched.
  fileprivate init?(_ record: ITunesRecord) {
    guard let url = record.episodeURL, WebAddress(url)?.isHTTP == true else { return nil }
    self.init(
      id: record.trackID, guid: record.episodeGUID,
      title: record.trackName ?? record.trackID.map { "Episode \($0)" } ?? "Untitled episode",
      date: record.releaseDate.flatMap { Date(timestamp: $0) },
      duration: record.trackTimeMillis.flatMap { $0 > 0 ? .milliseconds($0) : nil },
      enclosure: Enclosure(
        url: url, mimeType: record.episodeContentType,
        fileExtension: record.episodeFileExtension),
      artworkURL: record.artworkURL)
  }
}
