import PodcastKit

/// The lines of `download`, `resume` and `sync`.
extension JSONForms {
  /// An event of an episode, and what its kind brings.
  private struct Happening<Facts: Sendable>: Sendable {
    let plan: DownloadPlan
    let facts: Facts
  }

  /// An event of an episode: its name, its episode, and the members of its kind.
  private static func event<Facts: Sendable>(
    _ name: String, @JSONMembers<Happening<Facts>> _ members: () -> [JSONMember<Happening<Facts>>]
  ) -> JSONForm<Happening<Facts>> {
    let members = members()
    return JSONForm {
      JSONMember("event", is: name)
      JSONMember("podcast", podcast, \.plan.podcast)
      JSONMember("episode", episode, \.plan.episode)
      members
    }
  }

  private static let planned: JSONForm<Happening<Int64?>> = event("planned") {
    JSONMember("path", .string, \.plan.path)
    JSONMember("total", .count, \.facts)
  }
  private static let started: JSONForm<Happening<Int64>> = event("started") {
    JSONMember("resumedFrom", .count, \.facts)
  }
  private static let progress: JSONForm<Happening<(received: Int64, total: Int64?)>> =
    event("progress") {
      JSONMember("received", .count) { $0.facts.received }
      JSONMember("total", .count) { $0.facts.total }
    }
  private static let paused: JSONForm<Happening<Void>> = event("paused") {}
  private static let resumed: JSONForm<Happening<Void>> = event("resumed") {}
  private static let retrying: JSONForm<Happening<Retry>> = event("retrying") {
    JSONMember("attempt", .count, \.facts.attempt)
    JSONMember("delay", .decimalSeconds, \.facts.delay)
    JSONMember("reason", .word, \.facts.reason)
  }
  private static let restarted: JSONForm<Happening<RestartReason>> = event("restarted") {
    JSONMember("reason", .word, \.facts)
  }
  private static let finished: JSONForm<Happening<FinishedFile>> = event("finished") {
    JSONMember("path", .string, \.facts.path)
    JSONMember("bytes", .count, \.facts.bytes)
    JSONMember("sha256", .string, \.facts.sha256)
  }
  private static let skipped: JSONForm<Happening<(path: String, reason: SkipReason)>> =
    event("skipped") {
      JSONMember("path", .string) { $0.facts.path }
      JSONMember("reason", .word) { $0.facts.reason }
    }
  private static let failed: JSONForm<Happening<PodgetError>> = event("failed") {
    JSONMember("error", error, \.facts)
  }
  private static let cancelled: JSONForm<Happening<Int64>> = event("cancelled") {
    JSONMember("received", .count, \.facts)
  }

  private struct Retry: Sendable {
    let attempt: Int
    let delay: Duration
    let reason: PodgetError.Code
  }

  /// The line of an event.
  static func line(_ event: DownloadEvent) -> JSONValue {
    func happening<Facts>(_ facts: Facts) -> Happening<Facts> {
      Happening(plan: event.plan, facts: facts)
    }
    return switch event.kind {
    case .planned(let total): planned(happening(total))
    case .started(let resumedFrom): started(happening(resumedFrom))
    case .progress(let received, let total): progress(happening((received, total)))
    case .paused: paused(happening(()))
    case .resumed: resumed(happening(()))
    case .retrying(let attempt, let delay, let reason):
      retrying(happening(Retry(attempt: attempt, delay: delay, reason: reason)))
    case .restarted(let reason): restarted(happening(reason))
    case .finished(let file): finished(happening(file))
    case .skipped(let path, let reason): skipped(happening((path, reason)))
    case .failed(let error): failed(happening(error))
    case .cancelled(let received): cancelled(happening(received))
    }
  }

  /// A source that could not be read.
  static let failedSource = JSONForm<(source: String, error: PodgetError)> {
    JSONMember("event", is: "failed")
    JSONMember("source", .address) { $0.source }
    JSONMember(null: "podcast")
    JSONMember(null: "episode")
    JSONMember("error", error) { $0.error }
  }

