/// Whether the network itself is down, by all requests of one round.
///
/// If every host fails with `network` or `timeout`, that is one line and no failure of any feed: the
/// states of before the round stay.
package struct NetworkRound: Sendable, Hashable {
  private var failed: Set<String> = []
  private var answered: Set<String> = []

  /// A round in which nothing was asked yet.
  package init() {}

  /// Adds the end of a feed's check. A deferred feed that was not asked is not added.
  ///
  /// - Parameters:
  ///   - address: the address asked.
  ///   - error: the error of a request without an answer; nil if any answer arrived.
  ///   - failedBefore: whether the check of the feed before failed too. Its host is dead more often than
  ///     the network is down, so a further failure says nothing.
  package mutating func add(
    _ address: FeedURL, error: PodgetError.Code?, failedBefore: Bool = false
  ) {
    let origin = address.parts?.origin ?? address.text
    switch error {
    case .network, .timeout: if !failedBefore { failed.insert(origin) }
    default: answered.insert(origin)
    }
  }

  /// Whether at least one host was asked and every one failed so.
  package var isNetworkDown: Bool { answered.isEmpty && !failed.isEmpty }

  /// The hosts that failed without an answer.
  package var failedOrigins: Set<String> { failed.subtracting(answered) }

  /// Whether any host answered.
  package var hasAnswer: Bool { !answered.isEmpty }

  /// How many hosts failed without an answer.
  package var failedHosts: Int { failedOrigins.count }
}
