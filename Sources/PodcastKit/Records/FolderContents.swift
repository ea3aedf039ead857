/// What a folder's facts come to: one entry for each episode, as the last lines about it have it.
struct FolderContents: Sendable, Hashable {
  /// One episode of the folder.
  struct Entry: Sendable, Hashable {
    var key: String
    var podcast: StoredPodcast
    var episode: StoredEpisode
    /// The name of its file in the folder, planned for one that was removed unfinished; nil before
    /// that, and after it was moved to another folder.
    var file: String?
    /// The length of that file in bytes, and its SHA-256 where it was computed.
    var bytes: Int64?
    var sha256: String?
    /// When it was finished (RFC 3339, UTC).
    var downloadedAt: String?
    var isStarred = false
    /// When it was removed on purpose (RFC 3339, UTC); nil when it was not, or was fetched again.
    var removedAt: String?
  }

  /// The podcast that the folder was made for.
  private(set) var podcast: StoredPodcast?
  /// The episodes in the order in which they came to be known.
  private(set) var entries: [Entry] = []
  private var places: [String: Int] = [:]

  /// Folds facts in the order of their lines.
  init(_ facts: some Sequence<FolderFact>) {
    for fact in facts { take(fact) }
  }

  /// The entry of an episode.
  func entry(_ key: String) -> Entry? { places[key].map { entries[$0] } }

  private mutating func take(_ fact: FolderFact) {
    guard let kind = fact.kind else { return }
    guard kind != .podcast else {
      podcast = fact.podcast
      return
    }
    guard let key = fact.key, let episode = fact.episode, fact.file?.contains("/") != true else {
      return
    }
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
        sha256: fact.sha256, downloadedAt: fact.downloadedAt, isStarred: isStarred)
    case .moved: entries[place] = Entry(key: key, podcast: fact.podcast, episode: episode)
    case .starred: entries[place].isStarred = true
    case .unstarred: entries[place].isStarred = false
    case .removed:
      entries[place].removedAt = fact.at ?? fact.downloadedAt ?? ""
      // What was removed before it was whole is remembered by its planned name.
      entries[place].file = entries[place].file ?? fact.file
    }
  }
}
