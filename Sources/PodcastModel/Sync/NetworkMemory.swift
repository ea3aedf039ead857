package import FoundationEssentials

/// What rounds of checks that follow each other remember of the network.
///
/// A host that is asked alone and does not answer says nothing about the network: other hosts that
/// failed or answered a short time ago do.
package struct NetworkMemory: Sendable, Hashable {
  /// How long, in seconds, an answer shows that the network works, and a failure that it may not.
  private static let counts: Double = 600

  private var lastAnswer: Date?
  /// When hosts failed last, without any answer since then.
  private var failed: [String: Date] = [:]

  /// Nothing was asked yet.
  package init() {}

  /// Adds a round that has ended.
  package mutating func add(_ round: NetworkRound, at now: Date) {
    if round.hasAnswer {
      lastAnswer = now
      failed = [:]
    } else {
      failed = failed.filter { Self.isLately($0.value, now) }
      for origin in round.failedOrigins { failed[origin] = now }
    }
  }

  /// Whether a host has answered lately.
  package func hasAnswer(at now: Date) -> Bool {
    lastAnswer.map { Self.isLately($0, now) } ?? false
  }

  /// How many hosts have failed lately.
  package func failedHosts(at now: Date) -> Int { failed.values.count { Self.isLately($0, now) } }

  private static func isLately(_ time: Date, _ now: Date) -> Bool {
    (0..<counts).contains(now.timeIntervalSince(time))
  }
}
