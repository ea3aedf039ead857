extension PodcastListing {
  /// The same podcast as two sources list it, as one list: each episode that either has, once.
  ///
  /// An episode that both have keeps what this listing says of it, and gets from the other one what
  /// this one lacks. The order is that of `other`, which is the longer list; what it lacks is put where
  /// its date belongs.
  ///
  /// - Parameter other: the podcast's feed.
  /// - Returns: the list, and for each of its episodes the place in the feed, where it is there.
  package func joined(
    with other: PodcastListing
  ) -> (listing: PodcastListing, places: [Int?]) {
    var joined = self
    if joined.podcast.feedURL == nil { joined.podcast.feedURL = other.podcast.feedURL }
    joined.podcast.author = podcast.author ?? other.podcast.author
    joined.podcast.artworkURL = podcast.artworkURL ?? other.podcast.artworkURL
    joined.unplayableCount = max(unplayableCount, other.unplayableCount)
    joined.podcast.episodeCount = nil
    let known = episodes.enumerated().map {
      EpisodeMatching.Known(key: String($0.offset), episode: $0.element)
    }
    let matches = EpisodeMatching(other.episodes, known: known).matches
    var isJoined = Array(repeating: false, count: episodes.count)
    let both = other.episodes.indices.map { place -> PlacedEpisode in
      guard let match = matches[place] else {
        return PlacedEpisode(episode: other.episodes[place], place: place)
      }
      isJoined[match] = true
      return PlacedEpisode(
        episode: episodes[match].completed(by: other.episodes[place]), place: place)
    }
    let rest = zip(episodes, isJoined).filter { !$0.1 }.map(\.0)
    let all = both.merging(rest)
    joined.episodes = all.map(\.episode)
    return (joined, all.map(\.place))
  }
}

extension Episode {
  /// The same episode with what only another source says of it.
  fileprivate func completed(by other: Episode) -> Episode {
    var episode = self
    episode.id = id ?? other.id
    episode.guid = guid ?? other.guid
    episode.date = date ?? other.date
    episode.duration = duration ?? other.duration
    episode.season = season ?? other.season
    episode.number = number ?? other.number
    if kind == .full { episode.kind = other.kind }
    episode.artworkURL = artworkURL ?? other.artworkURL
    episode.enclosure.length = enclosure.length ?? other.enclosure.length
    if enclosure.mimeType?.contains("/") != true {
      episode.enclosure.mimeType = other.enclosure.mimeType ?? enclosure.mimeType
    }
    return episode
  }
}

/// An episode with its place in the feed.
private struct PlacedEpisode {
  var episode: Episode
  var place: Int?
}

extension [PlacedEpisode] {
  /// The list with others put before the first episode that is older; those without a date, and those
  /// that are older than all, come last.
  fileprivate func merging(_ others: [Episode]) -> [PlacedEpisode] {
    guard !others.isEmpty else { return self }
    var waiting = others.newestFirst()[...]
    var merged: [PlacedEpisode] = []
    merged.reserveCapacity(count + others.count)
    for listed in self {
      while let date = waiting.first?.date, let present = listed.episode.date, date > present {
        merged.append(PlacedEpisode(episode: waiting.removeFirst()))
      }
      merged.append(listed)
    }
    return merged + waiting.map { PlacedEpisode(episode: $0) }
  }
}
