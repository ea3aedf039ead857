import PodcastKit

/// The schemas of the lines that `download`, `resume` and `sync` write.
extension JSONSchemas {
  /// One schema for each kind of line of `download` and `resume`.
  static let events: [JSONValue] = episodeEvents + [summary]

  /// One schema for each kind of line of `sync`.
  static let syncEvents: [JSONValue] =
    episodeEvents + [
      JSONSchema.object([
        "event": JSONSchema.word("checked"), "podcast": podcast, "feedUrl": JSONSchema.string,
        "result": JSONSchema.words(FeedCheck.Result.allCases.map(\.rawValue)),
        "newEpisodes": JSONSchema.count, "olderAdded": JSONSchema.count,
        "waiting": JSONSchema.count, "movedTo": JSONSchema.optionalString,
        "waitingMove": JSONSchema.optionalString, "notBefore": JSONSchema.optionalDate,
      ]),
      JSONSchema.object([
        "event": JSONSchema.word("failed"), "source": JSONSchema.string, "podcast": podcast,
        "episode": JSONSchema.null, "error": error,
      ]),
      JSONSchema.object([
        "event": JSONSchema.word("removed"), "podcast": podcast, "episode": episode,
        "path": JSONSchema.string, "bytes": JSONSchema.count,
        "reason": JSONSchema.words(RetentionPolicy.Rule.allCases.map(\.rawValue)),
        "dryRun": JSONSchema.bool,
      ]),
      summary.addingMembers([
        "checked": JSONSchema.count, "unchanged": JSONSchema.count,
        "stillFailing": JSONSchema.count,
      ]),
    ]

  private static let summary = JSONSchema.object([
    "event": JSONSchema.word("summary"), "finished": JSONSchema.count,
    "skipped": JSONSchema.count, "failed": JSONSchema.count, "cancelled": JSONSchema.count,
    "bytes": JSONSchema.count, "postponed": JSONSchema.count,
  ])

  private static let episodeEvents: [JSONValue] = [
    event("planned", ["path": JSONSchema.string, "total": JSONSchema.optionalCount]),
    event("started", ["resumedFrom": JSONSchema.count]),
    event("progress", ["received": JSONSchema.count, "total": JSONSchema.optionalCount]),
    event("paused", [:]),
    event("resumed", [:]),
    event(
      "retrying",
      [
        "attempt": JSONSchema.count, "delay": JSONSchema.number,
        "reason": JSONSchema.words(PodgetError.Code.allCases.map(\.rawValue)),
      ]),
    event("restarted", ["reason": JSONSchema.words(RestartReason.allCases.map(\.rawValue))]),
    event(
      "finished",
      [
        "path": JSONSchema.string, "bytes": JSONSchema.count,
        "sha256": JSONSchema.optionalString,
      ]),
    event(
      "skipped",
      [
        "path": JSONSchema.string,
        "reason": JSONSchema.words(SkipReason.allCases.map(\.rawValue)),
      ]),
    event("failed", ["error": error]),
    event("cancelled", ["received": JSONSchema.count]),
    JSONSchema.object([
      "event": JSONSchema.word("failed"), "source": JSONSchema.string,
      "podcast": JSONSchema.null, "episode": JSONSchema.null, "error": error,
    ]),
  ]

  private static func event(
    _ name: String, _ members: KeyValuePairs<String, JSONValue>
  ) -> JSONValue {
    let shared: KeyValuePairs = [
      "event": JSONSchema.word(name), "podcast": podcast, "episode": episode,
    ]
    return JSONSchema.object(shared).addingMembers(members)
  }
}
