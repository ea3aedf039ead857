import FoundationEssentials
import PodcastFeeds
import PodcastLibrary
import PodcastModel

/// What a feed offers to store beside an episode.
enum BelongingOffers {
  /// The offers, one of a kind at most.
  ///
  /// - Parameters:
  ///   - kinds: what is wanted.
  ///   - episode: the episode.
  ///   - podcast: its podcast, whose image is that of episodes without one.
  ///   - details: what the feed says of it besides.
  static func list(
    _ kinds: Belongings, of episode: Episode, in podcast: Podcast, _ details: EpisodeDetails?
  ) -> [PlannedBelonging] {
    Belonging.allCases.filter(kinds.kinds.contains).compactMap { kind in
      switch kind {
      case .transcript:
        (details?.storedTranscript?.transcript).flatMap { transcript in
          address(transcript.url).map { PlannedBelonging(kind, url: $0, type: transcript.type) }
        }
      case .chapters:
        if let chapters = details?.chapters, !chapters.isEmpty {
          StoredChapters.text(chapters, maximumBytes: PlannedBelonging.mostTextBytes).flatMap {
            PlannedBelonging(kind, text: $0)
          }
        } else {
          (details?.chaptersURL).flatMap(address).map { PlannedBelonging(kind, url: $0) }
        }
      case .notes: details.flatMap(StoredNotes.text).flatMap { PlannedBelonging(kind, text: $0) }
      case .artwork:
        (episode.artworkURL ?? podcast.artworkURL).flatMap(address).map {
          PlannedBelonging(kind, url: $0)
        }
      case .cover:
        podcast.artworkURL.flatMap(address).map { PlannedBelonging(kind, url: $0) }
      }
    }
  }

  /// What the feed says for the tags of an episode's file. More than a file could have is left out.
  static func tags(
    of episode: Episode, in podcast: Podcast, _ details: EpisodeDetails?
  ) -> PlannedTags {
    var tags = PlannedTags()
    tags.description = details?.text?.prefix(maximumBytes: PlannedTags.mostBytes)
    tags.page = (details?.link).flatMap(address)
    let chapters = (details?.chapters ?? []).prefix(TagRequest.mostChapters).compactMap { chapter in
      Int64(exactly: (chapter.start / .milliseconds(1)).rounded()).map {
        PlannedTags.Chapter(start: $0, title: chapter.title)
      }
    }
    if !chapters.isEmpty,
      chapters.reduce(0, { $0 + $1.title.utf8.count }) <= PlannedTags.mostBytes
    {
      tags.chapters = chapters
    } else {
      tags.chaptersURL = (details?.chaptersURL).flatMap(address)
    }
    tags.artwork = (episode.artworkURL ?? podcast.artworkURL).flatMap(address)
    return tags
  }

  /// What a feed has itself for some of its episodes in the library, by their keys.
  static func texts(
    _ kinds: Belongings, for episodes: [LocalEpisode], of listing: IdentifiedListing,
    _ details: [Episode: EpisodeDetails]
  ) -> [String: [PlannedBelonging]] {
    guard kinds.needDetails, !details.isEmpty else { return [:] }
    let wanting = Set(episodes.map(\.key))
    var texts: [String: [PlannedBelonging]] = [:]
    for (episode, local) in listing.locals where wanting.contains(local.key) {
      texts[local.key] = list(kinds, of: episode, in: listing.listing.podcast, details[episode])
        .filter { $0.text != nil }
    }
    return texts
  }

  /// An address that can be asked and is short enough for a record.
  private static func address(_ text: String) -> String? {
    text.utf8.count <= WebAddress.maximumBytes && FeedURL(text) != nil ? text : nil
  }
}

/// Chapters as they are stored: JSON Chapters with nothing that a player would load.
enum StoredChapters {
  /// The ending of the file's name with its dot.
  static let ending = ".chapters.json"

  private struct Document: Encodable {
    struct Mark: Encodable {
      var startTime: Double
      var title: String
      var url: String?
    }

    var version = "1.2.0"
    var chapters: [Mark]
  }

  /// The content of the file; nil if there are no chapters.
  ///
  /// - Parameter most: how many bytes it may have: the first chapters that fit count.
  static func text(_ chapters: [Chapter], maximumBytes most: Int = .max) -> String? {
    var chapters = chapters[...]
    while let text = text(of: chapters) {
      if text.utf8.count <= most { return text }
      chapters = chapters.prefix(chapters.count * 3 / 4)
    }
    return nil
  }

  private static func text(of chapters: ArraySlice<Chapter>) -> String? {
    guard !chapters.isEmpty else { return nil }
    let marks = chapters.map { chapter in
      Document.Mark(
        startTime: (chapter.start / .milliseconds(1)).rounded() / 1000, title: chapter.title,
        url: chapter.url)
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(Document(chapters: marks))).map {
      String(decoding: $0, as: UTF8.self) + "\n"
    }
  }
}
