import FoundationEssentials
import PodcastKit
import Synchronization

/// The rounds of `sync`: one, or with `--watch` many, with their configuration and their pace.
final class SyncWatcher: Sendable {
  private struct State {
    var configured: SettingSources
    /// Whether the configuration is to be read again.
    var isStale = false
    var outcome = SyncOutcome()
    /// How many rounds in a row had no network.
    var roundsWithoutNetwork = 0
    var isFirst = true
    /// When a host last answered.
    var lastAnswer: Date?
  }

  /// The longest wait: a clock may be set, and a subscription may be added meanwhile.
  private static let longestWait = Duration.seconds(300)

  private let command: SyncCommand
  private let context: CommandContext
  private let state: Mutex<State>

  /// Creates the rounds of a command.
  init(_ command: SyncCommand, _ context: CommandContext, _ configured: SettingSources) {
    self.command = command
    self.context = context
    state = Mutex(State(configured: configured))
  }

  /// The next round reads the configuration again, and checks all feeds that are due.
  func readAgain() { state.withLock { $0.isStale = true } }

  /// The settings for the next round; nil if they have not changed, or cannot be read now.
  func settings() -> DownloadSession.Settings? {
    let isStale = state.withLock { state in
      defer { state.isStale = false }
      return state.isStale
    }
    guard isStale else { return nil }
    do {
      let configured = try context.settings()
      let settings = try command.settings(configured, at: context.now())
      state.withLock { $0.configured = configured }
      return settings
    } catch {
      context.say("The configuration stays as it was: \(error)")
      return nil
    }
  }

  /// One round.
  func round(_ run: DownloadRun, _ names: [String]?) async {
    let (configured, isFirst, lastAnswer) = state.withLock {
      ($0.configured, $0.isFirst, $0.lastAnswer)
    }
    var options = SyncOptions()
    options.reportsKnown = command.output.verbosity > 0
    // The first round checks all feeds, as without --watch.
    options.asksDueOnly = !isFirst
    options.pace = CheckPace(interval: Self.interval(command, configured))
    options.shard = command.shard
    options.lastAnswer = lastAnswer
    let (command, now) = (command, context.now())
    let outcome = await run.sync(names, options: options) {
      subscription throws(PodgetError) in
      do {
        return try command.followed(subscription, configured, at: now)
      } catch {
        throw PodgetError(.decoding, "\(error)")
      }
    }
    state.withLock { state in
      state.isFirst = false
      state.outcome = outcome
      if outcome.hasAnswer { state.lastAnswer = context.now() }
      state.roundsWithoutNetwork = outcome.isNetworkDown ? state.roundsWithoutNetwork + 1 : 0
    }
  }

  /// How long to wait for the next feed that is due.
  func wait() async -> Duration {
    let (outcome, rounds, configured) = state.withLock {
      ($0.outcome, $0.roundsWithoutNetwork, $0.configured)
    }
    if outcome.isNetworkDown {
      return CheckPace(interval: Self.interval(command, configured))
        .waitWithoutNetwork(rounds: rounds)
    }
    guard let next = outcome.nextCheck else { return Self.longestWait }
    let seconds = next.timeIntervalSince(context.now())
    return .seconds(min(max(seconds, 0.2), Self.longestWait / .seconds(1)))
  }

  private static func interval(_ command: SyncCommand, _ configured: SettingSources) -> Duration? {
    try? configured.value(SettingTable.interval, option: command.interval)
  }
}