  /// A feed that was checked.
  static let check = JSONForm<FeedCheck> {
    JSONMember("event", is: "checked")
    JSONMember("podcast", podcast, \.podcast)
    JSONMember("feedUrl", .address, \.feedURL.text)
    JSONMember("result", .word, \.result)
    JSONMember("newEpisodes", .count, \.newEpisodes)
    JSONMember("olderAdded", .count, \.olderAdded)
    JSONMember("waiting", .count, \.waiting)
    JSONMember("movedTo", .address, \.movedTo?.text)
    JSONMember("waitingMove", .address, \.waitingMove?.text)
    JSONMember("notBefore", .date, \.notBefore)
  }

  /// A followed podcast whose feed could not be read.
  static let failedFeed = JSONForm<(name: String, podcast: Podcast, error: PodgetError)> {
    JSONMember("event", is: "failed")
    JSONMember("source", .string) { $0.name }
    JSONMember("podcast", podcast) { $0.podcast }
    JSONMember(null: "episode")
    JSONMember("error", error) { $0.error }
  }

  /// An episode that a rule of its subscription removed, or would.
  static let retired = JSONForm<RetiredEpisode> {
    JSONMember("event", is: "removed")
    JSONMember("podcast", podcast, \.local.podcast)
    JSONMember("episode", episode, \.local.episode)
    JSONMember("path", .string, \.local.path)
    JSONMember("bytes", .count, \.local.bytes)
    JSONMember("reason", .word, \.rule)
    JSONMember("dryRun", .flag) { !$0.isRemoved }
  }

  /// A file beside an episode that was stored, or could not be.
  static let belonging = JSONForm<BelongingEvent> {
    JSONMember("event", is: "belonging")
    JSONMember("podcast", podcast, \.podcast)
    JSONMember("episode", episode, \.episode)
    JSONMember("kind", .word, \.kind)
    JSONMember("path", .string) { try? $0.result.get() }
    JSONMember("error", error) { event in
      if case .failure(let error) = event.result { error } else { nil }
    }
  }

  /// The last line.
  static let summary = JSONForm { summaryMembers }

  private static let summaryMembers: [JSONMember<Summary>] = members {
    JSONMember("event", is: "summary")
    JSONMember("finished", .count, \.finished)
    JSONMember("skipped", .count, \.skipped)
    JSONMember("failed", .count, \.failed)
    JSONMember("cancelled", .count, \.cancelled)
    JSONMember("bytes", .count, \.bytes)
    // Most runs have no limit, and their last line stays as it always was.
    JSONMember("postponed", ifThere: .count) { $0.postponed > 0 ? $0.postponed : nil }
  }

  /// The last line of a run that checks feeds.
  static let feedSummary = JSONForm<(summary: Summary, feeds: Summary.Feeds)> {
    summaryMembers.map { $0.of { $0.summary } }
    JSONMember("checked", .count) { $0.feeds.checked }
    JSONMember("unchanged", .count) { $0.feeds.unchanged }
    JSONMember("stillFailing", .count) { $0.feeds.stillFailing }
  }

  /// The last line of any run.
  static func line(_ summary: Summary) -> JSONValue {
    summary.feeds.map { feedSummary((summary, $0)) } ?? self.summary(summary)
  }

  /// One schema for each kind of line of `download` and `resume`.
  static let runSchemas = episodeSchemas + [summary.schema]

  /// One schema for each kind of line of `sync`.
  static let syncSchemas =
    episodeSchemas + [check.schema, failedFeed.schema, retired.schema, feedSummary.schema]

  private static let episodeSchemas = [
    planned.schema, started.schema, progress.schema, paused.schema, resumed.schema,
    retrying.schema, restarted.schema, finished.schema, skipped.schema, failed.schema,
    cancelled.schema, belonging.schema, failedSource.schema,
  ]
}
