/// The identity of a podcast.
package struct PodcastIdentity: Sendable, Hashable {
  /// How two descriptions match.
  package enum Relation: Sendable {
    /// They are one podcast.
    case same
    /// They may be: the titles agree, and they have nothing better in common, or the feed's address
    /// differs, as it does after a move. Then an episode needs more evidence to be the same.
    case kin
  }

  package let id: Int64?
  package let feed: String?
  package let title: String

  package init(_ podcast: Podcast) {
    id = podcast.id
    feed = (podcast.feedURL?.text).flatMap(Self.comparable)
    title = ComparableTitle.text(podcast.title)
  }

  /// Whether another description is the same podcast; nil when it is another one.
  ///
  /// Apple's id decides if both have one, then the feed's address, then the title.
  package func relation(to other: PodcastIdentity) -> Relation? {
    if let id, let otherID = other.id { return id == otherID ? .same : nil }
    if let feed, feed == other.feed { return .same }
    guard title == other.title else { return nil }
    let hasTitleAlone = id == nil && feed == nil && other.id == nil && other.feed == nil
    return hasTitleAlone ? .same : .kin
  }

  /// The keys of which podcasts that match have at least one in common.
  package var aliases: [String] {
    [id.map { "apple \($0)" }, feed.map { "feed \($0)" }, "title \(title)"].compactMap(\.self)
  }

  /// A feed's address without its scheme, `www.`, its host's case and trailing slashes.
  private static func comparable(_ feed: String) -> String? {
    let trimmed = feed.trimmingWhitespace()
    guard !trimmed.isEmpty else { return nil }
    guard let address = WebAddress(trimmed) else { return trimmed }
    var place = ComparableAddress.place(address)[...]
    if place.hasPrefix("www.") { place = place.dropFirst(4) }
    while place.last == "/" { place.removeLast() }
    return address.query.isEmpty ? String(place) : "\(place)?\(address.query)"
  }
}
