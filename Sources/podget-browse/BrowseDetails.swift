import PodcastBrowse
import PodcastKit

/// What a feed says about an episode, as text.
enum BrowseDetails {
  /// The addresses, then the notes.
  static func text(_ details: EpisodeDetails) -> String {
    var lines: [String] = []
    if let link = details.link { lines.append("Link: \(AddressRedaction.shown(link))") }
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
    if let text = details.text {
      if !lines.isEmpty { lines.append("") }
      lines.append(text)
    }
    return lines.isEmpty
      ? "The podcast says nothing more about this episode." : lines.joined(separator: "\n")
  }
}

extension EpisodeRow {
  /// A listed episode with its state in the library.
  init(key: String, listed episode: Episode, of podcast: Podcast, local: LocalEpisode?) {
    self.init(
      key: key, podcast: podcast.title, title: episode.title, date: episode.date,
      duration: episode.duration, size: local?.size ?? episode.enclosure.length,
      isStarred: local?.isStarred ?? false, state: local.map(EpisodeState.init) ?? .remote,
      artwork: episode.artworkURL ?? podcast.artworkURL)
  }

  /// An episode with nothing on the disk but its plan.
  init(planned plan: DownloadPlan) {
    let episode = plan.episode
    self.init(
      key: plan.key, podcast: plan.podcast.title, title: episode.title, date: episode.date,
      duration: episode.duration, size: episode.enclosure.length,
      state: .partial(received: 0, total: nil), artwork: plan.podcast.artworkURL)
  }

  /// An episode of the library. The podcast's artwork is the same text for all of its episodes.
  init(_ local: LocalEpisode) {
    let podcast = local.podcast
    self.init(
      key: local.key, podcast: podcast.title, title: local.title, date: local.date,
      duration: local.duration, size: local.size, isStarred: local.isStarred,
      state: EpisodeState(local), artwork: podcast.artworkURL)
  }
}

extension EpisodeState {
  /// The state of an episode of the library that is not being downloaded.
  init(_ local: LocalEpisode) {
    switch local.status {
    case .complete: self = .complete
    case .partial: self = .partial(received: local.bytes, total: local.total)
    case .missing: self = .missing
    case .removed: self = .removed
    }
  }
}

extension LocalEpisode {
  /// The size of the file, or what it will be.
  fileprivate var size: Int64? { status == .complete ? bytes : total }
}
