import PodcastBrowse
import PodcastKit

/// What a feed says about an episode, as lines of pages.
enum BrowseDetails {
  /// The pages that an episode has.
  static func pages(_ details: EpisodeDetails) -> Set<DetailPage> {
    var pages: Set<DetailPage> = [.notes]
    if details.chaptersURL != nil || !details.chapters.isEmpty { pages.insert(.chapters) }
    if !details.transcripts.isEmpty { pages.insert(.transcript) }
    return pages
  }

  /// The same of an episode whose files are stored.
  static func pages(_ kinds: Set<Belonging>) -> Set<DetailPage> {
    var pages: Set<DetailPage> = [.notes]
    if kinds.contains(.chapters) { pages.insert(.chapters) }
    if kinds.contains(.transcript) { pages.insert(.transcript) }
    return pages
  }

  /// The addresses, then the notes.
  static func notes(_ details: EpisodeDetails) -> [DetailLine] {
    var lines: [String] = []
    let notes = details.notes(includesPage: true)
    if let link = details.link {
      let number = notes?.links.first == link ? " [1]" : ""
      lines.append("Link: \(AddressRedaction.shown(link))\(number)")
    }
    if let chapters = details.chaptersURL {
      lines.append("Chapters: \(AddressRedaction.shown(chapters))")
    }
    for transcript in details.transcripts {
      lines.append("Transcript: \(AddressRedaction.shown(transcript.url))")
    }
    if !details.persons.isEmpty {
      let names = details.persons.map { "\($0.name) (\($0.role))" }
      lines.append("Persons: \(names.joined(separator: ", "))")
    }
    if details.isExplicit == true { lines.append("Explicit") }
    if let text = notes?.text {
      if !lines.isEmpty { lines.append("") }
      lines.append(text)
    }
    if lines.isEmpty { lines = ["The podcast says nothing more about this episode."] }
    let texts = lines.flatMap { text in
      text.split(separator: "\n", omittingEmptySubsequences: false).map { DetailLine(String($0)) }
    }
    guard let links = notes?.links, !links.isEmpty else { return texts }
    return texts + [DetailLine("")]
      + links.enumerated().map { place, address in
        DetailLine(
          "[\(place + 1)] \(AddressRedaction.withoutCredentials(address))", link: address)
      }
  }

  /// The chapters with their beginnings.
  static func lines(_ chapters: [Chapter]) -> [DetailLine] {
    guard !chapters.isEmpty else { return [DetailLine("The list of chapters is empty.")] }
    return chapters.map {
      DetailLine($0.title, label: DurationText.clock($0.start), time: $0.start)
    }
  }

  /// The paragraphs with their times; a name is said when somebody else speaks.
  static func lines(_ paragraphs: [TranscriptParagraph]) -> [DetailLine] {
    var speaker: String?
    return paragraphs.map { paragraph in
      let name = paragraph.speaker == speaker ? nil : paragraph.speaker
      speaker = paragraph.speaker
      return DetailLine(
        (name.map { "\($0): " } ?? "") + paragraph.text,
        label: paragraph.start.map { DurationText.clock($0) } ?? "", time: paragraph.start)
    }
  }
}

extension EpisodeRow {
  /// A listed episode with its state in the library.
  init(key: String, listed episode: Episode, of podcast: Podcast, local: LocalEpisode?) {
    self.init(
      key: key, podcast: podcast.shownTitle, title: episode.title, date: episode.date,
      duration: episode.duration, size: local?.size ?? episode.enclosure.length,
      isStarred: local?.isStarred ?? false, isPlayed: local?.isPlayed ?? false,
      position: local?.position, state: local.map(EpisodeState.init) ?? .remote,
      artwork: episode.artworkURL ?? podcast.artworkURL)
  }

  /// An episode of the library.
  ///
  /// - Parameter failure: why its download failed for good; nil if it did not.
  init(_ local: LocalEpisode, failure: PodgetError.Code? = nil) {
    let podcast = local.podcast
    let failed = local.status.isUnfinished ? failure : nil
    self.init(
      key: local.key, podcast: podcast.shownTitle, title: local.title, date: local.date,
      duration: local.duration, size: local.size, isStarred: local.isStarred,
      isPlayed: local.isPlayed, position: local.position,
      state: failed.map { .failed("\(local.title): it failed for good (\($0.rawValue)).") }
        ?? EpisodeState(local),
      artwork: local.episode.artworkURL ?? podcast.artworkURL)
  }
}

extension LibraryReading {
  /// The episodes as rows, but for removed ones.
  var rows: [EpisodeRow] {
    let failures = Dictionary(unfinished.map { ($0.plan.key, $0.failure) }) { first, _ in first }
    return episodes.compactMap { local in
      local.status == .removed
        ? nil : EpisodeRow(local, failure: failures[local.key] ?? nil)
    }
  }
}

extension EpisodeState {
  /// The state of an episode of the library that is not being downloaded.
  init(_ local: LocalEpisode) {
    switch local.status {
    case .complete: self = .complete
    case .partial, .planned: self = .partial(received: local.bytes, total: local.total)
    case .missing: self = .missing
    case .removed: self = local.isOnlyPlayed ? .remote : .removed
    }
  }
}

extension LocalEpisode {
  /// The size of the file, or what it will be.
  fileprivate var size: Int64? {
    status == .complete ? bytes : total ?? (status == .planned ? episode.enclosure.length : nil)
  }
}
