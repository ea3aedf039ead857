import PodcastFeeds
import PodcastLibrary
package import PodcastModel

/// Takes over the subscriptions of another program (OPML 1.0, 1.1 and 2.0).
package struct SubscriptionImport: Sendable {
  /// What became of each outline, in the order of the file.
  package var changes: [SubscriptionChange] = []
  /// Why the file was not read to its end; what came before is taken over.
  package var problem: PodgetError?

  /// Reads a file of another program and follows what is in it. No feed is asked.
  ///
  /// - Parameters:
  ///   - bytes: the content of the file.
  ///   - name: the file's name, for messages.
  ///   - library: follows the podcasts.
  ///   - settings: replace those in the file, for each podcast that is new.
  ///   - warn: gets a sentence about each thing in the library's own file that has no effect.
  /// - Throws: a ``PodgetError`` when it is no OPML, names no feed, or the subscriptions cannot be
  ///   read or written; nothing changes then.
  package init(
    _ bytes: [UInt8], name: String, into library: Library,
    settings: SubscriptionSettings = SubscriptionSettings(),
    warn: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(PodgetError) {
    let read = try OPMLImport.read(bytes, name: name)
    problem = read.problem
    guard read.entries.contains(where: { $0.verdict == .feed }) else {
      throw problem ?? PodgetError(.notFound, "The list names no feed.", of: name)
    }
    let earlier = EarlierAddresses(
      of: read.entries.lazy.compactMap(Self.podcast),
      (try? SubscriptionFile(library).read()) ?? SubscriptionList(), in: library)
    var changes: [SubscriptionChange] = []
    try SubscriptionFile(library, warn: warn).update { list throws(PodgetError) in
      changes = read.entries.map { Self.take($0, settings, earlier, &list) }
    }
    self.changes = changes
  }

  /// The podcast of an outline; nil if it has no title or no address.
  private static func podcast(_ entry: OPMLImport.Entry) -> Podcast? {
    guard let url = entry.url, let title = entry.title else { return nil }
    return Podcast(title: title, feedURL: url)
  }

  /// The subscription of an outline. Without a title, an address that it had before is enough.
  private static func known(
    _ entry: OPMLImport.Entry, _ url: FeedURL, _ earlier: EarlierAddresses,
    _ list: inout SubscriptionList
  ) -> Subscription? {
    guard let podcast = podcast(entry) else { return list.subscription(feed: url) }
    return list.subscription(of: podcast) ?? earlier.subscription(of: podcast, [], in: &list)
  }

  private static func take(
    _ entry: OPMLImport.Entry, _ settings: SubscriptionSettings, _ earlier: EarlierAddresses,
    _ list: inout SubscriptionList
  ) -> SubscriptionChange {
    let source = entry.address ?? entry.title ?? "line \(entry.line)"
    switch entry.verdict {
    case .ignored(let reason):
      return SubscriptionChange(source, .ignored, error: PodgetError(.notFound, reason))
    case .invalid(let reason):
      return SubscriptionChange(source, .failed, error: PodgetError(.notFound, reason))
    case .feed: break
    }
    guard let url = entry.url else { return SubscriptionChange(source, .ignored) }
    if let known = known(entry, url, earlier, &list) {
      return SubscriptionChange(source, .unchanged, known)
    }
    if case .apple? = try? Source.parse(url.text) {
      return SubscriptionChange(
        source, .failed,
        error: PodgetError(
          .notFound, "This is a link to Apple's catalog and no feed; subscribe to it by the link."
        ))
    }
    var subscription = Subscription(
      name: "", title: entry.title?.limitingCombiningMarks ?? url.redacted, feedURL: url)
    subscription.categories = entry.categories
    var name: String?
    for attribute in entry.settings {
      switch attribute.local {
      case "name": name = attribute.value
      case "guid": subscription.guid = attribute.value
      case "id": subscription.id = Int64(attribute.value).flatMap { $0 > 0 ? $0 : nil }
      case "first":
        subscription.firstURL = AddressRedaction.withoutCredentials(attribute.value)
      case SubscriptionOutline.via:
        subscription.isFromAccount = attribute.value == SubscriptionOutline.account
      default:
        // A command in a file from elsewhere is never run.
        guard let setting = SubscriptionSettings.Name(rawValue: attribute.local),
          setting != .user, setting != .passwordCommand,
          (try? SubscriptionSettings.check(attribute.value, of: setting)) != nil
        else { continue }
        subscription.settings[setting] = attribute.value
      }
    }
    _ = subscription.settings.apply(settings)
    var hasName = false
    if let name, SubscriptionName.isValid(name), !list.hasName(name) {
      (subscription.name, hasName) = (name, true)
    } else {
      subscription.name = list.freeName(for: subscription.title)
    }
    return SubscriptionChange(source, .subscribed, list.add(subscription, hasName: hasName))
  }
}
