public import FoundationEssentials
import Glibc
public import PodcastModel
import PodcastTransfer

/// What a user says about an episode.
public enum EpisodeMark: Sendable, Hashable {
  /// Whether it is a favorite.
  case starred(Bool)
  /// Whether it was played. It then begins at its start again.
  case played(Bool)
  /// Where playing continues, in whole seconds of up to 31 days; nil is the start.
  case position(Duration?)
  /// What is wrong in its feed; nil takes back all that was corrected before.
  case edited(EpisodeCorrection?)

  /// The longest position: a month.
  public static let longestPosition = Duration.seconds(31 * 86_400)
}

extension Library {
  /// Marks episodes, where that changes anything, and records it in their folders. A missing episode
  /// keeps its marks until it is downloaded again, a partial one until it is complete, and a removed
  /// one when it is restored. One that was never downloaded, and was recorded only because it was played, is
  /// forgotten when it is marked as unplayed.
  ///
  /// - Parameters:
  ///   - mark: what is true of them from now on.
  ///   - episodes: episodes of this library.
  ///   - now: the time of day (UTC).
  /// - Returns: the episodes as they are now, in order.
  /// - Throws: a ``PodgetError`` with the code `disk` or `diskFull`; the episodes of other folders
  ///   may have changed by then.
  public func mark(
    _ mark: EpisodeMark, of episodes: [LocalEpisode], at now: Date
  ) throws(PodgetError) -> [LocalEpisode] {
    try self.mark(episodes.map { ($0, mark) }, at: now)
    return episodes.map { episode in
      var marked = episode
      marked.marks.take(mark)
      return marked
    }
  }
}

extension Library {
  /// Marks each of these episodes as ``mark(_:of:at:)`` does.
  ///
  /// - Parameter isCancelled: whether no other folder is to be changed; it fails then.
  package func mark(
    _ marks: [(episode: LocalEpisode, mark: EpisodeMark)], at now: Date,
    isCancelled: () -> Bool = { false }
  ) throws(PodgetError) {
    let folders = Dictionary(grouping: marks, by: \.episode.plan.file.folder)
    for (path, marks) in folders.sorted(by: { $0.key.text < $1.key.text }) {
      do throws(DiskError) {
        guard !isCancelled() else { throw .cancelled("change", path.text) }
        let folder = try episodeFolder(path)
        let known = try entries(marks.map(\.episode.plan.episodeKey), in: folder, at: path)
        var facts: [FolderFact] = []
        for (episode, mark) in marks {
          var entry =
            known[episode.plan.episodeKey] ?? FolderContents.Entry(planned: episode)
          let isUnlisted = mark == .played(false) && entry.isOnlyListed
          guard entry.take(mark) || isUnlisted else { continue }
          facts.append(isUnlisted ? entry.unlisted(at: now) : entry.remark(at: now))
        }
        if !facts.isEmpty { try FolderRecords.append(facts, in: folder) }
      } catch {
        throw error.unrecorded
      }
    }
  }

  /// When it was said last how far somebody is with episodes, in seconds since 1970 (UTC), by their
  /// keys.
  package func progressTimes(of episodes: [LocalEpisode]) throws(PodgetError) -> [String: Int64] {
    var times: [String: Int64] = [:]
    let folders = Dictionary(grouping: episodes, by: \.plan.file.folder)
    for (path, episodes) in folders {
      do throws(DiskError) {
        guard !Task.isCancelled else { throw .cancelled("read", path.text) }
        let folder = try episodeFolder(path)
        let known = try entries(episodes.map(\.plan.episodeKey), in: folder, at: path)
        for (key, entry) in known {
          times[key.text] = max(times[key.text] ?? 0, entry.progressTime)
        }
      } catch {
        throw error.podgetError
      }
    }
    return times
  }
}

extension FolderContents.Entry {
  /// An episode that is not in the folder's record yet.
  init(planned episode: LocalEpisode) {
    self.init(
      key: episode.plan.episodeKey, podcast: StoredPodcast(episode.plan.podcast),
      episode: StoredEpisode(episode.plan.episode))
  }
}

extension DiskError {
  /// What is said when a mark cannot be recorded.
  var unrecorded: PodgetError {
    PodgetError(
      isFull ? .diskFull : .disk,
      isFull
        ? "The disk is full, so this cannot be recorded; make room and try again."
        : podgetError.message)
  }
}
