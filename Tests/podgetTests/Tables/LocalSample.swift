import Foundation
import TestSupport

@testable import PodcastKit
@testable import PodcastLibrary
@testable import PodcastModel
@testable import podget

extension Sample {
  static let other = Podcast(
    id: nil, title: "another show", feedURL: "https://example.org/feed.xml")

  /// A local episode; the day is `YYYY-MM-DD`, at noon.
  static func local(
    _ title: String, _ day: String? = nil, podcast: Podcast = podcast,
    status: LocalEpisode.Status = .complete, bytes: Int64 = 0, total: Int64? = nil,
    minutes: Int? = nil, downloaded: String? = nil
  ) -> LocalEpisode {
    let episode = Episode(
      id: nil, guid: title, title: title, date: day.flatMap { Date(timestamp: "\($0)T12:00:00Z") },
      duration: minutes.map { .seconds($0 * 60) },
      enclosure: Enclosure(url: "https://example.org/\(title).mp3"))
    return LocalEpisode(
      plan: DownloadPlan(
        key: title, podcast: podcast, episode: episode, folder: podcast.title, stem: title,
        announcedExtension: "mp3"),
      file: LocalEpisode.File(
        status: status, bytes: bytes, total: total,
        downloadedAt: downloaded.flatMap { Date(timestamp: $0) }))
  }

  /// The podcasts of a library without subscriptions.
  static func podcasts(of episodes: [LocalEpisode]) -> LibraryPodcasts {
    LibraryPodcasts(episodes.map(\.podcast), subscriptions: [])
  }

  static func titles(_ episodes: [LocalEpisode]) -> [String] { episodes.map(\.plan.episode.title) }
}

extension LocalEpisodeTable {
  /// The episodes in one table, as one text.
  func text(_ episodes: [LocalEpisode]) -> String {
    var text = ""
    write([ListGroup(episodes: episodes)]) { text += $0 }
    return text
  }

  /// The groups as one text.
  func text(_ groups: [ListGroup], by kind: ListGrouping) -> String {
    var text = ""
    write(groups, isByPodcast: kind == .podcast) { text += $0 }
    return text
  }
}
