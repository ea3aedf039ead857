package import PodcastFeeds
package import PodcastLibrary
package import PodcastModel

/// What is published of a library: its podcasts with their complete episodes, and the paths of their
/// files.
package struct PublicationPlan: Sendable {
  /// A podcast that is published.
  package struct Show: Sendable {
    /// The podcast as the library has it.
    package var podcast: Podcast
    /// Its title, author and names, without episodes.
    package var published: PublishedPodcast
    /// The complete episodes, newest first, and the names of their files.
    var episodes: [(local: LocalEpisode, file: String)]
  }

  /// The podcasts in the order of their titles.
  package let shows: [Show]

  /// Plans a publication.
  ///
  /// - Parameters:
  ///   - episodes: the chosen episodes, of which the complete ones are published.
  ///   - podcasts: identifies the podcasts of the library.
  package init(_ episodes: [LocalEpisode], of podcasts: LibraryPodcasts) {
    var groups: [LibraryPodcasts.Key: [LocalEpisode]] = [:]
    for episode in episodes where episode.status == .complete {
      groups[podcasts.key(of: episode.podcast), default: []].append(episode)
    }
    var names: Set<PublishedName> = []
    var shows: [Show] = []
    for (key, episodes) in groups.sorted(by: { $0.key.text < $1.key.text }) {
      let newest = Self.newestFirst(episodes)
      let subscription = podcasts.subscription(of: key)
      guard let podcast = newest.first?.podcast else { continue }
      var name = PublishedName(
        subscription: subscription?.name, title: podcast.shownTitle, key: key.text)
      if !names.insert(name).inserted {
        name = PublishedName(title: podcast.shownTitle, key: key.text)
        guard names.insert(name).inserted else { continue }
      }
      shows.append(
        Show(
          podcast: podcast,
          published: PublishedPodcast(podcast, name: name, guid: subscription?.guid),
          episodes: newest.map { ($0, Self.file(of: $0)) }))
    }
    self.shows = shows.sorted {
      let titles = ($0.published.title.lowercased(), $1.published.title.lowercased())
      return titles.0 == titles.1
        ? $0.published.name.text < $1.published.name.text : titles.0 < titles.1
    }
  }

  /// The paths of all files below the published folder.
  ///
  /// - Parameter artworks: the names of the podcasts' artworks, in the order of the podcasts.
  func paths(_ artworks: [String?]) -> Set<String> {
    var paths: Set = [PublishedPodcast.pageName, PublishedPodcast.listName]
    for (show, artwork) in zip(shows, artworks) {
      paths.formUnion(show.episodes.map { show.published.path($0.file) })
      paths.insert(show.published.path(PublishedPodcast.feedName))
      paths.insert(show.published.path(PublishedPodcast.pageName))
      if let artwork { paths.insert(show.published.path(artwork)) }
    }
    return paths
  }

  /// The name of an episode's file: its key, which no correction and no other episode changes, and its
  /// extension if it is one of a media file. A server may run other files.
  private static func file(of local: LocalEpisode) -> String {
    let name = LibraryPath.split(local.path).name
    let ending = FileExtension.sanitized(
      String(name.dropFirst(FileName.stem(of: name).count + 1)))
    let known = ending.flatMap { FileExtension.mediaType(of: $0) == nil ? nil : $0 }
    return "\(local.key).\(known ?? "bin")"
  }

  private static func newestFirst(_ episodes: [LocalEpisode]) -> [LocalEpisode] {
    episodes.sorted { first, second in
      switch (first.date, second.date) {
      case (let one?, let other?) where one != other: one > other
      case (_?, nil): true
      case (nil, _?): false
      default: first.key < second.key
      }
    }
  }
}
