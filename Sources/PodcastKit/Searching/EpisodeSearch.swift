import PodcastFeeds
public import PodcastLibrary
public import PodcastModel
import PodcastTransfer
import Synchronization

/// Searches titles, and the notes and transcripts that are stored beside episodes.
///
/// No index is kept: files are read as they are, by all processors, and those without the words of the
/// expression are not parsed.
public struct EpisodeSearch: Sendable {
  /// How many episodes are searched before what was found is passed on.
  private static let batch = 256

  private let library: Library
  private let pattern: TitlePattern
  private let words: PatternWords
  private let parts: Set<FoundText.Part>

  /// Creates a search.
  ///
  /// - Parameters:
  ///   - library: the library.
  ///   - pattern: what is sought; case is ignored.
  ///   - parts: where it is sought.
  public init(
    of library: Library, for pattern: TitlePattern,
    in parts: Set<FoundText.Part> = Set(FoundText.Part.allCases)
  ) {
    self.library = library
    self.pattern = pattern
    self.parts = parts
    words = PatternWords(pattern)
  }

  /// Searches episodes in their order.
  ///
  /// - Parameters:
  ///   - episodes: the episodes.
  ///   - isStopped: whether it ends early; asked now and then.
  ///   - found: is called with what was found, some episodes at a time.
  /// - Returns: why files could not be read.
  public func run<Failure: Error>(
    _ episodes: [LocalEpisode], until isStopped: () -> Bool = { Task.isCancelled },
    found: ([FoundText]) throws(Failure) -> Void
  ) throws(Failure) -> [PodgetError] {
    let files = storedTexts(of: episodes)
    var problems: [PodgetError] = []
    var start = 0
    while start < episodes.count, !isStopped() {
      let places = start..<min(start + Self.batch, episodes.count)
      let results = Mutex([Int: ([FoundText], [PodgetError])]())
      DiskPool.forEach(below: places.count, isParallel: true) { number in
        let place = places.lowerBound + number
        let result = search(episodes[place], files[episodes[place].key] ?? [])
        if !result.0.isEmpty || !result.1.isEmpty { results.withLock { $0[place] = result } }
      }
      let all = results.withLock(\.self).sorted { $0.key < $1.key }.map(\.value)
      problems += all.flatMap(\.1)
      let texts = all.flatMap(\.0)
      if !texts.isEmpty { try found(texts) }
      start = places.upperBound
    }
    return problems
  }
}

extension EpisodeSearch {
  /// A file with the notes or the transcript of an episode.
  private struct StoredText: Sendable {
    var part: FoundText.Part
    var file: BelongingFile
  }

  /// The files of the parts that are searched, by the keys of their episodes.
  private func storedTexts(of episodes: [LocalEpisode]) -> [String: [StoredText]] {
    guard parts != [.title] else { return [:] }
    return library.belongings(of: episodes).compactMapValues { files in
      let texts = files.compactMap { file in
        file.kind.flatMap(FoundText.Part.init).flatMap { part in
          parts.contains(part) ? StoredText(part: part, file: file) : nil
        }
      }
      return texts.isEmpty ? nil : texts.sorted { $0.part.rawValue < $1.part.rawValue }
    }
  }

  private func search(
    _ episode: LocalEpisode, _ files: [StoredText]
  ) -> ([FoundText], [PodgetError]) {
    let find = pattern.finder()
    var found: [FoundText] = []
    var problems: [PodgetError] = []
    if parts.contains(.title) {
      let title = episode.title
      if words.mayMatch(title), let match = find(title) {
        found.append(FoundText(episode: episode, part: .title, text: title, match: match))
      }
    }
    for stored in files {
      guard let bytes = library.contents(of: stored.file) else {
        problems.append(PodgetError(.disk, "\(stored.file.path) cannot be read."))
        continue
      }
      guard bytes.withUnsafeBufferPointer({ words.mayMatch($0) }) else { continue }
      for paragraph in Self.paragraphs(of: stored, bytes) {
        guard let (text, match) = matching(paragraph, find) else { continue }
        found.append(
          FoundText(
            episode: episode, part: stored.part, text: text, match: match,
            start: paragraph.start, speaker: paragraph.speaker,
            beginsWithSpeaker: text != paragraph.text))
      }
    }
    return (found, problems)
  }

  /// The text of a paragraph and the match in it; nil if there is none. If need be, the speaker is a part of
  /// the text: a word before a colon may be no name.
  private func matching(
    _ paragraph: TranscriptParagraph, _ find: (String) -> Range<String.Index>?
  ) -> (text: String, match: Range<String.Index>)? {
    if words.mayMatch(paragraph.text), let match = find(paragraph.text) {
      return (paragraph.text, match)
    }
    guard let speaker = paragraph.speaker else { return nil }
    let text = FoundText.opening(speaker) + paragraph.text
    guard words.mayMatch(text), let match = find(text) else { return nil }
    return (text, match)
  }

  /// The paragraphs of a transcript, or the lines of notes; none of what is no text.
  private static func paragraphs(of stored: StoredText, _ bytes: [UInt8]) -> [TranscriptParagraph] {
    switch stored.part {
    case .transcript: StoredDocuments.transcript(in: bytes, at: stored.file.path) ?? []
    case .title, .notes:
      StoredNotes.lines(in: bytes).compactMap { $0.isEmpty ? nil : TranscriptParagraph(text: $0) }
    }
  }
}

extension FoundText.Part {
  /// The part that a file beside an episode is; nil for one that is not searched.
  fileprivate init?(_ kind: Belonging) {
    switch kind {
    case .notes: self = .notes
    case .transcript: self = .transcript
    case .chapters, .artwork, .cover: return nil
    }
  }
}
