package import PodcastModel
package import PodcastTransfer

/// The result of a folder's facts: one entry for each episode, from the last lines about it.
package struct FolderContents: Sendable, Hashable {
  /// One episode of the folder.
  package struct Entry: Sendable, Hashable {
    package var key: EpisodeKey
    var podcast: StoredPodcast
    package var episode: StoredEpisode
    /// The name of its file in the folder, the planned one if it was removed unfinished; nil before
    /// that, and after it was moved to another folder.
    package var file: EntryName?
    /// The length of that file in bytes, and its SHA-256 if it was computed.
    package var bytes: Int64?
    package var sha256: String?
    /// What proves that the audio of that file is intact when its tags were changed.
    package var audio: AudioProof?
    /// The SHA-256 of what a server sent; nil if not known.
    package var receivedSHA256: String?
    /// Its other files.
    package var otherFiles: [EpisodeFile] = []
    /// When it was finished (RFC 3339, UTC).
    var downloadedAt: String?
    package var isStarred = false
    /// When it was removed on purpose (RFC 3339, UTC); nil when it was not, or was downloaded
    /// again.
    package var removedAt: String?

    /// Its file, if one was ever finished. A file with the planned name of an episode that was
    /// removed before that is not podget's.
    var finishedFile: EntryName? { removedAt == nil || downloadedAt != nil ? file : nil }
  }

  /// The podcast of the folder.
  private(set) var podcast: StoredPodcast?
  /// The episodes in the order in which they were recorded.
  package private(set) var entries: [Entry] = []
  private var places: [EpisodeKey: Int] = [:]

  /// Folds facts in the order of their lines.
  package init(_ facts: some Sequence<FolderFact>) { add(facts) }

  /// Folds the facts of a folder, with its files' names as the disk has them: a copy that was made
  /// through another system may spell the same text in another Unicode form. If both forms exist,
  /// they are two files.
  package init(_ facts: some Sequence<FolderFact>, in folder: OpenFile) {
    self.init(facts)
    let absent = entries.indices.filter { place in
      guard let file = entries[place].file?.text else { return false }
      return !file.isASCII && folder.status(of: file) == nil
    }
    guard !absent.isEmpty else { return }
    let recorded = Set(entries.compactMap(\.file))
    // Texts are equal here in any form; names only when their bytes are equal.
    var others: [String: [EntryName]] = [:]
    for name in folder.entries().compactMap(EntryName.init)
    where !name.text.isASCII && !recorded.contains(name) {
      others[name.text, default: []].append(name)
    }
    for place in absent {
      guard let file = entries[place].file?.text, let found = others[file], found.count == 1 else {
        continue
      }
      entries[place].file = found[0]
      others[file] = nil
    }
  }

  /// Folds further facts.
  mutating func add(_ facts: some Sequence<FolderFact>) {
    for fact in facts { take(fact) }
  }

  /// The entry of an episode.
  package func entry(_ key: EpisodeKey) -> Entry? { places[key].map { entries[$0] } }

  private mutating func take(_ fact: FolderFact) {
    guard let kind = fact.kind else { return }
    guard kind != .podcast else {
      podcast = fact.podcast
      return
    }
    guard let key = fact.key, let episode = fact.episode else { return }
    let place = places[key] ?? entries.endIndex
    if place == entries.endIndex {
      places[key] = place
      entries.append(Entry(key: key, podcast: fact.podcast, episode: episode))
    }
    switch kind {
    case .podcast: break
    case .finished:
      guard let file = fact.file else { return }
      let isStarred = entries[place].isStarred
      entries[place] = Entry(
        key: key, podcast: fact.podcast, episode: episode, file: file, bytes: fact.bytes,
        sha256: fact.sha256, audio: fact.audio, receivedSHA256: fact.receivedSHA256,
        otherFiles: fact.otherFiles,
        downloadedAt: fact.downloadedAt, isStarred: isStarred)
    case .moved: entries[place] = Entry(key: key, podcast: fact.podcast, episode: episode)
    case .starred: entries[place].isStarred = true
    case .unstarred: entries[place].isStarred = false
    case .removed:
      entries[place].removedAt = fact.at ?? fact.downloadedAt ?? ""
      // An episode that was removed before it was complete is recorded with its planned name.
      entries[place].file = entries[place].file ?? fact.file
    }
  }
}

extension String {
  fileprivate var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }
}
