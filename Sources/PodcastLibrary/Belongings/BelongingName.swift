import PodcastModel

/// Names of files beside an episode: the stem of the episode's file, and an ending.
enum BelongingName {
  /// The ending of chapters, which has two dots.
  static let chapters = ".chapters.json"

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
  private var owners: [EntryName: EpisodeKey] = [:]

  /// The files of no folder.
  init() {}

  /// The files of a folder.
  init(_ contents: FolderContents) {
    for entry in contents.entries {
      for file in entry.otherFiles { owners[file.path] = entry.key }
    }
    for entry in contents.entries {
      if let file = entry.finishedFile { owners[file] = entry.key }
    }
  }

  /// Whether a file is not that of another episode.
  func isFree(_ name: EntryName, for key: EpisodeKey) -> Bool {
    owners[name].map { $0 == key } ?? true
  }

  /// Notes the new name of a file.
  mutating func note(_ name: EntryName, of key: EpisodeKey) { owners[name] = key }
}
