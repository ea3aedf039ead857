package import PodcastLibrary
package import PodcastModel

extension KnownEpisodes {
  /// The plans of episodes that a feed lists. It blocks on the disk.
  ///
  /// - Parameters:
  ///   - episodes: those that are wanted.
  ///   - listing: what the feed lists.
  ///   - subscribed: the settings of subscriptions.
  ///   - template: how files are named without these.
  /// - Throws: a ``PodgetError`` with the code `disk`.
  package func plans(
    for episodes: [Episode], of listing: PodcastListing, _ subscribed: SubscribedSettings,
    template: FilenameTemplate
  ) throws(PodgetError) -> [DownloadPlan] {
    if let error = reading.errors.first { throw error }
    return try DownloadPlanner.plans(
      for: episodes, of: index.identify(listing),
      template: subscribed.own(of: listing.podcast).template(or: template), self)
  }
}

extension UnplayedEpisodes {
  /// Those that the library does not know, so that names can be looked for among them. Their files have
  /// no place yet: ``plans(of:of:in:template:)`` gives them one.
  package var unknown: [LocalEpisode] {
    elements.compactMap { element in
      guard element.local == nil, let key = EpisodeKey(element.key),
        let file = PlannedFile(folder: "", stem: key.text, fileExtension: "")
      else { return nil }
      return LocalEpisode(
        planned: DownloadPlan(
          key: key, podcast: element.podcast, episode: element.episode, file: file))
    }
  }

  /// The plans of some of those that the library does not know. It blocks on the disk.
  ///
  /// - Parameters:
  ///   - keys: the keys of those that are wanted.
  ///   - subscriptions: all subscriptions of the library.
  ///   - library: where the lists of feeds are.
  ///   - template: how files are named if a subscription does not say it.
  /// - Throws: a ``PodgetError`` with the code `disk`.
  package func plans(
    of keys: Set<String>, of subscriptions: [Subscription], in library: Library,
    template: FilenameTemplate
  ) throws(PodgetError) -> [DownloadPlan] {
    let subscribed = SubscribedSettings(of: library)
    let wanted = elements.filter { $0.local == nil && keys.contains($0.key) }
    var plans: [DownloadPlan] = []
    for (place, elements) in Dictionary(grouping: wanted, by: \.place).sorted(by: {
      $0.key < $1.key
    }) {
      let address = subscriptions[place].firstURL
      guard let list = (try? ListedStore(library).listing(of: address)) ?? nil else { continue }
      let listing = PodcastListing(podcast: list.podcast, episodes: list.items.map(\.episode))
      let known = KnownEpisodes(library, .podcast(listing.podcast), isRecording: false)
      plans += try known.plans(
        for: elements.map(\.episode), of: listing, subscribed, template: template)
    }
    return plans
  }
}
