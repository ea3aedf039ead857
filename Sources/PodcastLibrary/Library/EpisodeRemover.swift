internal import CFiles
public import FoundationEssentials
import Glibc
public import PodcastModel
import PodcastTransfer
import Synchronization

/// Removes episodes from a library and records them as removed.
///
/// The record comes first and the file follows: after a kill between the two the episode is still
/// there, complete, and can be removed again. In the other order it would look lost, and would be
/// downloaded again.
public struct EpisodeRemover: Sendable {
  /// The result for an episode.
  public enum Outcome: Sendable, Hashable {
    /// It is gone, now or since an earlier removal.
    case removed
    /// It is starred and was kept.
    case starred
    /// Another podget is using it, so it was kept.
    case busy
    /// The disk refused the removal.
    case failed(PodgetError)
  }

  /// How many are removed with one sync; each has an open file in the meantime.
  static let batch = 200
  /// How often, and for how many microseconds, to wait for another podget that removes it too.
  private static let lockAttempts = 20
  private static let lockPause: UInt32 = 50_000

  private let library: Library
  private let removesStarred: Bool
  /// Whether episodes that a person brought back stay too.
  private let leavesKept: Bool
  /// How long removed files stay in the trash (UTC); nil deletes them immediately.
  public let keptUntil: Date?
  /// The time of the removal (UTC).
  public let now: Date

  /// Creates a remover.
  ///
  /// - Parameters:
  ///   - library: the library.
  ///   - removesStarred: whether starred episodes are removed too.
  ///   - keptUntil: until when files stay in the trash (UTC); nil deletes them immediately.
  ///   - now: the time of day (UTC).
  public init(
    library: Library, removesStarred: Bool, keptUntil: Date?, now: Date
  ) {
    self.init(
      library: library, removesStarred: removesStarred, leavesKept: false,
      keptUntil: keptUntil, now: now)
  }

  /// Creates a remover that may leave what a person brought back.
  package init(
    library: Library, removesStarred: Bool, leavesKept: Bool, keptUntil: Date?, now: Date
  ) {
    self.library = library
    self.removesStarred = removesStarred
    self.leavesKept = leavesKept
    self.keptUntil = keptUntil
    self.now = now
  }

  /// Removes the files and partial bytes of episodes, and returns the result for each, in order.
  /// Then deletes expired files from the trash.
  ///
  /// - Parameters:
  ///   - episodes: the episodes to remove.
  ///   - copies: the same episodes in other folders, as a reading of the library found them. Each
  ///     is removed with its episode, which counts as removed only when all of them are.
  public func remove(_ episodes: [LocalEpisode], copies: [LocalEpisode] = []) -> [Outcome] {
    // A copy with a star protects the episode in its other folders too.
    let starred = Set(
      copies.filter { $0.isStarred && !removesStarred || $0.isKept && leavesKept }.map(\.key))
    let chosen = episodes.indices.filter { !starred.contains(episodes[$0].key) }
    var outcomes = [Outcome](repeating: .starred, count: episodes.count)
    for (place, outcome) in zip(chosen, removeFromFolders(chosen.map { episodes[$0] })) {
      outcomes[place] = outcome
    }
    if !copies.isEmpty {
      let places = Dictionary(
        zip(episodes.map(\.key), outcomes.indices), uniquingKeysWith: { first, _ in first })
      let wanted = copies.filter { copy in places[copy.key].map { outcomes[$0] } == .removed }
      for (copy, outcome) in zip(wanted, removeFromFolders(wanted)) where outcome != .removed {
        if let place = places[copy.key] { outcomes[place] = outcome }
      }
    }
    library.emptyTrash(at: now)
    return outcomes
  }
}

extension [LocalEpisode] {
  /// The places of the episodes of each folder, in the order of the folders' paths.
  var byFolder: [(folder: RelativePath, places: [Int])] {
    Dictionary(grouping: indices) { self[$0].plan.file.folder }
      .map { (folder: $0.key, places: $0.value) }.sorted { $0.folder.text < $1.folder.text }
  }

  /// Whether no two are the same, as copies in two folders are: the trash names files by their keys.
  var haveOwnKeys: Bool { Set(lazy.map(\.plan.episodeKey)).count == count }
}

