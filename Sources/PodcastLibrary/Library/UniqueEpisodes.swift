import PodcastModel
import PodcastTransfer

/// The recorded episodes of a library, and the folders and records that could not be read.
struct FoundEpisodes: Sendable {
  var episodes: UniqueEpisodes
  /// Whether they are all recorded episodes.
  var areAll: Bool
  var unreadable: [DiskError]
  /// Records with refused parts.
  var refused: [DiskError]
  /// Folders of which not all could be read.
  var incomplete: [RelativePath]
  /// Folders whose records have conflict copies.
  var conflicts: [RelativePath] = []
  /// Folders whose disks are missing.
  var emptied: [EmptiedFolder] = []
  /// Folders with files that their records do not name any more.
  var lost: [LibraryReading.Lost] = []

  /// Combines episodes with the result of the folder scan.
  init(
    _ found: (episodes: UniqueEpisodes, areAll: Bool), _ changes: FolderChanges,
    emptied: [EmptiedFolder]
  ) {
    (episodes, areAll) = found
    self.emptied = emptied
    unreadable = changes.unreadable
    refused = changes.refused
    incomplete = changes.incomplete + emptied.map(\.path)
    conflicts = changes.conflicts
  }

  /// The content of the folders that were read.
  init(_ changes: FolderChanges) { self.init((changes.episodes, true), changes, emptied: []) }
}

/// The episodes of many folders, each once: if an episode is in two of them, the one with more on
/// the disk counts.
struct UniqueEpisodes: Sendable {
  /// The episodes in the order in which each was first seen.
  private(set) var all: [LocalEpisode]
  /// The same episodes in other folders, complete or removed there.
  private(set) var copies: [LocalEpisode] = []
  /// The same episodes in folders whose records name missing files.
  private(set) var absent: [LocalEpisode] = []

  /// Adds all recorded episodes.
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

  /// Adds unfinished episodes; complete ones count more.
  mutating func add(partials: [LocalEpisode]) {
    let begun = partials.filter { $0.bytes > 0 }
    guard !begun.isEmpty else { return }
    var places = Self.places(of: begun, among: all)
    for episode in begun {
      if let place = places[episode.key] {
        if all[place].bytes == 0 { all[place] = episode }
      } else {
        places[episode.key] = all.endIndex
        all.append(episode)
      }
    }
  }

  /// The positions of all episodes that some unfinished ones may be, by their keys. Few are unfinished,
  /// so only keys that may match them are created.
  static func places(of unfinished: [LocalEpisode], among all: [LocalEpisode]) -> [String: Int] {
    let numbers = Set(unfinished.map(number))
    var places: [String: Int] = [:]
    for (place, episode) in all.enumerated() where numbers.contains(number(of: episode)) {
      places[episode.key] = place
    }
    return places
  }

  /// Whether no two keys are equal, checked with hash numbers: sorting those takes a tenth of the
  /// time for a table of the keys, and nearly always decides it.
  private static func areSurelyDistinct(_ episodes: [LocalEpisode]) -> Bool {
    var numbers = episodes.map(number)
    numbers.sort()
    return zip(numbers, numbers.dropFirst()).allSatisfy(!=)
  }

  /// A number for an episode's key: equal keys have equal ones.
  private static func number(of episode: LocalEpisode) -> UInt64 {
    episode.withKey { HashNumber.of($0) }
  }
}
