package import PodcastModel

/// What became of a source that was to be followed, or to be followed no longer.
package struct SubscriptionChange: Sendable {
  /// The results; the raw values are the contract with scripts.
  package enum Status: String, Sendable, Hashable, CaseIterable {
    /// It is followed from now on.
    case subscribed
    /// It was followed already; its settings changed.
    case updated
    /// It was followed already.
    case unchanged
    /// It is no longer followed.
    case unsubscribed
    /// It is nothing that could be followed.
    case ignored
    /// It could not be followed.
    case failed
  }

  /// The source as it was named, without user name and password.
  package var source: String
  /// The subscription; nil if there is none.
  package var subscription: Subscription?
  /// The podcast, where it is known without a subscription.
  package var podcast: Podcast?
  /// The result.
  package var status: Status
  /// Why it failed or is ignored.
  package var error: PodgetError?

  /// Creates a result.
  package init(
    _ source: String, _ status: Status, _ subscription: Subscription? = nil,
    error: PodgetError? = nil
  ) {
    self.source = AddressRedaction.withoutCredentials(source)
    self.status = status
    self.subscription = subscription
    self.error = error
  }
}