extension EpisodeRemover {
  /// Removes the files in the folders of the episodes' plans.
  private func removeFromFolders(_ episodes: [LocalEpisode]) -> [Outcome] {
    let folders = episodes.byFolder
    let outcomes = Mutex([Outcome](repeating: .removed, count: episodes.count))
    DiskPool.forEach(below: folders.count, isParallel: episodes.haveOwnKeys) { number in
      let (folder, indices) = folders[number]
      var rest = indices[...]
      while !rest.isEmpty {
        let some = rest.prefix(Self.batch)
        rest = rest.dropFirst(some.count)
        let removed: [Outcome]
        do throws(DiskError) {
          let batch = try RemovalBatch(library: library, folder: folder, keptUntil: keptUntil)
          removed = try remove(some.map { episodes[$0] }, in: batch)
        } catch {
          removed = some.map { _ in .failed(Self.told(error)) }
        }
        outcomes.withLock { outcomes in
          for (index, outcome) in zip(some, removed) { outcomes[index] = outcome }
        }
      }
    }
    return outcomes.withLock(\.self)
  }

  private func remove(
    _ episodes: [LocalEpisode], in batch: RemovalBatch
  ) throws(DiskError) -> [Outcome] {
    var outcomes = [Outcome](repeating: .busy, count: episodes.count)
    var locked: [(place: Int, episode: LocalEpisode, part: PartFile)] = []
    for (place, episode) in episodes.enumerated() {
      do throws(DiskError) {
        if let part = try lock(episode, batch) { locked.append((place, episode, part)) }
      } catch {
        outcomes[place] = .failed(Self.told(error))
      }
    }
    var recorded: [EpisodeKey: FolderContents.Entry] = [:]
    do throws(DiskError) {
      // Read only now: a locked episode does not change any more.
      recorded = try batch.entries(of: locked.map(\.episode))
    } catch {
      for (_, _, part) in locked where (try? part.size()) == 0 { part.remove() }
      throw error
    }
    var removals: [(place: Int, removal: RemovalBatch.Removal)] = []
    for (place, episode, part) in locked {
      let removal = RemovalBatch.Removal(
        of: episode, as: recorded[episode.plan.episodeKey], part: part)
      let isProtected =
        removal.entry.isStarred && !removesStarred || removal.entry.isKept && leavesKept
      if isProtected, !batch.isGone(removal) {
        outcomes[place] = .starred
        removal.release()
      } else {
        removals.append((place, removal))
      }
    }
    let owned: OwnedNames
    do throws(DiskError) {
      owned = try batch.ownedNames(for: removals.map(\.removal))
    } catch {
      for (_, removal) in removals { removal.release() }
      throw error
    }
    let keys = removals.map { $0.removal.entry.key }
    if keptUntil != nil { library.noteTags(of: keys, at: batch.place) }
    try record(removals.map(\.removal), in: batch)
    for (place, removal) in removals {
      do throws(DiskError) {
        try batch.removeFiles(removal, owned)
        outcomes[place] = .removed
      } catch {
        removal.release()
        outcomes[place] = .failed(Self.told(error))
      }
    }
    try batch.synchronize()
    if keptUntil == nil {
      library.forgetTags(of: keys, at: batch.place)
    }
    return outcomes
  }

  private func record(
    _ removals: [RemovalBatch.Removal], in batch: RemovalBatch
  ) throws(DiskError) {
    do throws(DiskError) {
      try batch.record(removals, at: now)
    } catch {
      // On a full disk the removed files make room for the lines about them.
      guard error.isFull, keptUntil == nil else {
        for removal in removals { removal.release() }
        throw error
      }
      for removal in removals { batch.makeRoom(removal) }
      try batch.record(removals, at: now)
    }
  }

  private func lock(
    _ episode: LocalEpisode, _ batch: RemovalBatch
  ) throws(DiskError) -> PartFile? {
    for attempt in 1...Self.lockAttempts {
      if let part = try batch.partials.openPart(episode.plan.key) { return part }
      // A removal is finished in a moment; a download is not.
      if attempt < Self.lockAttempts { usleep(Self.lockPause) }
    }
    return nil
  }

  private static func told(_ error: DiskError) -> PodgetError {
    error.isFull
      ? PodgetError(.diskFull, "The disk is full.", remedy: .deleteAtOnce)
      : error.podgetError
  }
}
