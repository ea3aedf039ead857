import PodcastKit

extension JSONValue {
  /// An element of `subscribe`, `unsubscribe` and `import`.
  init(_ change: SubscriptionChange) {
    let podcast = change.subscription?.podcast ?? change.podcast
    self = [
      "source": .address(change.source), "podcast": podcast.map { JSONValue($0) } ?? .null,
      "name": .string(change.subscription?.name),
      "feedUrl": .address(podcast?.feedURL?.text), "status": .string(change.status.rawValue),
      "error": change.error.map { JSONValue($0) } ?? .null,
    ]
  }

  /// An element of `subscriptions`.
  init(_ followed: FollowedPodcast) {
    let subscription = followed.subscription
    self = [
      "podcast": JSONValue(subscription.podcast), "name": .string(subscription.name),
      "feedUrl": .address(subscription.feedURL.text), "status": .string(followed.status.rawValue),
      "lastChecked": .date(followed.lastChecked), "lastNew": .date(followed.lastNew),
      "lastError": followed.lastError.map { JSONValue($0) } ?? .null,
      "waiting": .integer(followed.waiting), "waitingMove": .address(followed.waitingMove?.text),
      "nextCheck": .date(followed.nextCheck), "failingSince": .date(followed.failingSince),
      "failures": .integer(followed.failures), "deferredUntil": .date(followed.deferredUntil),
      "movedFrom": .address(followed.movedFrom?.text), "goneSince": .date(followed.goneSince),
      "settings": JSONValue(subscription.settings),
      "categories": .array(subscription.categories.map { .string($0) }),
    ]
  }

  /// The settings that are set. The user name and the command for the password are left out.
  private init(_ settings: SubscriptionSettings) {
    self = .object(
      settings.all.filter { $0.name != .user && $0.name != .passwordCommand }.map { name, text in
        let value: JSONValue =
          switch name {
          case .latest, .season, .maxNew, .keep: .integer(Int64(text))
          case .all, .paused, .refetchMissing, .played: .bool(text == "true")
          default: .string(text)
          }
        return Member(name: name.rawValue, value: value)
      })
  }
}

/// The schemas of the subscriptions.
extension JSONSchemas {
  /// An element of `subscribe`, `unsubscribe` and `import`.
  static let subscriptionChange = JSONSchema.object([
    "source": JSONSchema.string, "podcast": JSONSchema.optional(podcast),
    "name": JSONSchema.optionalString, "feedUrl": JSONSchema.optionalString,
    "status": JSONSchema.words(SubscriptionChange.Status.allCases.map(\.rawValue)),
    "error": JSONSchema.optional(error),
  ])

  /// An element of `subscriptions`.
  static let subscription = JSONSchema.object([
    "podcast": podcast, "name": JSONSchema.string, "feedUrl": JSONSchema.string,
    "status": JSONSchema.words(FollowedPodcast.Status.allCases.map(\.rawValue)),
    "lastChecked": JSONSchema.optionalDate, "lastNew": JSONSchema.optionalDate,
    "lastError": JSONSchema.optional(error), "waiting": JSONSchema.count,
    "waitingMove": JSONSchema.optionalString, "nextCheck": JSONSchema.optionalDate,
    "failingSince": JSONSchema.optionalDate, "failures": JSONSchema.count,
    "deferredUntil": JSONSchema.optionalDate, "movedFrom": JSONSchema.optionalString,
    "goneSince": JSONSchema.optionalDate,
    "settings": [
      "type": "object",
      "properties": .object(
        SubscriptionSettings.Name.allCases.filter { $0 != .user && $0 != .passwordCommand }
          .map { name in
            let schema: JSONValue =
              switch name {
              case .latest, .season: JSONSchema.count
              case .maxNew: JSONSchema.optionalCount
              case .all, .paused: JSONSchema.bool
              default: JSONSchema.string
              }
            return JSONValue.Member(name: name.rawValue, value: schema)
          }),
    ],
    "categories": JSONSchema.array(of: JSONSchema.string),
  ])
}
