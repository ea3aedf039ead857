package import FoundationEssentials
package import PodcastModel

/// What servers of gPodder's kind answer. They are hostile: what is too much or no address is left out.
package enum AccountAnswer {
  /// The longest answer that is read, in bytes.
  ///
  /// An answer of very small elements takes 25 times as much memory.
  package static let maximumBytes = 8 << 20
  /// The most elements of a list.
  package static let mostElements = 100_000
  /// The most podcasts: each costs time at each exchange.
  package static let mostPodcasts = 20_000
  /// The most commas of an answer: each value of a list takes a hundred bytes, before anything is known of
  /// it.
  private static let mostCommas = 600_000

  /// The podcasts that are followed there, and how many entries cannot be read; nil if it is no such
  /// answer, or has too many: those that are left out would be ones that were removed there.
  package static func subscriptions(_ data: Data) -> (addresses: [String], unread: Int)? {
    guard let added = answer(data)?.add?.value, added.count <= mostPodcasts else { return nil }
    let addresses = added.compactMap { address($0.value) }
    return (addresses, added.count - addresses.count)
  }

  /// How the server spells the addresses that it got.
  package static func updates(_ data: Data) -> [(sent: String, server: String)] {
    (answer(data)?.updates?.value ?? []).prefix(mostElements).compactMap { pair in
      guard let pair = pair.value, pair.count == 2, pair[1].isEmpty || address(pair[1]) != nil
      else { return nil }
      return (pair[0], pair[1])
    }
  }

  /// What devices did, and the time from which to ask the next time; nil if it is no such answer.
  ///
  /// The times are those of the devices, whose clocks may be ahead. Of too many actions the latest ones
  /// are kept.
  ///
  /// - Parameter now: seconds since 1970 (UTC); the server's time is not later.
  package static func actions(
    _ data: Data, now: Int64
  ) -> (actions: [EpisodeAction], next: Int64)? {
    guard let answer = answer(data) else { return nil }
    let actions = answer.actions?.value?.compactMap { kept -> EpisodeAction? in
      guard let action = kept.value,
        max(action.podcast.utf8.count, action.episode.utf8.count) <= longest,
        let podcast = address(action.podcast), let episode = address(action.episode)
      else { return nil }
      var (progress, total): (Int64, Int64) = (0, 0)
      switch action.action.lowercased() {
      case "new": break
      case "play":
        guard let position = action.position?.value, (0...longestPosition).contains(position) else {
          return nil
        }
        (progress, total) = (position, min(max(action.total?.value ?? 0, 0), longestPosition))
      // The files of other devices are theirs: `download` and `delete` change nothing here.
      default: return nil
      }
      let guid = action.guid?.value.flatMap { $0.isEmpty || $0.utf8.count > longest / 2 ? nil : $0 }
      let time = action.timestamp?.value.flatMap(time) ?? 0
      return EpisodeAction(
        podcast: podcast, episode: episode, guid: guid,
        state: .init(time: time, progress: progress, total: total))
    }
    guard let actions else { return nil }
    return (actions.latest(mostElements), min(max(answer.timestamp?.value ?? now, 0), now))
  }

  /// The longest address of an action, in bytes: many of them are kept.
  private static let longest = 1000

  static let longestPosition = EpisodeMark.longestPosition.components.seconds

  /// A time such as `2009-12-12T09:00:00`: UTC, with and without a zone.
  private static func time(_ text: String) -> Int64? {
    guard let date = Date(timestamp: text) ?? Date(timestamp: text + "Z"),
      case let seconds = date.timeIntervalSince1970, (0...1e11).contains(seconds)
    else { return nil }
    return Int64(seconds)
  }

  private static func address(_ text: String?) -> String? { text.flatMap { FeedURL($0) }?.text }

  /// Any answer: each request looks at its own members.
  private struct Answer: Decodable {
    var add: Kept<[Kept<String>]>?
    var updates: Kept<[Kept<[String]>]>?
    var actions: Kept<[Kept<Action>]>?
    var timestamp: Kept<Int64>?

    enum CodingKeys: String, CodingKey {
      case add, actions, timestamp
      case updates = "update_urls"
    }
  }

  private struct Action: Decodable {
    var podcast: String
    var episode: String
    var guid: Kept<String>?
    var action: String
    var timestamp: Kept<String>?
    var position: Kept<Int64>?
    var total: Kept<Int64>?
  }

  private static func answer(_ data: Data) -> Answer? {
    guard data.count(where: { $0 == UInt8(ascii: ",") }) <= mostCommas else { return nil }
    return try? JSONDecoder().decode(Answer.self, from: data)
  }

  /// A value in an answer; nil if it is of another kind.
  private struct Kept<Value: Decodable>: Decodable {
    var value: Value?

    init(from decoder: any Decoder) throws { value = try? Value(from: decoder) }
  }
}
