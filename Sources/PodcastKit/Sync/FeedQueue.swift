/// Feeds that wait for their check, in turn by host: a host whose limit is reached delays no other.
struct FeedQueue {
  private var waiting: [String: ArraySlice<FollowedFeed>] = [:]
  /// The hosts of `waiting`, the next one first.
  private var hosts: [String] = []

  /// Sorts feeds by their hosts; those of one host stay in order.
  init(_ feeds: [FollowedFeed]) {
    for feed in feeds {
      let host = feed.origin
      if waiting[host] == nil { hosts.append(host) }
      waiting[host, default: []].append(feed)
    }
  }

  /// Whether no feed waits.
  var isEmpty: Bool { hosts.isEmpty }

  /// Takes the next feed for which there is a place; nil if there is none.
  mutating func next(in places: FeedPlaces) async -> (feed: FollowedFeed, place: FeedPlace)? {
    for index in hosts.indices {
      guard let place = await places.take(hosts[index]) else {
        // Where all places are taken, other hosts get none either.
        guard await places.hasRoom else { return nil }
        continue
      }
      let host = hosts.remove(at: index)
      guard let feed = waiting[host]?.popFirst() else { return nil }
      if waiting[host]?.isEmpty == true {
        waiting[host] = nil
      } else {
        hosts.append(host)
      }
      return (feed, place)
    }
    return nil
  }
}
