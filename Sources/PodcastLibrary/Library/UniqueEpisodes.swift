import PodcastTransfer

/// The recorded episodes of a library, and the folders and records that could not be read.
struct FoundEpisodes: Sendable {
  var episodes: UniqueEpisodes
  /// Whether they are all that is on record.
  var areAll: Bool
  var unreadable: [DiskError]
  /// Records of which something is refused.
  var refused: [DiskError]
  /// Folders whose disks are not there.
  var emptied: [EmptiedFolder] = []

  /// What was found in one way or another, with what the scan of the folders says.
  init(
    _ found: (episodes: UniqueEpisodes, areAll: Bool), _ changes: FolderChanges,
    emptied: [EmptiedFolder]
  ) {
    (episodes, areAll) = found
    self.emptied = emptied
    unreadable = changes.unreadable
    refused = changes.refused
  }

  /// What the folders hold that were read.
  init(_ changes: FolderChanges) { self.init((changes.episodes, true), changes, emptied: []) }
}

/// Episodes of many folders, each once: the same one may stand in two of them, and then what is on
/// the disk counts most.
struct UniqueEpisodes: Sendable {
  /// The episodes in the order in which each was first seen.
  private(set) var all: [LocalEpisode]
  /// The same episodes in other folders, complete or removed there.
  private(set) var copies: [LocalEpisode] = []
  /// The same episodes in folders whose records name files that are not there.
  private(set) var absent: [LocalEpisode] = []

  /// Takes all that are on record.
  init(_ recorded: [LocalEpisode] = []) {
    all = recorded
    guard !Self.areSurelyDistinct(recorded) else { return }
    all = []
    var places: [String: Int] = [:]
    for episode in recorded {
      let place = places[episode.key, default: all.endIndex]
      if place == all.endIndex {
        places[episode.key] = place
        all.append(episode)
      } else if episode.status == .complete || all[place].status == .missing {
        copies.append(all[place])
        all[place] = episode
      } else {
        copies.append(episode)
      }
    }
    absent = copies.filter { $0.status == .missing }
    copies.removeAll { $0.status == .missing }
  }

  /// Takes those that are unfinished; what is whole counts more.
  mutating func add(partials: [LocalEpisode]) {
    let begun = partials.filter { $0.bytes > 0 }
    guard !begun.isEmpty else { return }
    // Few are unfinished: only keys that may be theirs are worth making.
    let numbers = Set(begun.map(Self.number))
    var places: [String: Int] = [:]
    for (place, episode) in all.enumerated() where numbers.contains(Self.number(of: episode)) {
      places[episode.key] = place
    }
    for episode in begun {
      if let place = places[episode.key] {
        if all[place].bytes == 0 { all[place] = episode }
      } else {
        places[episode.key] = all.endIndex
        all.append(episode)
      }
    }
  }

  /// Whether no two keys are equal, told by numbers made of them: sorting those takes a tenth of
  /// what a table of the keys takes, and nearly always settles it.
  private static func areSurelyDistinct(_ episodes: [LocalEpisode]) -> Bool {
    var numbers = episodes.map(number)
    numbers.sort()
    return zip(numbers, numbers.dropFirst()).allSatisfy(!=)
  }

  /// A number made of an episode's key by FNV-1a: equal keys have equal ones.
  private static func number(of episode: LocalEpisode) -> UInt64 {
    episode.withKey { key in
      key.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
  }
}
