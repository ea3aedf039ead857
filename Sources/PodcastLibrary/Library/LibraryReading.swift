public import PodcastModel

/// What the library was found to hold.
public struct LibraryReading: Sendable {
  /// The episodes: those on record, complete or missing, then those that are partial.
  public var episodes: [LocalEpisode]
  /// Whether these are all that the library knows.
  public var areAll = true
  /// One sentence for the user when the index could not be used and will not be; else nil.
  public var notice: String?
  /// The folders and records that could not be read, as errors with the code `disk`. Of those that
  /// the index knows, the episodes are there as they were; of others they are not.
  public var errors: [PodgetError] = []
  /// Records of which something is refused, since it leads outside the library or is nothing that
  /// podget writes, as errors with the code `disk`. What else they say is there.
  public var refusals: [PodgetError] = []
  /// Folders whose disks are not there; their episodes are missing.
  public var emptied: [Emptied] = []
  /// What copies of podcasts' folders hold of the episodes besides, each complete or removed there;
  /// few libraries have any.
  public var copies: [LocalEpisode] = []
  /// What records name of the episodes besides and is not there; the names are theirs all the same.
  package var absent: [LocalEpisode] = []
  /// What was planned and is not finished, begun or not.
  package var unfinished: [UnfinishedDownload] = []

  /// The copies of some episodes: complete ones of those that are there, and of those that were
  /// removed what was removed at the same time.
  public func copies(of episodes: [LocalEpisode]) -> [LocalEpisode] {
    guard !copies.isEmpty else { return [] }
    let chosen = Dictionary(episodes.map { ($0.key, $0) }) { first, _ in first }
    return copies.filter { copy in
      guard let episode = chosen[copy.key] else { return false }
      return copy.status == .complete
        || episode.status == .removed && copy.removedAt == episode.removedAt
    }
  }

  /// A folder that is empty, although episodes were complete in it at the last look: most likely its
  /// disk is not mounted. Nothing is to be fetched into it.
  public struct Emptied: Sendable {
    /// Its path below the library.
    public var folder: RelativePath
    /// What to say about it, with the code `disk`.
    public var error: PodgetError
  }

  /// Everything that is wrong with the library, for the user.
  public var problems: [PodgetError] { errors + refusals + emptied.map(\.error) }

  /// Why nothing is to be fetched to a file; nil where nothing is in the way.
  public func obstacle(to file: PlannedFile) -> PodgetError? {
    emptied.obstacle(to: file)
  }
}

extension Sequence<LibraryReading.Emptied> {
  /// Why nothing is to be written where a file belongs; nil where nothing is in the way.
  public func obstacle(to file: PlannedFile) -> PodgetError? {
    first { emptied in
      // By text: a folder is also found by its name in another Unicode form.
      zip(emptied.folder.components, file.folder.components).allSatisfy { $0.text == $1.text }
        && emptied.folder.components.count <= file.folder.components.count
    }?.error
  }
}
