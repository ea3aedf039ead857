import FoundationEssentials
package import PodcastModel
import PodcastTransfer

/// A podcast as the records on the disk store it.
package struct StoredPodcast: Codable, Sendable, Hashable {
  package var id: Int64?
  package var title: String
  package var author: String?
  package var feedUrl: String?
  package var artworkUrl: String?

  init(_ podcast: Podcast) {
    id = podcast.id
    title = podcast.title
    author = podcast.author
    feedUrl = podcast.feedURL?.text
    artworkUrl = podcast.artworkURL
  }

  package var podcast: Podcast {
    Podcast(
      id: id, title: title.limitingCombiningMarks, author: author?.limitingCombiningMarks,
      feedURL: feedUrl.flatMap { FeedURL($0.limitingCombiningMarks) }, artworkURL: artworkUrl)
  }
}

/// An episode as the records on the disk store it. Dates are RFC 3339 in UTC, durations seconds.
package struct StoredEpisode: Codable, Sendable, Hashable {
  package var id: Int64?
  package var guid: String?
  package var title: String
  package var date: String?
  package var duration: Double?
  package var url: String
  package var length: Int64?
  package var mimeType: String?
  package var `extension`: String?
  package var integrity: String?
  package var season: Int?
  package var number: Int?
  package var type: String?
  package var artworkUrl: String?

  init(_ episode: Episode) {
    id = episode.id
    guid = episode.guid
    title = episode.title
    date = episode.date?.timestamp
    duration = episode.duration?.inSeconds
    url = episode.enclosure.url
    length = episode.enclosure.length
    mimeType = episode.enclosure.mimeType
    `extension` = episode.enclosure.fileExtension
    integrity = episode.enclosure.integrity
    season = episode.season
    number = episode.number
    type = episode.kind == .full ? nil : episode.kind.rawValue
    artworkUrl = episode.artworkURL
  }

  package var episode: Episode {
    var episode = Episode(
      id: id, guid: guid?.limitingCombiningMarks, title: title.limitingCombiningMarks,
      date: date.flatMap { Date(timestamp: $0) },
      // A record that was edited by hand may contain any number; Duration traps on absurd ones.
      duration: duration.flatMap { (0..<1e9).contains($0) ? .seconds($0) : nil },
      enclosure: Enclosure(
        url: url.limitingCombiningMarks, length: length, mimeType: mimeType,
        fileExtension: `extension`),
      season: season, number: number, kind: type.flatMap(Episode.Kind.init) ?? .full,
      artworkURL: artworkUrl)
    episode.enclosure.integrity = integrity
    return episode
  }
}
