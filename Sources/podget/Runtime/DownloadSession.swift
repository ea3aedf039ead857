import ArgumentParser
import BrowseScreen
import Glibc
import PodcastKit

/// A run of downloads with its display, its keys and its signals: the common part of `download`,
/// `resume` and `verify --repair`.
struct DownloadSession: Sendable {
  /// The common options of these commands.
  struct Settings: Sendable {
    var libraryPath: String
    var directory: DirectoryOptions.Settings
    var network: NetworkOptions.Settings
    var session: CurlSession.Configuration
    var downloads: DownloadOptions
    var output: OutputSettings
    var options: RunOptions
    /// The login for the named feeds; nil if the command has no such options.
    var credentials: CredentialOptions?
    /// The commands to run.
    var hooks = HookOptions.Settings()
  }

  /// The download work of a run: one of its first stages. It gets the sources with those of
  /// standard input in place of `-`; nil if none was named.
  typealias Work = @Sendable (DownloadRun, [String]?) async -> Void

  let settings: Settings
  let context: CommandContext
  /// Whether the run checks feeds, which its summary then counts.
  var checksFeeds = false
  /// What names of subscriptions among the sources stand for.
  var names = Names.themselves
  /// What comes after a run; nil for one run.
  var rounds: Rounds?

  /// What a name of a subscription stands for.
  enum Names: Sendable {
    /// Its feed, for runs that ask servers.
    case feeds
    /// Its title, for runs that look into the library.
    case titles
    /// The run knows subscriptions itself.
    case themselves
  }

  /// Runs that follow one another, as those of `sync --watch`.
  struct Rounds: Sendable {
    /// The settings for the next round; nil leaves them as they are.
    var settings: @Sendable () -> Settings?
    /// How long to wait before the next round.
    var wait: @Sendable () async -> Duration
    /// Called at SIGHUP.
    var readAgain: @Sendable () async -> Void
  }

  /// Plans and downloads to the end.
  ///
  /// - Parameters:
  ///   - sources: as they were named; none if the downloads are known otherwise.
  ///   - refreshesAddresses: whether the directory is asked if an address is refused.
  ///   - work: the download work.
  func run(
    _ sources: [String], refreshesAddresses: Bool, _ work: @escaping Work
  ) async -> Outcome {
    // If sources come from standard input, typed characters there are not keys.
    let hasKeys =
      !settings.options.dryRun && !sources.contains(SourceArguments.standardInput)
      && settings.credentials?.passwordCommand == nil
    let keys = hasKeys ? TerminalKeys() : nil
    let display = DownloadDisplay(checksFeeds: checksFeeds) { makeRenderer(settings, keys) }
    let control = RunControl()
    var hangUp: (@Sendable () async -> Void)?
    if let rounds {
      hangUp = {
        await rounds.readAgain()
        await control.wake()
      }
    }
    let hooks = Hooks(settings.hooks, library: settings.libraryPath)
    let session = Session(
      display: display, keys: keys,
      stop: {
        hooks.stop()
        await control.stop()
      }, toggle: { await control.toggle() }, hangUp: hangUp,
      endsAtSecondSignal: true)
    await session.run {
      await download(
        sources, display, control, hooks, keys, refreshesAddresses: refreshesAddresses, work)
    } finish: {
      await display.finish()
    }
    return Outcome(
      hasFailed: await display.hasFailures, interruptedWith: session.interruptedWith)
  }

  private func download(
    _ sources: [String], _ display: DownloadDisplay, _ control: RunControl, _ hooks: Hooks,
    _ keys: TerminalKeys?, refreshesAddresses: Bool, _ work: @escaping Work
  ) async {
    do {
      var library = try openLibrary(settings)
      var expanded: [String]?
      do throws(PodgetError) {
        expanded = try await control.read { () async throws(PodgetError) in
          try await SourceArguments.expanded(sources)
        }
      } catch {
        await display.show(.sourceFailed(SourceArguments.standardInput, error))
        return
      }
      let credentials = OriginCredentials()
      let named = try SubscribedSources(names == .themselves ? [] : expanded ?? [], in: library)
      if expanded != nil {
        switch names {
        case .feeds: expanded = named.feeds
        case .titles: expanded = named.titles
        case .themselves: break
        }
      }
      let sources = expanded
      let logins = SubscriptionLogins()
      do throws(PodgetError) {
        _ = try await control.read { () async throws(PodgetError) in
          try await settings.credentials?.apply(to: credentials, for: sources ?? [])
          try await named.logIn(credentials, with: logins)
          return nil
        }
      } catch {
        await display.show(.sourceFailed(sources?.first ?? settings.libraryPath, error))
        return
      }
      // Of later rounds each asks for the passwords again.
      var roundLogins = logins
      var current = settings
      while true {
        try await round(
          sources, current, library, checksFeeds ? OriginCredentials() : credentials,
          roundLogins, display, control, hooks, refreshesAddresses: refreshesAddresses
        ) { await work($0, sources) }
        guard let rounds, await !control.isStopped else { break }
        await display.endRound()
        await control.wait(rounds.wait())
        if await control.isStopped { break }
        roundLogins = SubscriptionLogins()
        guard var changed = rounds.settings() else { continue }
        do throws(PodgetError) {
          library = try openLibrary(changed)
        } catch {
          context.say("The library stays \(current.libraryPath): \(error.sentence)")
          changed.libraryPath = current.libraryPath
        }
        await hooks.use(changed.hooks, library: changed.libraryPath)
        if changed.output != current.output
          || changed.options.noProgress != current.options.noProgress
        {
          let next = changed
          await display.use { makeRenderer(next, keys) }
        }
        current = changed
      }
    } catch {
      let error = error as? PodgetError ?? PodgetError(.disk, "\(error).")
      await display.show(.sourceFailed(settings.libraryPath, error))
    }
  }

