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
    /// Its title, author and names, without episodes. It may get another name.
    package var published: PublishedPodcast
    /// What identifies it, in every run.
    var identities: [String]
    /// The complete episodes, newest first, with the names of their files, and those whose files are not
    /// to be found.
    var episodes: [(local: LocalEpisode, file: String)]
    /// The complete files of which nothing says that they are media.
    var leftOut: [String]
  }

  /// The podcasts in the order of their titles.
  package private(set) var shows: [Show]
  /// Whether there are complete episodes.
  package let isEmpty: Bool
  /// The folders in the library's own one that lead elsewhere if they are links.
  let topFolders: Set<EntryName>
  /// All episodes of the library.
  let all: [LocalEpisode]

  /// Plans a publication.
  ///
  /// - Parameters:
  ///   - chosen: the chosen episodes, of which the complete ones are published.
  ///   - all: all episodes of the library.
  ///   - podcasts: identifies the podcasts of the library.
  package init(
    _ chosen: [LocalEpisode], of all: [LocalEpisode], _ podcasts: LibraryPodcasts
  ) {
    self.all = all
    topFolders = Set(all.lazy.compactMap { PodcastSidecars.top(of: $0.path) })
    isEmpty = !chosen.contains { $0.status == .complete }
    var groups: [LibraryPodcasts.Key: [LocalEpisode]] = [:]
    for episode in chosen where [.complete, .missing].contains(episode.status) {
      groups[podcasts.key(of: episode.podcast), default: []].append(episode)
    }
    var shows: [Show] = []
    for (key, episodes) in groups.sorted(by: { $0.key.text < $1.key.text }) {
      let newest = Self.newestFirst(episodes)
      let subscription = podcasts.subscription(of: key)
      guard let podcast = newest.first?.podcast else { continue }
      let name = PublishedName(
        subscription: subscription.flatMap { Self.chosenName($0, of: podcast) },
        title: podcast.shownTitle, key: key.text)
      var show = Show(
        podcast: podcast,
        published: PublishedPodcast(podcast, name: name, guid: subscription?.guid),
        identities: Self.identities(of: episodes, subscription?.podcast, key), episodes: [],
        leftOut: [])
      for episode in newest {
        if let file = Self.file(of: episode) {
          show.episodes.append((episode, file))
        } else if episode.status == .complete {
          show.leftOut.append(episode.path)
        }
      }
      shows.append(show)
    }
    self.shows = shows
  }

  /// Gives the podcasts their names, and puts them into the order of their titles.
  ///
  /// - Parameter earlier: the names that were given before.
  /// - Returns: all names that were ever given.
  mutating func name(
    _ earlier: [PublishedName: Set<String>]
  ) -> [PublishedName: Set<String>] {
    let names = PublicationNames(
      shows.map { ($0.published.name, $0.identities) }, earlier: earlier)
    for (place, name) in zip(shows.indices, names.names) { shows[place].published.name = name }
    shows.sort {
      let titles = ($0.published.title.lowercased(), $1.published.title.lowercased())
      return titles.0 == titles.1
        ? $0.published.name.text < $1.published.name.text : titles.0 < titles.1
    }
    return names.identities
  }

  /// The paths of the feeds, the pages and the lists.
  var texts: [String] {
    [PublishedPodcast.pageName, PublishedPodcast.listName]
      + shows.flatMap { show in
        [PublishedPodcast.pageName, PublishedPodcast.feedName].map { show.published.path($0) }
      }
  }

  /// What records and a subscription say of a podcast that stays when its title changes. Records that have
  /// only a title have nothing else. Of several that are one, that with which the others were made one comes
  /// first.
  private static func identities(
    of episodes: [LocalEpisode], _ followed: Podcast?, _ key: LibraryPodcasts.Key
  ) -> [String] {
    var podcasts: [Podcast] = []
    for episode in episodes where episode.podcast != podcasts.last {
      podcasts.append(episode.podcast)
    }
    let first = followed.map { identities(of: $0) } ?? []
    let others = Set(podcasts.flatMap { identities(of: $0) }).subtracting(first)
    let own = others.contains(key.text) ? [key.text] : []
    return first + own + others.subtracting(own).sorted()
  }

  private static func identities(of podcast: Podcast) -> [String] {
    let identity = PodcastIdentity(podcast)
    let sure =
      (identity.id.map { ["id \($0)"] } ?? []) + (identity.feed.map { ["feed \($0)"] } ?? [])
    return sure.isEmpty ? ["title \(podcast.title)"] : sure
  }

  /// The name of a subscription; nil if it may be made from a title that has a secret in it.
  private static func chosenName(_ subscription: Subscription, of podcast: Podcast) -> String? {
    let titles = [subscription.title, podcast.title, podcast.shownTitle]
    return titles.allSatisfy { AddressSecrets.published($0) == $0 } ? subscription.name : nil
  }

  /// The name of an episode's file: its key, which no correction and no other episode changes, and its
  /// extension. Nil for one that is not of media: a server may run it, and no feed can say what it is.
  private static func file(of local: LocalEpisode) -> String? {
    let name = LibraryPath.split(local.path).name
    let ending = FileExtension.sanitized(
      String(name.dropFirst(FileName.stem(of: name).count + 1)))
    return ending.flatMap { FileExtension.mediaType(of: $0) == nil ? nil : "\(local.key).\($0)" }
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
