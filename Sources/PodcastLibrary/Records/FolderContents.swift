package import PodcastModel
package import PodcastTransfer

/// The result of a folder's facts: one entry for each episode, with the latest of each part that lines
/// say about it.
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
    /// What else is known of it, and since when.
    var parts = EpisodeParts()

    package var isStarred: Bool {
      get { parts.star.value }
      set { parts.star.value = newValue }
    }
    /// When it was removed on purpose (RFC 3339, UTC); nil when it was not, or was downloaded
    /// again, or was only marked as played here and downloaded by another machine.
    package var removedAt: String? {
      get { downloadedAt != nil && isRemovalOfListed ? nil : parts.removal.value }
      set { parts.removal.value = newValue }
    }

    /// Its file, if one was ever finished. A file with the planned name of an episode that was
    /// removed before that is not podget's.
    var finishedFile: EntryName? { removedAt == nil || downloadedAt != nil ? file : nil }
  }

  /// The podcast of the folder.
  private(set) var podcast: StoredPodcast?
  /// The podcast's image in the folder, and when it was requested last (RFC 3339, UTC).
  private(set) var cover: EpisodeFile?
  private(set) var coverTime: String?
  /// The episodes in the order in which they were recorded.
  package private(set) var entries: [Entry] = []
  /// Which lines say it, in the same order.
  private(set) var sources: [Sources] = []
  /// The numbers of the lines that say the podcast and its image.
  private(set) var podcastLine: Int32 = -1
  private(set) var coverLine: Int32 = -1
  private var places: [EpisodeKey: Int] = [:]
  /// Whether the disk spells a name that is not there in another Unicode form.
  private(set) var hasOtherForms = false

  /// Folds facts in the order of their lines.
  package init(_ facts: some Sequence<FolderFact>) { add(facts) }

  /// Folds the facts of some lines. ``sources`` are their numbers from 0 on.
  init(numbered facts: [FolderFact?]) {
    for (number, fact) in facts.enumerated() {
      if let fact { take(fact, line: Int32(truncatingIfNeeded: number)) }
    }
  }

  /// Folds the facts of a folder, with its files' names as the disk has them: a copy that was made
  /// through another system may spell the same text in another Unicode form. If both forms exist,
  /// they are two files.
  package init(_ facts: some Sequence<FolderFact>, in folder: OpenFile) {
    self.init(facts)
    func isAbsent(_ name: EntryName) -> Bool {
      !name.text.isASCII && folder.status(of: name.text) == nil
    }
    let absent = entries.indices.filter { place in entries[place].file.map(isAbsent) ?? false }
    let absentOthers = entries.indices.filter { place in
      entries[place].removedAt == nil && entries[place].otherFiles.contains { isAbsent($0.path) }
    }
    guard !absent.isEmpty || !absentOthers.isEmpty else { return }
    let recorded = Set(
      entries.lazy.flatMap { [$0.file].compactMap(\.self) + $0.otherFiles.map(\.path) })
    // Texts are equal here in any form; names only when their bytes are equal.
    var others: [String: [EntryName]] = [:]
    for name in folder.entries().compactMap(EntryName.init)
    where !name.text.isASCII && !recorded.contains(name) {
      others[name.text, default: []].append(name)
    }
    for place in absent {
      guard let file = entries[place].file?.text, let found = others[file] else { continue }
      hasOtherForms = true
      guard found.count == 1 else { continue }
      entries[place].file = found[0]
      others[file] = nil
    }
    for place in absentOthers {
      for number in entries[place].otherFiles.indices {
        let file = entries[place].otherFiles[number].path
        guard isAbsent(file), let found = others[file.text] else { continue }
        hasOtherForms = true
        guard found.count == 1 else { continue }
        entries[place].otherFiles[number].path = found[0]
      }
    }
  }

  /// Folds further facts.
  mutating func add(_ facts: some Sequence<FolderFact>) {
    for fact in facts { take(fact) }
  }

  /// Whether two entries name one file.
  var hasSharedFiles: Bool {
    let files = entries.compactMap(\.file)
    return Set(files).count < files.count
  }

  /// The entry of an episode.
  package func entry(_ key: EpisodeKey) -> Entry? { places[key].map { entries[$0] } }

  private mutating func take(_ fact: FolderFact) {
    take(fact, line: -1)
  }

  /// Folds one fact.
  ///
  /// - Parameter line: the number of its line, for ``Sources``.
  mutating func take(_ fact: FolderFact, line: Int32) {
    guard let kind = fact.kind else { return }
    guard kind != .podcast else {
      podcast = fact.podcast
      podcastLine = line
      if let cover = fact.otherFiles.first(where: { $0.role == PodcastCover.role }) {
        (self.cover, coverTime, coverLine) = (cover, fact.at, line)
      } else if cover == nil, fact.podcast.artworkUrl != nil {
        coverTime = fact.at
      }
      return
    }
    guard let key = fact.key, let episode = fact.episode else { return }
    let place = places[key] ?? entries.endIndex
    if place == entries.endIndex {
      places[key] = place
      entries.append(Entry(key: key, podcast: fact.podcast, episode: episode))
      sources.append(Sources(file: line, star: line, removal: line))
    }
    if let state = fact.state {
      entries[place].join(fact, episode, state, &sources[place], line)
    } else {
      entries[place].take(kind, fact, episode, &sources[place], line)
    }
  }
}

