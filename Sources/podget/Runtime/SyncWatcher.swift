import FoundationEssentials
import PodcastKit
import Synchronization

/// The rounds of `sync`: one, or with `--watch` many, with their configuration and their pace.
final class SyncWatcher: Sendable {
  private struct State {
    /// What is wanted of the podcasts, and how their feeds are checked.
    var options: SyncOptions
    /// The settings of the run.
    var settings: DownloadSession.Settings
    var rounds = WatchRounds()
    /// Whether the configuration is to be read again.
    var isStale = false
    /// The run that replaces this one.
    var next: DownloadSession.NextRun?
    /// Whether the next round is the first after a SIGHUP.
    var retriesLogins = false
    /// Whether the status could not be written the last time.
    var lacksStatus = false
    /// Why the last exchange with the account's server failed.
    var accountProblem: String?
  }

  private let command: SyncCommand
  private let context: CommandContext
  private let session: DownloadSession
  private let service: ServiceNotifier?
  private let state: Mutex<State>

  /// Creates the rounds of a command in a session.
  init(_ command: SyncCommand, _ options: SyncOptions, in session: DownloadSession) {
    self.command = command
    self.session = session
    context = session.context
    service = command.watch ? ServiceNotifier(session.context.environment) : nil
    state = Mutex(State(options: options, settings: session.settings))
  }

  /// Whether the status could not be written the last time.
  var lacksStatus: Bool { state.withLock { $0.lacksStatus } }

  /// Tells systemd that the program lives, until the task is cancelled: also while the last commands
  /// run, and between two runs.
  func live() async { await service?.live() }

  /// The next round reads the configuration again, and checks all feeds that are due.
  func readAgain() { state.withLock { $0.isStale = true } }

  /// The run after one that ended because its settings changed; nil if that is not why.
  func next() -> DownloadSession.NextRun? {
    state.withLock { state in
      defer { state.next = nil }
      return state.next
    }
  }

  /// Checks feeds: once, or with `--watch` until a signal comes or the run has to be replaced.
  func check(_ run: DownloadRun, _ names: [String]?) async {
    await exchange(isDueOnly: command.watch || command.due)
    guard command.watch else {
      let outcome = await run.sync(names, round())
      await writeStatus(after: outcome)
      return
    }
    let control = session.control
    service?.ready()
    await run.sync(names) { [self] outcome in
      if let outcome {
        await writeStatus(after: outcome)
        let (command, context) = (command, context)
        await BlockingWork.run { command.arrange(in: context) }
        if outcome.cannotGoOn { return nil }
        await control.wait(wait(after: outcome))
      }
      if await control.isStopped {
        service?.stopping()
        return nil
      }
      if await takeChanges() {
        await exchange(isDueOnly: true)
        return round()
      }
      // What is being downloaded continues in the next run, with its settings.
      await run.cancel()
      return nil
    }
  }
}

extension SyncWatcher {
  private func round() -> SyncRound {
    let (options, limit) = state.withLock { state in
      defer { state.retriesLogins = false }
      var options = state.rounds.next(state.options)
      options.retriesLogins = state.retriesLogins
      return (options, state.settings.passwordLimit)
    }
    var round = SyncRound(options)
    round.namedOrigins = session.namedOrigins
    round.logins = SubscriptionLogins(limit: limit)
    return round
  }

  /// Exchanges with the server of the library's account, if it has one. A failure ends nothing; it is
  /// said when it is another one than the last time.
  private func exchange(isDueOnly: Bool) async {
    guard command.names.isEmpty, !command.run.dryRun else { return }
    let settings = state.withLock { $0.settings }
    // A signal ends it.
    _ = try? await session.control.read { [self] in
      await exchange(settings, after: isDueOnly ? settings.accountInterval : nil)
      return nil
    }
  }

