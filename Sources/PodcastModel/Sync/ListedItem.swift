internal import FoundationEssentials

/// An episode as it is remembered of a feed: its key, and what else is known of it.
package struct ListedItem: Sendable, Hashable {
  /// Its key.
  package let key: ListedKey
  /// Its title, address and time.
  package let signs: ListedSigns

  /// Restores a stored item.
  package init(key: ListedKey, signs: ListedSigns) {
    self.key = key
    self.signs = signs
  }

  /// The items of all episodes of one feed, in the feed's order.
  ///
  /// Some hosts give one guid or one address to every episode. Episodes with a common key get keys
  /// from the guid, the address, the title and the day together, otherwise only the first of them
  /// would ever be new.
  package static func items(of episodes: [Episode]) -> [ListedItem] {
    let keys = episodes.map { ListedKey($0) }
    var counts: [ListedKey: Int] = [:]
    for key in keys { counts[key, default: 0] += 1 }
    return zip(episodes, keys).map { episode, key in
      let isRepeated = counts[key, default: 0] > 1
      let kind: ListedSigns.Kind =
        isRepeated ? .repeated : episode.guidText != nil ? .guid : .other
      return ListedItem(
        key: isRepeated ? ListedKey(repeated: episode) : key, signs: ListedSigns(episode, kind))
    }
  }
}
