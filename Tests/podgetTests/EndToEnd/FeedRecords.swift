import Foundation
import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

extension Listener {
  /// Adds episodes to the library as if from a feed: with a guid and the feed's
  /// address, and none of Apple's ids.
  ///
  /// - Parameter change: what else is different in the feed.
  func recordFromFeed(
    _ episodes: [PodcastServer.Episode], change: (inout Episode) -> Void = { _ in }
  ) throws {
    let podcast = Podcast(title: "The Symbolic World", feedURL: "https://feeds.example.org/world")
    let facts = try episodes.map { episode in
      var listed = Episode(
        guid: "urn:\(episode.id)", title: episode.title,
        date: episode.date.flatMap { Date(timestamp: $0) },
        enclosure: Enclosure(url: server.origin + episode.path, length: 1))
      change(&listed)
      let path = self.path(of: episode)
      try folder.write("library/\(path)", episode.bytes)
      return FolderFact(
        fact: "finished", key: EpisodeKey(EpisodeIdentity.key(podcast: podcast, episode: listed)),
        podcast: StoredPodcast(podcast), episode: StoredEpisode(listed),
        file: EntryName(String(path.split(separator: "/")[1])), bytes: Int64(episode.bytes.count),
        downloadedAt: "2024-02-03T04:05:06Z")
    }
    let place = try OpenFile.folder(folder.path("library/The Symbolic World"), creating: true)
    try FolderRecords.append(facts, in: place)
  }
}