  private func exchange(_ settings: DownloadSession.Settings, after interval: Duration?) async {
    let context = context
    let isQuiet = settings.output.quiet
    var problem: String?
    do {
      guard let library = try Library.open(settings.libraryPath, creating: false),
        let report = try await AccountRun(
          context: context, library: library, network: settings.session, output: settings.output,
          passwordLimit: settings.passwordLimit
        ).exchange(
          after: interval, waits: false, warn: { if !isQuiet { context.sayOnce($0) } })
      else { return }
      if !isQuiet {
        for change in report.changes where change.kind == .followed || change.kind == .unfollowed {
          context.say("Account: \(change.kind.rawValue) \(change.address).", .info)
        }
        if report.isWithheldNew, let sentence = report.withheldSentence {
          context.say(sentence, .info)
        }
      }
    } catch {
      if Task.isCancelled { return }
      problem = (error as? PodgetError)?.sentence ?? "\(error)"
    }
    let isKnown = state.withLock { state in
      defer { state.accountProblem = problem }
      return state.accountProblem == problem
    }
    if let problem, !isKnown { context.say("Warning: the account: \(problem)") }
  }

  /// Writes the files that an operator reads. What cannot be written is said, and ends nothing.
  private func writeStatus(after outcome: SyncOutcome) async {
    let (status, metrics) = (command.statusFile, command.metrics)
    guard status != nil || metrics != nil, !command.run.dryRun else { return }
    let following = outcome.following
    let (context, path) = (context, state.withLock { $0.settings.libraryPath })
    let result = await BlockingWork.run {
      Result { () throws(PodgetError) in
        guard let library = try Library.open(path, creating: false) else { return }
        let now = context.now()
        // Thousands of feeds are not read again in each round.
        let read =
          if let (subscriptions, states) = following {
            FollowingStatus(
              of: library, FollowedPodcast.all(subscriptions, states.all, at: now), at: now)
          } else {
            try FollowingStatus(of: library, at: now)
          }
        if let status {
          let text = JSONText.line(JSONForms.status(read)) + "\n"
          try ExportedFile.replace(status, with: Data(text.utf8))
        }
        if let metrics {
          // The collector is another user.
          try ExportedFile.replace(
            metrics, with: Data(StatusLines.metrics(read).utf8), mode: 0o644,
            isForAll: true)
        }
      }
    }
    guard case .failure(let error) = result else {
      return state.withLock { $0.lacksStatus = false }
    }
    // Said again when it was written in between.
    let isKnown = state.withLock { state in
      defer { state.lacksStatus = true }
      return state.lacksStatus
    }
    if !isKnown { context.say("The status: \(error.sentence)") }
  }

  /// How long to wait for the next feed that is due.
  private func wait(after outcome: SyncOutcome) -> Duration {
    service?.status(
      outcome.isNetworkDown
        ? "The network seems to be down."
        : outcome.nextCheck.map { "The next feed is due at \($0.timestamp)." } ?? "No feed is due.")
    let now = context.now()
    return state.withLock { $0.rounds.wait(after: outcome, $0.options, at: now) }
  }

  /// Reads the configuration again after SIGHUP.
  ///
  /// - Returns: whether the run can go on.
  private func takeChanges() async -> Bool {
    let (isStale, settings) = state.withLock { state in
      defer { state.isStale = false }
      if state.isStale { state.retriesLogins = true }
      return (state.isStale, state.settings)
    }
    guard isStale else { return true }
    service?.reloading()
    defer { service?.ready() }
    guard var changed = read() else { return true }
    var library: Library?
    if changed.libraryPath != settings.libraryPath {
      do throws(PodgetError) {
        let opened = try changed.openLibrary()
        // Without it the next run could not begin.
        try opened.requirePartialFolder()
        library = opened
      } catch {
        context.say("The library stays \(settings.libraryPath): \(error.sentence)")
        changed.libraryPath = settings.libraryPath
      }
    }
    let next = DownloadSession.NextRun(settings: changed, library: library)
    let canGoOn = !changed.needAnotherRun(than: settings)
    state.withLock { state in
      state.settings = next.settings
      if !canGoOn { state.next = next }
    }
    if canGoOn { await session.hooks.use(changed.hooks, library: changed.libraryPath) }
    return canGoOn
  }

  /// The settings of the configuration as it is now; nil if it has a mistake, which is reported.
  private func read() -> DownloadSession.Settings? {
    do {
      let configured = try context.settings()
      let options = try command.options(configured, at: context.now())
      let settings = try command.settings(configured)
      state.withLock { $0.options = options }
      return settings
    } catch {
      context.say("The configuration stays as it was: \(error)")
      return nil
    }
  }
}
