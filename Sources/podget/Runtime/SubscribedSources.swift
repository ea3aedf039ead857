import PodcastKit

/// Sources of which some are names of subscriptions.
struct SubscribedSources: Sendable {
  /// The sources with the addresses of feeds in place of names, for commands that ask servers.
  private(set) var feeds: [String]
  /// Those of them that a person named.
  var named: [String] {
    let others = Set(subscriptions.filter(\.isFromAccount).map(\.feedURL.text))
    return feeds.filter { !others.contains($0) }
  }
  private var subscriptions: [Subscription] = []
  private var mayRunCommands = false

  /// Looks names up in a library; it blocks on the disk. What no subscription has stays as it is.
  ///
  /// - Parameter warn: gets a sentence about each thing in the file that has no effect.
  /// - Throws: a ``PodgetError`` when a name has to be looked up and the file cannot be read.
  init(
    _ sources: [String], in library: Library?, warn: @escaping @Sendable (String) -> Void
  ) throws(PodgetError) {
    feeds = sources
    // No name is an id, an address or a file.
    let places = sources.indices.filter {
      if case .name? = try? Source.parse(sources[$0]) { true } else { false }
    }
    guard let library, !places.isEmpty else { return }
    let file = SubscriptionFile(library, warn: warn)
    let read = try file.readTrusted()
    var list = read.list
    for place in places {
      guard let subscription = list.named(sources[place]) else {
        guard let error = list.ambiguity(of: sources[place]) else { continue }
        throw PodgetError(error.code, error.message, of: sources[place])
      }
      feeds[place] = subscription.feedURL.text
      subscriptions.append(subscription)
    }
    mayRunCommands = read.isOwn
  }

  /// Logs in to the feeds of the named subscriptions that have a login.
  ///
  /// - Parameter logins: runs the commands; what it has run does not run again.
  func logIn(
    _ credentials: OriginCredentials, with logins: SubscriptionLogins
  ) async throws(PodgetError) {
    for subscription in subscriptions {
      try await logins.logIn(to: subscription, isTrusted: mayRunCommands, credentials)
    }
  }
}
