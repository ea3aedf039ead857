import BrowseScreen

/// Following podcasts from the screen.
extension BrowseModel {
  /// The podcast that is open, or selected in a list: its source, its title, and whether it is followed.
  var target: (source: String, title: String, isFollowed: Bool)? {
    guard tab == .catalog else { return nil }
    if let podcast { return (podcast.source, podcast.title, podcast.isFollowed) }
    return podcasts?.selected.map { ($0.key, $0.title, $0.isFollowed) }
  }

  /// Follows the podcast.
  mutating func subscribe() -> [BrowseEffect] {
    guard let target else { return [] }
    guard !target.isFollowed else {
      message = "Already subscribed; \(keys.name("U")) ends that."
      return []
    }
    message = "Subscribing."
    return [.subscribe(target.source)]
  }

  /// Asks whether the podcast is no longer to be followed.
  mutating func askToUnsubscribe() {
    guard let target else { return }
    guard target.isFollowed else {
      message = "It is not followed; \(keys.name("S")) subscribes to it."
      return
    }
    question = .unsubscribe(target.source, title: target.title)
  }

  /// Checks the feed of the podcast now, or all feeds where none is selected.
  mutating func sync() -> [BrowseEffect] {
    guard let target else {
      // Here y may be the answer to a question that is gone.
      question = .sync
      return []
    }
    guard target.isFollowed else {
      message = "It is not followed; \(keys.name("S")) subscribes to it."
      return []
    }
    message = "Checking the feed; new episodes are downloaded."
    return [.sync(target.source)]
  }

  /// Shows whether a podcast is followed.
  mutating func setFollowed(_ source: String, _ isFollowed: Bool) {
    if podcast?.source == source { podcast?.isFollowed = isFollowed }
    found.update(source) { $0.isFollowed = isFollowed }
    subscriptions.update(source) { $0.isFollowed = isFollowed }
  }
}