extension FolderContents {
  /// The numbers of the lines that say what an entry has.
  struct Sources: Sendable, Hashable {
    var file: Int32
    var star: Int32
    var removal: Int32
    var others: [String: Int32] = [:]
  }
}

extension FolderContents.Entry {
  /// Joins a line that is a state: of each part the later one counts, of equal times the greater
  /// value. So the order of such lines does not matter.
  fileprivate mutating func join(
    _ fact: FolderFact, _ episode: StoredEpisode, _ state: EpisodeParts,
    _ sources: inout FolderContents.Sources, _ line: Int32
  ) {
    var other = Self(
      key: key, podcast: fact.podcast, episode: episode, file: fact.file, bytes: fact.bytes,
      sha256: fact.sha256, audio: fact.audio, receivedSHA256: fact.receivedSHA256,
      otherFiles: fact.otherFiles, downloadedAt: fact.downloadedAt)
    other.parts = parts
    let isEqual = other == self
    if state.file > parts.file
      || state.file == parts.file && (isEqual || other.fileText > fileText)
    {
      if !isEqual { self = other }
      parts.file = state.file
      sources.file = line
    }
    if state.star.isLater(than: parts.star, { $0 && !$1 }) {
      parts.star = state.star
      sources.star = line
    }
    if state.removal.isLater(than: parts.removal, { ($0 ?? "") > ($1 ?? "") }) {
      parts.removal = state.removal
      sources.removal = line
    }
    for (name, part) in state.others {
      guard part.isLater(than: parts.others[name], { $0.text > $1.text }) else { continue }
      parts.others[name] = part
      sources.others[name] = line
    }
  }

  /// The file as a text, to compare two that were recorded at the same time.
  private var fileText: String {
    var fact = FolderFact(
      fact: FolderFact.Kind.finished.rawValue, podcast: podcast, episode: episode, file: file,
      bytes: bytes, sha256: sha256, audio: audio, receivedSHA256: receivedSHA256,
      otherFiles: otherFiles, downloadedAt: downloadedAt)
    fact.key = key
    let text = (try? RecordEncoder.data(fact, for: "")).map { String(decoding: $0, as: UTF8.self) }
    return (file == nil ? "0" : "1") + (text ?? "")
  }

  /// Takes a line of events, as earlier versions write them: each is true from then on. One that is
  /// older than a state does not change it.
  fileprivate mutating func take(
    _ kind: FolderFact.Kind, _ fact: FolderFact, _ episode: StoredEpisode,
    _ sources: inout FolderContents.Sources, _ line: Int32
  ) {
    let at = RecordTime(event: fact.at)
    if file == nil, parts.file == .never {
      // Nothing better is known of it.
      (podcast, self.episode) = (fact.podcast, episode)
      sources.file = line
    }
    switch kind {
    case .podcast: break
    case .finished:
      guard let file = fact.file, let time = parts.file.next(at) else { return }
      let before = parts
      self = Self(
        key: key, podcast: fact.podcast, episode: episode, file: file, bytes: fact.bytes,
        sha256: fact.sha256, audio: fact.audio, receivedSHA256: fact.receivedSHA256,
        otherFiles: fact.otherFiles, downloadedAt: fact.downloadedAt)
      parts = before
      parts.file = time
      sources.file = line
      setRemoval(nil, at, &sources, line)
    case .moved:
      if let time = parts.file.next(at) {
        let before = parts
        self = Self(key: key, podcast: fact.podcast, episode: episode)
        parts = before
        parts.file = time
        sources.file = line
      }
      setStar(false, at, &sources, line)
      setRemoval(nil, at, &sources, line)
    case .starred: setStar(true, at, &sources, line)
    case .unstarred: setStar(false, at, &sources, line)
    case .removed:
      setRemoval(fact.at ?? fact.downloadedAt ?? "", at, &sources, line)
      // An episode that was removed before it was complete is recorded with its planned name.
      file = file ?? fact.file
    }
  }

  private mutating func setStar(
    _ isStarred: Bool, _ at: RecordTime?, _ sources: inout FolderContents.Sources, _ line: Int32
  ) {
    guard let time = parts.star.time.next(at) else { return }
    parts.star = EpisodeParts.Part(isStarred, time)
    sources.star = line
  }

  private mutating func setRemoval(
    _ removedAt: String?, _ at: RecordTime?, _ sources: inout FolderContents.Sources,
    _ line: Int32
  ) {
    guard let time = parts.removal.time.next(at) else { return }
    parts.removal = EpisodeParts.Part(removedAt, time)
    sources.removal = line
  }
}

extension EpisodeParts.Part {
  /// Whether this part counts, and not another one.
  ///
  /// - Parameter isGreater: compares values of equal times.
  fileprivate func isLater(than other: Self?, _ isGreater: (Value, Value) -> Bool) -> Bool {
    guard let other else { return true }
    if time != other.time { return time > other.time }
    return value == other.value || isGreater(value, other.value)
  }
}

extension RecordTime {
  /// The time of an event after what has this time; nil if the event is older than a state.
  fileprivate func next(_ event: RecordTime?) -> RecordTime? {
    if isOfEvent { return max(self, event ?? self) }
    guard let event else { return endOfSecond }
    // Events do not say which part of the second it was.
    return event.endOfSecond > self ? max(event, endOfSecond) : nil
  }
}

extension RecordValue {
  /// A text that is equal for equal values.
  fileprivate var text: String {
    (try? RecordEncoder.data(self, for: "")).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}

extension String {
  /// Whether no Unicode form changes it.
  var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }
}
