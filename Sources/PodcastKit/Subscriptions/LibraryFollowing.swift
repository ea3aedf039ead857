public import PodcastLibrary
public import PodcastModel
public import PodcastTransfer

/// Which podcasts a library follows. Its file of subscriptions says so, which `podget subscribe` writes
/// too.
extension Library {
  /// A source of a podcast, with the podcast or with why nothing was changed.
  public typealias FollowingResult = (source: String, result: Result<Podcast, PodgetError>)

  /// The podcasts that are followed, with the addresses that their feeds have now. It blocks on the disk.
  ///
  /// - Throws: an error with the code `decoding` or `disk` if the file cannot be read.
  public func followedPodcasts() throws(PodgetError) -> [Podcast] {
    try SubscriptionFile(self).read().subscriptions.map(\.podcast)
  }

  /// Follows podcasts. What is followed already stays as it is, but for a user name and a password in an
  /// address: they take the place of earlier ones. The feeds of the others are read.
  ///
  /// Cancelling the task ends the requests, and the sources that had no answer fail.
  ///
  /// - Parameters:
  ///   - sources: ids and links of Apple Podcasts, and addresses of feeds.
  ///   - transport: performs the requests.
  ///   - directory: looks up podcasts by their ids; Apple's when nil.
  /// - Returns: a result for each source, in order.
  /// - Throws: a ``PodgetError`` if the file cannot be read or written; nothing changes then.
  public func follow(
    _ sources: [String], transport: any Transport, directory: ITunesDirectory? = nil
  ) async throws(PodgetError) -> [FollowingResult] {
    if sources.isEmpty { return [] }
    let credentials = OriginCredentials()
    let transport = AuthorizingTransport(transport, credentials)
    let resolver = SourceResolver(
      directory ?? ITunesDirectory(transport: transport), feeds: FeedCatalog(transport: transport),
      credentials: credentials, filter: EpisodeFilter(limit: 0))
    return try await Subscriber(self, resolver: resolver)
      .subscribe(sources, settings: SubscriptionSettings(), name: nil).map(Self.result)
  }

  /// Stops following podcasts; their files stay. It blocks on the disk.
  ///
  /// - Parameter sources: names, titles, ids, links or addresses of podcasts that are followed.
  /// - Returns: a result for each source, in order.
  /// - Throws: a ``PodgetError`` if the file cannot be read or written; nothing changes then.
  public func unfollow(_ sources: [String]) throws(PodgetError) -> [FollowingResult] {
    try Subscriber.unsubscribe(sources, from: self).map(Self.result)
  }

  private static func result(_ change: SubscriptionChange) -> FollowingResult {
    guard let podcast = change.subscription?.podcast, change.error == nil else {
      let error = PodgetError(.notFound, "Nothing can be followed here.")
      return (change.source, .failure(change.error ?? error))
    }
    return (change.source, .success(podcast))
  }
}
