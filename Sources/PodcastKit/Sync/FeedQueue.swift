/// Feeds that wait for their check, in turn by host: a host whose limit is reached delays no other.
struct FeedQueue {
  /// How many feeds are checked at once, in all and from one host.
  static let atOnce = 16
  static let perHost = 4

  private var waiting: [String: ArraySlice<FollowedFeed>] = [:]
  /// The hosts of `waiting`, the next one first.
  private var hosts: [String] = []
  private var running: [String: Int] = [:]
  private var count = 0
  /// How many feeds wait or are being checked.
  private(set) var left: Int

  /// Sorts feeds by their hosts; those of one host stay in order.
  init(_ feeds: [FollowedFeed]) {
    left = feeds.count
    for feed in feeds {
      let host = feed.origin
      if waiting[host] == nil { hosts.append(host) }
      waiting[host, default: []].append(feed)
    }
  }

  /// Takes the next feed that may be asked now; nil if there is none, or the limits are reached.
  mutating func next() -> FollowedFeed? {
    guard count < Self.atOnce,
      let place = hosts.firstIndex(where: { running[$0, default: 0] < Self.perHost })
    else { return nil }
    let host = hosts.remove(at: place)
    guard let feed = waiting[host]?.popFirst() else { return nil }
    if waiting[host]?.isEmpty == true {
      waiting[host] = nil
    } else {
      hosts.append(host)
    }
    running[host, default: 0] += 1
    count += 1
    return feed
  }

  /// Notes that a feed of a host is no longer asked.
  mutating func finish(_ host: String) {
    guard let number = running[host] else { return }
    running[host] = number > 1 ? number - 1 : nil
    count -= 1
    left -= 1
  }
}
