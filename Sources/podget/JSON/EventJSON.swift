import FoundationEssentials
import PodcastKit

extension JSONValue {
  /// A podcast in events.
  init(_ podcast: Podcast) {
    self = [
      "id": .integer(podcast.id), "title": .string(podcast.title),
      "feedUrl": .address(podcast.feedURL?.text),
    ]
  }

  /// An episode in events.
  init(_ episode: Episode) {
    self = [
      "id": .integer(episode.id), "guid": .string(episode.guid),
      "title": .string(episode.title), "date": .date(episode.date),
    ]
  }

  /// An error in the form of the contract.
  init(_ error: PodgetError) {
    let status = error.code == .httpStatus ? error.httpStatus : nil
    self = [
      "code": .string(error.code.rawValue), "message": .string(error.sentence),
      "httpStatus": .integer(status),
    ]
  }

  /// An event: its name, its episode, and the members of its kind.
  init(_ event: DownloadEvent) {
    self = .object(
      [
        Member(name: "event", value: .string(event.kind.name)),
        Member(name: "podcast", value: JSONValue(event.plan.podcast)),
        Member(name: "episode", value: JSONValue(event.plan.episode)),
      ] + event.members)
  }

  /// The event of a source that could not be read.
  init(failedSource source: String, _ error: PodgetError) {
    self = [
      "event": "failed", "source": .address(source), "podcast": .null, "episode": .null,
      "error": JSONValue(error),
    ]
  }

  /// The event of a feed that was checked.
  init(_ check: FeedCheck) {
    self = [
      "event": "checked", "podcast": JSONValue(check.podcast),
      "feedUrl": .address(check.feedURL.text), "result": .string(check.result.rawValue),
      "newEpisodes": .integer(check.newEpisodes), "olderAdded": .integer(check.olderAdded),
      "waiting": .integer(check.waiting), "movedTo": .address(check.movedTo?.text),
      "waitingMove": .address(check.waitingMove?.text), "notBefore": .date(check.notBefore),
    ]
  }

  /// The event of a followed podcast whose feed could not be read.
  init(failedFeed name: String, _ podcast: Podcast, _ error: PodgetError) {
    self = [
      "event": "failed", "source": .string(name), "podcast": JSONValue(podcast),
      "episode": .null, "error": JSONValue(error),
    ]
  }

  /// The last event.
  init(_ summary: Summary) {
    let object: JSONValue = [
      "event": "summary", "finished": .integer(summary.finished),
      "skipped": .integer(summary.skipped), "failed": .integer(summary.failed),
      "cancelled": .integer(summary.cancelled), "bytes": .integer(summary.bytes),
      "postponed": .integer(summary.postponed),
    ]
    self =
      summary.feeds.map { feeds in
        object.adding([
          "checked": .integer(feeds.checked), "unchanged": .integer(feeds.unchanged),
          "stillFailing": .integer(feeds.stillFailing),
        ])
      } ?? object
  }

  /// An address without user name and password; its query stays, since scripts need it.
  static func address(_ address: String?) -> JSONValue {
    .string(address.map { AddressRedaction.withoutCredentials($0) })
  }

  /// A date as `YYYY-MM-DDTHH:MM:SSZ`; null when unknown or outside the years 1 to 9999.
  static func date(_ date: Date?) -> JSONValue {
    guard let date, (-62_135_596_800..<253_402_300_800).contains(date.timeIntervalSince1970)
    else { return .null }
    return .string(date.timestamp)
  }
}

extension DownloadEvent.Kind {
  fileprivate var name: String {
    switch self {
    case .planned: "planned"
    case .started: "started"
    case .progress: "progress"
    case .paused: "paused"
    case .resumed: "resumed"
    case .retrying: "retrying"
    case .restarted: "restarted"
    case .finished: "finished"
    case .skipped: "skipped"
    case .failed: "failed"
    case .cancelled: "cancelled"
    }
  }
}

extension DownloadEvent {
  fileprivate var members: [JSONValue.Member] {
    switch kind {
    case .planned(let total):
      [
        .init(name: "path", value: .string(plan.path)),
        .init(name: "total", value: .integer(total)),
      ]
    case .started(let resumedFrom):
      [.init(name: "resumedFrom", value: .integer(resumedFrom))]
    case .progress(let received, let total):
      [
        .init(name: "received", value: .integer(received)),
        .init(name: "total", value: .integer(total)),
      ]
    case .paused, .resumed: []
    case .retrying(let attempt, let delay, let reason):
      [
        .init(name: "attempt", value: .integer(attempt)),
        .init(name: "delay", value: .decimalSeconds(delay)),
        .init(name: "reason", value: .string(reason.rawValue)),
      ]
    case .restarted(let reason):
      [.init(name: "reason", value: .string(reason.rawValue))]
    case .finished(let file):
      [
        .init(name: "path", value: .string(file.path)),
        .init(name: "bytes", value: .integer(file.bytes)),
        .init(name: "sha256", value: .string(file.sha256)),
      ]
    case .skipped(let path, let reason):
      [
        .init(name: "path", value: .string(path)),
        .init(name: "reason", value: .string(reason.rawValue)),
      ]
    case .failed(let error):
      [.init(name: "error", value: JSONValue(error))]
    case .cancelled(let received):
      [.init(name: "received", value: .integer(received))]
    }
  }
}

extension JSONValue {
  /// An episode that a rule of its subscription removed, or would.
  init(_ retired: RetiredEpisode) {
    self = [
      "event": "removed", "podcast": JSONValue(retired.local.podcast),
      "episode": JSONValue(retired.local.episode), "path": .string(retired.local.path),
      "bytes": .integer(retired.local.bytes), "reason": .string(retired.rule.rawValue),
      "dryRun": .bool(!retired.isRemoved),
    ]
  }
}
