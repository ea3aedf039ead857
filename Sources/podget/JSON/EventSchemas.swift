import PodcastKit

/// The schemas of the lines that `download` and `resume` write.
extension JSONSchemas {
  /// One schema for each kind of line.
  static let events: [JSONValue] = [
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
    JSONSchema.object([
      "event": JSONSchema.word("summary"), "finished": JSONSchema.count,
      "skipped": JSONSchema.count, "failed": JSONSchema.count, "cancelled": JSONSchema.count,
      "bytes": JSONSchema.count,
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
