import PodcastKit

extension JSONValue {
  /// What `status` writes, and `sync --status`.
  init(_ status: FollowingStatus) {
    self = [
      "time": .date(status.time), "lastCheck": .date(status.lastCheck),
      "nextCheck": .date(status.nextCheck),
      "feeds": .object(
        FollowedPodcast.Status.allCases.map { state in
          Member(name: state.rawValue, value: .integer(status.feeds[state] ?? 0))
        } + [Member(name: "deferred", value: .integer(status.deferred))]),
      "episodes": [
        "unfinished": .integer(status.unfinished), "failed": .integer(status.failed),
        "waiting": .integer(status.waiting),
      ],
      "freeBytes": status.freeBytes.map { .integer($0) } ?? .null,
      "matters": .array(
        status.matters.map { matter in
          let podcast = matter.podcast
          return [
            "kind": .string(matter.kind.rawValue), "name": .string(podcast.subscription.name),
            "title": .string(podcast.subscription.title), "waiting": .integer(podcast.waiting),
            "failingSince": .date(podcast.failingSince),
            "waitingMove": .address(podcast.waitingMove?.text),
            "error": podcast.lastError.map { JSONValue($0) } ?? .null,
          ]
        }),
    ]
  }
}

extension JSONSchemas {
  /// What `status` writes.
  static let status = JSONSchema.object([
    "time": JSONSchema.optionalDate, "lastCheck": JSONSchema.optionalDate,
    "nextCheck": JSONSchema.optionalDate,
    "feeds": JSONSchema.object([
      "active": JSONSchema.count, "gone": JSONSchema.count, "failing": JSONSchema.count,
      "paused": JSONSchema.count, "deferred": JSONSchema.count,
    ]),
    "episodes": JSONSchema.object([
      "unfinished": JSONSchema.count, "failed": JSONSchema.count, "waiting": JSONSchema.count,
    ]),
    "freeBytes": JSONSchema.optionalCount,
    "matters": JSONSchema.array(
      of: JSONSchema.object([
        "kind": JSONSchema.words(FollowingStatus.Matter.Kind.allCases.map(\.rawValue)),
        "name": JSONSchema.string, "title": JSONSchema.string, "waiting": JSONSchema.count,
        "failingSince": JSONSchema.optionalDate, "waitingMove": JSONSchema.optionalString,
        "error": JSONSchema.optional(error),
      ])),
  ])
}
