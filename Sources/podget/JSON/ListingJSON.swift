import FoundationEssentials
import PodcastKit

extension JSONValue {
  /// An element of `list`: an episode that the library knows.
  init(_ local: LocalEpisode) {
    self = .object([
      Member(name: "podcast", value: JSONValue(local.podcast)),
      Member(name: "episode", value: JSONValue(withDuration: local.episode)),
      Member(name: "path", value: .string(local.path)),
      Member(name: "bytes", value: .integer(local.bytes)),
      Member(name: "total", value: .integer(local.total)),
      Member(name: "status", value: .string(local.status.rawValue)),
      Member(name: "starred", value: .bool(local.isStarred)),
      Member(name: "played", value: .bool(local.isPlayed)),
      Member(name: "position", value: .seconds(local.position)),
      Member(name: "downloadedAt", value: .date(local.downloadedAt)),
      Member(name: "sha256", value: .string(local.sha256)),
    ])
  }

  /// An element of `list`: an episode as other commands have it, and until when a removed one is in
  /// the trash.
  init(_ local: LocalEpisode, keptUntil: Date?) {
    self = JSONValue(local).adding(["keptUntil": .date(keptUntil)])
  }

  /// An element of `trash`.
  init(_ trashed: TrashedEpisode) {
    self = [
      "podcast": trashed.local.map { JSONValue($0.podcast) } ?? .null,
      "episode": trashed.local.map { JSONValue($0.episode) } ?? .null,
      "path": .string(trashed.file.path), "bytes": .integer(trashed.file.bytes),
      "keptUntil": .date(trashed.file.keptUntil),
    ]
  }

  /// An element of `prune`: an episode as `list` has it, and the decision about it.
  init(_ decision: PruneDecision) {
    let reason: JSONValue =
      switch decision.decision {
      case .remove(let rule): .string(rule.rawValue)
      case .keepStarred: "starred"
      case .keepUnfinished: .string(decision.local.status.rawValue)
      case .keep: .null
      }
    self = JSONValue(decision.local).adding([
      "decision": decision.isRemoved ? "remove" : "keep", "reason": reason,
      "frees": .integer(decision.freedBytes),
      "error": decision.error.map { JSONValue($0) } ?? .null,
    ])
  }

  /// An element of `show`: an episode as published.
  ///
  /// - Parameter about: what the feed says about the podcast besides; nil if it is not wanted.
  init(_ published: PublishedEpisode, about: PodcastDetails?) {
    let (podcast, episode) = (published.podcast, published.episode)
    let more: JSONValue =
      about.map { about in
        [
          "medium": .string(about.medium), "locked": .bool(about.isLocked),
          "funding": .array(
            about.funding.map { ["url": .address($0.url), "title": .string($0.title)] }),
        ]
      } ?? [:]
    let details = published.details ?? EpisodeDetails()
    let element: JSONValue = [
      "podcast": JSONValue(podcast).adding([
        "author": .string(podcast.author), "artworkUrl": .address(podcast.artworkURL),
      ]).adding(more),
      "episode": JSONValue(episode).adding([
        "duration": .seconds(episode.duration), "url": .address(episode.enclosure.url),
        "mimeType": .string(episode.enclosure.mimeType),
        "length": .integer(episode.enclosure.length), "season": .integer(episode.season),
        "number": .integer(episode.number), "type": .string(episode.kind.rawValue),
        "artworkUrl": .address(episode.artworkURL), "link": .address(details.link),
      ]),
      "status": .string(published.status),
    ]
    self = about != nil ? element.adding(["details": JSONValue(details)]) : element
  }

  /// What a feed says about an episode besides.
  private init(_ details: EpisodeDetails) {
    self = [
      "description": .string(details.description), "text": .string(details.text),
      "chaptersUrl": .address(details.chaptersURL),
      "chapters": .array(
        details.chapters.map {
          ["start": .seconds($0.start), "title": .string($0.title), "url": .address($0.url)]
        }),
      "transcripts": .array(
        details.transcripts.map {
          [
            "url": .address($0.url), "type": .string($0.type), "language": .string($0.language),
          ]
        }),
      "persons": .array(
        details.persons.map {
          ["name": .string($0.name), "role": .string($0.role), "url": .address($0.url)]
        }),
      "explicit": details.isExplicit.map { .bool($0) } ?? .null,
    ]
  }

  /// An element of `search`: a podcast that was found.
  init(found podcast: Podcast) {
    self = [
      "id": .integer(podcast.id), "title": .string(podcast.title),
      "author": .string(podcast.author), "feedUrl": .address(podcast.feedURL?.text),
      "artworkUrl": .address(podcast.artworkURL), "episodeCount": .integer(podcast.episodeCount),
    ]
  }

  private init(withDuration episode: Episode) {
    self = .object([
      Member(name: "id", value: .integer(episode.id)),
      Member(name: "guid", value: .string(episode.guid)),
      Member(name: "title", value: .string(episode.title)),
      Member(name: "date", value: .date(episode.date)),
      Member(name: "duration", value: .seconds(episode.duration)),
    ])
  }

  /// An object with the members of another one after its own.
  func adding(_ other: JSONValue) -> JSONValue {
    guard case .object(let own) = self, case .object(let more) = other else { return self }
    return .object(own + more)
  }
}
