import PodcastModel
import PodcastTransfer

/// Names of files beside an episode: the stem of the episode's file, and an ending.
enum BelongingName {
  /// The ending of chapters, which has two dots.
  static let chapters = ".chapters.json"
  /// The ending of notes.
  static let notes = ".md"

  /// The ending of such a name with its dot; empty for a name without one.
  static func ending(of name: EntryName) -> String {
    if name.text.hasSuffix(chapters), name.text != chapters { return chapters }
    return String(name.text.dropFirst(FileName.stem(of: name.text).count))
  }

  /// The names to try, in this order: with the stem of the episode's file, and if that is taken, with
  /// suffixes as files of episodes have.
  ///
  /// - Parameters:
  ///   - media: the name of the episode's file.
  ///   - key: the key of the episode.
  ///   - ending: the ending with its dot.
  static func candidates(beside media: EntryName, key: EpisodeKey, ending: String) -> [EntryName] {
    let stem = FileName.stem(of: media.text)
    return EpisodeIdentity.nameEndings(key.text).compactMap { suffix in
      let rest = "\(suffix)\(ending)"
      let room = max(1, FileName.maximumBytes - rest.utf8.count)
      return EntryName(stem.prefix(maximumBytes: room) + rest)
    }
  }
}

/// Which episode's record names which files of a folder.
struct OwnedNames {
  private enum Owner: Equatable {
    case episode(EpisodeKey)
    /// The records of two episodes name it, or it is the podcast's: no episode may take it along.
    case several
  }

  private var owners: [EntryName: Owner] = [:]

  /// The files of no folder.
  init() {}

  /// The files of a folder. Those beside a removed episode have gone with it.
  ///
  /// - Parameter leaving: episodes whose files go now, so that they own none.
  init(_ contents: FolderContents, without leaving: Set<EpisodeKey> = []) {
    if let cover = contents.cover { owners[cover.path] = .several }
    for entry in contents.entries where !leaving.contains(entry.key) {
      if entry.removedAt == nil {
        for file in entry.otherFiles { note(file.path, of: entry.key) }
      }
      if let file = entry.finishedFile { note(file, of: entry.key) }
    }
  }

  /// The same with the names as the folder has them.
  init(in folder: OpenFile, without leaving: Set<EpisodeKey> = []) throws(DiskError) {
    self.init(
      FolderContents(try FolderRecords.read(in: folder), in: folder), without: leaving)
  }

  /// Whether a file is not that of another episode.
  func isFree(_ name: EntryName, for key: EpisodeKey) -> Bool {
    owners[name].map { $0 == .episode(key) } ?? true
  }

  /// Whether no record names a file.
  func isNobodys(_ name: EntryName) -> Bool { owners[name] == nil }

  /// Notes another name of a file.
  mutating func note(_ name: EntryName, of key: EpisodeKey) {
    owners[name] = isFree(name, for: key) ? .episode(key) : .several
  }
}
