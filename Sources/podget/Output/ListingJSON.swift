import PodcastKit

extension JSONValue {
  /// An element of `list`: an episode that the library knows.
  init(_ local: LocalEpisode) {
    let episode = local.plan.episode
    self = [
      "podcast": JSONValue(local.plan.podcast),
      "episode": JSONValue(episode).adding(["duration": .seconds(episode.duration)]),
      "path": .string(local.path), "bytes": .integer(local.bytes),
      "total": .integer(local.total), "status": .string(local.status.rawValue),
      // Nothing marks favourites yet; scripts can rely on the member all the same.
      "starred": .bool(false), "downloadedAt": .date(local.downloadedAt),
      "sha256": .string(local.sha256),
    ]
  }

  /// An element of `show`: an episode as published.
  init(_ published: PublishedEpisode) {
    let (podcast, episode) = (published.podcast, published.episode)
    self = [
      "podcast": JSONValue(podcast).adding([
        "author": .string(podcast.author), "artworkUrl": .string(podcast.artworkURL),
      ]),
      "episode": JSONValue(episode).adding([
        "duration": .seconds(episode.duration), "url": .string(episode.enclosure.url),
        "mimeType": .string(episode.enclosure.mimeType),
        "length": .integer(episode.enclosure.length), "season": .integer(episode.season),
        "number": .integer(episode.number), "type": .string(episode.kind.rawValue),
      ]),
      "status": .string(published.status),
    ]
  }

  /// An element of `search`: a podcast that was found.
  init(found podcast: Podcast) {
    self = [
      "id": .integer(podcast.id), "title": .string(podcast.title),
      "author": .string(podcast.author), "feedUrl": .string(podcast.feedURL),
      "artworkUrl": .string(podcast.artworkURL), "episodeCount": .integer(podcast.episodeCount),
    ]
  }

  /// An object with the members of another one behind its own.
  private func adding(_ other: JSONValue) -> JSONValue {
    guard case .object(let own) = self, case .object(let more) = other else { return self }
    return .object(own + more)
  }
}