  /// Opens the library that settings name, and creates it where that may be done.
  private func openLibrary(_ settings: Settings) throws(PodgetError) -> Library {
    let isReal = !settings.options.dryRun
    guard let library = try Library.open(settings.libraryPath, creating: isReal) else {
      return try Library.absent(settings.libraryPath)
    }
    if isReal { try library.requireWritable() }
    return library
  }

  /// One run.
  private func round(
    _ sources: [String]?, _ settings: Settings, _ library: Library,
    _ credentials: OriginCredentials, _ logins: SubscriptionLogins, _ display: DownloadDisplay,
    _ control: RunControl, _ hooks: Hooks, refreshesAddresses: Bool,
    _ work: @escaping @Sendable (DownloadRun) async -> Void
  ) async throws {
    var configuration = settings.session
    // A password of ~/.netrc goes over http only to an origin that the user named.
    var named = [settings.directory.baseURL] + (sources ?? [])
    if checksFeeds {
      // The user named the first addresses; later ones came with moves.
      named += (try? SubscriptionFile(library).read().subscriptions.map(\.firstURL)) ?? []
    }
    configuration.namedOrigins = NamedOrigins(named)
    try await settings.output.withTransport(configuration) { session in
      let run = try DownloadRun(
        library: library, transport: session,
        directory: ITunesDirectory(
          transport: session, settings: settings.directory, network: settings.network),
        options: settings.downloads, isDryRun: settings.options.dryRun,
        refreshesAddresses: refreshesAddresses, credentials: credentials, now: context.now)
      await run.use(logins)
      await control.attach(run)
      async let all: Void = work(run)
      // A command may take long; the events go on meanwhile. Unbounded: one element an episode.
      let (finished, continuation) = AsyncStream.makeStream(of: DownloadEvent.self)
      async let commands: Void = {
        for await event in finished {
          for error in await hooks.run(after: event) {
            await display.show(.sourceFailed("after-download", error))
          }
        }
        for error in await hooks.runAfterSync() {
          await display.show(.sourceFailed("after-sync", error))
        }
      }()
      for await event in run.events {
        await display.show(event)
        if case .episode(let event) = event, case .finished = event.kind {
          continuation.yield(event)
        }
      }
      continuation.finish()
      await all
      await commands
    }
  }

  private func makeRenderer(_ settings: Settings, _ keys: TerminalKeys?) -> any Renderer {
    let verbosity: Verbosity =
      settings.output.quiet
      ? .quiet : settings.output.verbose || settings.options.dryRun ? .verbose : .normal
    let mode = OutputMode.choose(
      json: settings.output.json, quiet: settings.output.quiet,
      noProgress: settings.options.noProgress || settings.output.tracesHTTP,
      errorIsTerminal: Terminal.isTerminal(STDERR_FILENO),
      terminalType: context.environment["TERM"],
      isForeground: Terminal.isForeground(STDERR_FILENO))
    let style = TerminalStyle(
      environment: context.environment, color: settings.output.color)
    switch mode {
    case .jsonLines:
      return JSONLinesRenderer(
        output: .standardOutput, errors: .standardError, verbosity: verbosity,
        hidesUnchanged: rounds != nil && verbosity < .verbose)
    case .plain: return PlainRenderer(output: .standardError, style: style, verbosity: verbosity)
    case .live:
      let start = ContinuousClock.now
      return TerminalRenderer(
        output: .standardError, style: style,
        verbosity: verbosity,
        surroundings: TerminalRenderer.Surroundings(
          window: { ScreenSize(of: STDERR_FILENO) },
          isForeground: { Terminal.isForeground(STDERR_FILENO) },
          hasKeys: { keys?.isActive ?? false }, now: { .now - start }))
    }
  }
}
