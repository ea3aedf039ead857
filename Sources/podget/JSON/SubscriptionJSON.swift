import PodcastKit

/// What commands write about subscriptions.
extension JSONForms {
  /// An element of `subscribe`, `unsubscribe` and `import`.
  static let subscriptionChange = JSONForm<SubscriptionChange> {
    JSONMember("source", .address, \.source)
    JSONMember("podcast", podcast, \.shownPodcast)
    JSONMember("name", .string, \.subscription?.name)
    JSONMember("feedUrl", .address, \.shownPodcast?.feedURL?.text)
    JSONMember("status", .word, \.status)
    JSONMember("error", error, \.error)
  }

  /// An element of `subscriptions`.
  static let subscription = JSONForm<FollowedPodcast> {
    JSONMember("podcast", podcast, \.subscription.podcast)
    JSONMember("name", .string, \.subscription.name)
    JSONMember("feedUrl", .address, \.subscription.feedURL.text)
    JSONMember("status", .word, \.status)
    JSONMember("lastChecked", .date, \.lastChecked)
    JSONMember("lastNew", .date, \.lastNew)
    JSONMember("lastError", error, \.lastError)
    JSONMember("waiting", .count, \.waiting)
    JSONMember("waitingMove", .address, \.waitingMove?.text)
    JSONMember("nextCheck", .date, \.nextCheck)
    JSONMember("failingSince", .date, \.failingSince)
    JSONMember("failures", .count, \.failures)
    JSONMember("deferredUntil", .date, \.deferredUntil)
    JSONMember("movedFrom", .address, \.movedFrom?.text)
    JSONMember("goneSince", .date, \.goneSince)
    JSONMember("settings", settings, \.subscription.settings)
    JSONMember("categories", JSONForm.string.list, \.subscription.categories)
  }

  /// The settings that are set. The user name and the command for the password are left out.
  private static let settings = JSONForm<SubscriptionSettings> {
    SubscriptionSettings.Name.allCases.filter { $0 != .user && $0 != .passwordCommand }
      .map { name in JSONMember(name.rawValue, ifThere: form(of: name)) { $0[name] } }
  }

  /// How the text of a setting is written.
  private static func form(of name: SubscriptionSettings.Name) -> JSONForm<String> {
    switch name {
    // `none` is null.
    case .latest, .season, .maxNew, .keep:
      JSONForm(schema: JSONSchema.optional(JSONSchema.count)) { .integer(Int64($0)) }
    case .all, .paused, .refetchMissing, .played, .tag:
      JSONForm(schema: JSONSchema.bool) { .bool($0 == "true") }
    default: .string
    }
  }
}

extension SubscriptionChange {
  /// The podcast as it is followed now, or as it was.
  fileprivate var shownPodcast: Podcast? { subscription?.podcast ?? podcast }
}
