public import PodcastModel

/// The content of a library at one moment.
public struct LibraryReading: Sendable {
  /// The episodes: the recorded ones, complete or missing, then the partial ones.
  public var episodes: [LocalEpisode]
  /// Whether these are all that the library knows.
  public var areAll = true
  /// One sentence for the user when the index could not be used and will not be; otherwise nil.
  public var notice: String?
  /// The folders and records that could not be read, as errors with the code `disk`. If the index
  /// knows them, their episodes are in the list as they were; otherwise they are not.
  public var errors: [PodgetError] = []
  /// Records with refused parts, which lead outside the library or which podget never writes, as
  /// errors with the code `disk`. The rest of them is in the list.
  public var refusals: [PodgetError] = []
  /// Folders whose disks are missing; their episodes are missing too.
  public var emptied: [Emptied] = []
  /// The same episodes in copies of podcasts' folders, each complete or removed there; few
  /// libraries have any.
  public var copies: [LocalEpisode] = []
  /// The same episodes in records whose files are gone; their names are still taken.
  package var absent: [LocalEpisode] = []
  /// The planned downloads that are not finished, begun or not.
  package var unfinished: [UnfinishedDownload] = []

  /// The copies of some episodes: for existing ones the complete copies, for removed ones those
  /// that were removed at the same time.
  public func copies(of episodes: [LocalEpisode]) -> [LocalEpisode] {
    guard !copies.isEmpty else { return [] }
    let chosen = Dictionary(episodes.map { ($0.key, $0) }) { first, _ in first }
    return copies.filter { copy in
      guard let episode = chosen[copy.key] else { return false }
      return copy.status == .complete
        || episode.status == .removed && copy.removedAt == episode.removedAt
    }
  }

  /// A folder that is empty, although episodes were complete in it before: most likely its disk is
  /// not mounted. Nothing is downloaded into it.
  public struct Emptied: Sendable {
    /// Its path below the library.
    public var folder: RelativePath
    /// The message about it, with the code `disk`.
    public var error: PodgetError
  }

  /// Everything that is wrong with the library, for the user.
  public var problems: [PodgetError] { errors + refusals + emptied.map(\.error) }

  /// Why nothing may be downloaded to a file; nil if it may be.
  public func obstacle(to file: PlannedFile) -> PodgetError? {
    emptied.obstacle(to: file)
  }
}

extension Sequence<LibraryReading.Emptied> {
  /// Why nothing may be written to the place of a file; nil if it may be.
  public func obstacle(to file: PlannedFile) -> PodgetError? {
    first { emptied in
      // Compared as text: a folder is also found by its name in another Unicode form.
      zip(emptied.folder.components, file.folder.components).allSatisfy { $0.text == $1.text }
        && emptied.folder.components.count <= file.folder.components.count
    }?.error
  }
}
