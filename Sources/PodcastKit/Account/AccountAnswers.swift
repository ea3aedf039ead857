package import FoundationEssentials
package import PodcastModel

/// What servers of gPodder's kind answer. They are hostile: what is too much or no address is left out.
package enum AccountAnswer {
  /// The longest answer that is read, in bytes.
  package static let maximumBytes = 32 << 20
  /// The most elements of a list.
  package static let mostElements = 100_000

  /// The podcasts that are followed there; nil if it is no such answer.
  package static func subscriptions(_ data: Data) -> [String]? {
    struct Answer: Decodable {
      var add: [Kept<String>]
    }
    guard let answer = try? JSONDecoder().decode(Answer.self, from: data) else { return nil }
    return answer.add.prefix(mostElements).compactMap { address($0.value) }
  }

  /// How the server spells the addresses that it got.
  package static func updates(_ data: Data) -> [(sent: String, server: String)] {
    struct Answer: Decodable {
      var updates: [Kept<[String]>]?

      enum CodingKeys: String, CodingKey {
        case updates = "update_urls"
      }
    }
    let answer = try? JSONDecoder().decode(Answer.self, from: data)
    return (answer?.updates ?? []).prefix(mostElements).compactMap { pair in
      guard let pair = pair.value, pair.count == 2, pair[1].isEmpty || address(pair[1]) != nil
      else { return nil }
      return (pair[0], pair[1])
    }
  }

  /// What devices did, and the time from which to ask the next time; nil if it is no such answer.
  ///
  /// The times are those of the devices, whose clocks may be ahead.
  ///
  /// - Parameter now: seconds since 1970 (UTC); the server's time is not later.
  package static func actions(
    _ data: Data, now: Int64
  ) -> (actions: [EpisodeAction], next: Int64)? {
    struct Action: Decodable {
      var podcast: String
      var episode: String
      var guid: Kept<String>?
      var action: String
      var timestamp: Kept<String>?
      var position: Kept<Int64>?
      var total: Kept<Int64>?
    }
    struct Answer: Decodable {
      var actions: [Kept<Action>]
      var timestamp: Kept<Int64>?
    }
    guard let answer = try? JSONDecoder().decode(Answer.self, from: data) else { return nil }
    let actions = answer.actions.prefix(mostElements).compactMap { kept -> EpisodeAction? in
      guard let action = kept.value, let podcast = address(action.podcast),
        let episode = address(action.episode)
      else { return nil }
      let progress: Int64
      switch action.action.lowercased() {
      case "new": progress = 0
      case "play":
        guard let position = action.position?.value, (0...longestPosition).contains(position) else {
          return nil
        }
        let total = min(max(action.total?.value ?? 0, 0), longestPosition)
        progress = EpisodeAction.progress(position: position, total: total)
      // The files of other devices are theirs: `download` and `delete` change nothing here.
      default: return nil
      }
      let guid = action.guid?.value.flatMap { $0.isEmpty || $0.utf8.count > 1000 ? nil : $0 }
      let time = action.timestamp?.value.flatMap(time) ?? 0
      return EpisodeAction(
        podcast: podcast, episode: episode, guid: guid,
        state: .init(time: time, progress: progress))
    }
    return (actions, min(max(answer.timestamp?.value ?? now, 0), now))
  }

  private static let longestPosition = EpisodeMark.longestPosition.components.seconds

  /// A time such as `2009-12-12T09:00:00`: UTC, with and without a zone.
  private static func time(_ text: String) -> Int64? {
    guard let date = Date(timestamp: text) ?? Date(timestamp: text + "Z"),
      case let seconds = date.timeIntervalSince1970, (0...1e11).contains(seconds)
    else { return nil }
    return Int64(seconds)
  }

  private static func address(_ text: String?) -> String? { text.flatMap { FeedURL($0) }?.text }

  /// A value in an answer; nil if it is of another kind.
  private struct Kept<Value: Decodable>: Decodable {
    var value: Value?

    init(from decoder: any Decoder) throws { value = try? Value(from: decoder) }
  }
}
