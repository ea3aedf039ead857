import PodcastKit

/// A run of downloads with its display, its keys and its signals: the common part of `download`,
/// `resume` and `verify --repair`.
struct DownloadSession: Sendable {
  /// The download work of a run: one of its first stages. It gets the sources with those of
  /// standard input in place of `-`; nil if none was named.
  typealias Work = @Sendable (DownloadRun, [String]?) async -> Void

  let settings: Settings
  let context: CommandContext
  /// Passes on what the user wants.
  let control = RunControl()
  /// Runs the commands of the settings.
  let hooks: Hooks
  /// The origins that the user named; whoever learns of more adds them.
  let namedOrigins = NamedOrigins()
  /// Whether the run checks feeds, which its summary then counts.
  var checksFeeds = false
  /// What names of subscriptions among the sources stand for.
  var names = Names.themselves
  /// What comes after a run; nil for one run.
  var rounds: Rounds?

  init(settings: Settings, context: CommandContext) {
    self.settings = settings
    self.context = context
    hooks = Hooks(settings.hooks, library: settings.libraryPath)
  }

  /// What a name of a subscription stands for.
  enum Names: Sendable {
    /// Its feed, for runs that ask servers.
    case feeds
    /// Its podcast, for runs that look into the library: the run finds it, with its login.
    case podcasts
    /// The run knows subscriptions itself.
    case themselves
  }

  /// A run with other settings that follows one which has ended.
  struct NextRun: Sendable {
    var settings: Settings
    /// The library, if it is another one.
    var library: Library?
  }

  /// What makes a session one without an end, as that of `sync --watch`.
  struct Rounds: Sendable {
    /// The run after one that has ended; nil for none.
    var next: @Sendable () -> NextRun?
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
    let keys = hasKeys ? context.startKeys() : nil
    let display = DownloadDisplay(checksFeeds: checksFeeds) { makeRenderer(settings, keys) }
    var hangUp: (@Sendable () async -> Void)?
    if let rounds {
      hangUp = {
        await rounds.readAgain()
        await control.wake()
      }
    }
    let session = Session(
      context.signals, display: display, keys: keys,
      stop: {
        hooks.stop()
        await control.stop()
      }, toggle: { await control.toggle() }, hangUp: hangUp,
      endsAtSecondSignal: true)
    await session.run {
      await download(sources, display, keys, refreshesAddresses: refreshesAddresses, work)
    } finish: {
      await display.finish()
    }
    return Outcome(
      hasFailed: await display.hasFailures,
      couldNotWork: checksFeeds ? await display.couldNotWork : false,
      interruptedWith: session.interruptedWith)
  }

  private func download(
    _ sources: [String], _ display: DownloadDisplay, _ keys: (any ControlKeys)?,
    refreshesAddresses: Bool, _ work: @escaping Work
  ) async {
    var current = settings
    do {
      var library = try settings.openLibrary()
      let first = library
      defer { first.removeIfUnused() }
      var expanded: [String]?
      do throws(PodgetError) {
        expanded = try await control.read { () async throws(PodgetError) in
          try await SourceArguments.expanded(sources, from: context.input)
        }
      } catch {
        await display.show(.sourceFailed(SourceArguments.standardInput, error))
        return
      }
      let credentials = OriginCredentials()
      let isQuiet = settings.output.quiet
      let named = try SubscribedSources(
        names == .themselves ? [] : expanded ?? [], in: library,
        warn: { [context] in if !isQuiet { context.sayOnce($0) } })
      if expanded != nil {
        switch names {
        case .feeds: expanded = named.feeds
        case .podcasts, .themselves: break
        }
      }
      let sources = expanded
      let logins = SubscriptionLogins(limit: settings.passwordLimit)
      do throws(PodgetError) {
        _ = try await control.read { () async throws(PodgetError) in
          try await settings.credentials?.apply(
            to: credentials, for: sources ?? [], limit: settings.passwordLimit)
          try await named.logIn(credentials, with: logins)
          return nil
        }
      } catch {
        await display.show(.sourceFailed(sources?.first ?? settings.libraryPath, error))
        return
      }
      namedOrigins.add(names == .feeds ? named.named : sources ?? [])
      var arrived: ArrivedBytes?
      while true {
        var settings = current
        settings.downloads.arrivedBefore = arrived
        arrived = try await run(
          settings, library, checksFeeds ? OriginCredentials() : credentials, logins, display,
          refreshesAddresses: refreshesAddresses
        ) { await work($0, sources) }
        guard await !control.isStopped, let next = rounds?.next() else { break }
        await display.endRounds()
        if next.settings.differsInOutput(from: current) {
          await display.use { makeRenderer(next.settings, keys) }
        }
        await hooks.use(next.settings.hooks, library: next.settings.libraryPath)
        (current, library) = (next.settings, next.library ?? library)
      }
    } catch {
      let error = error as? PodgetError ?? PodgetError(.disk, "\(error).")
      await display.show(.sourceFailed(current.libraryPath, error))
    }
  }

  /// One run.
  ///
  /// - Returns: what arrived in it.
  private func run(
    _ settings: Settings, _ library: Library, _ credentials: OriginCredentials,
    _ logins: SubscriptionLogins, _ display: DownloadDisplay, refreshesAddresses: Bool,
    _ work: @escaping @Sendable (DownloadRun) async -> Void
  ) async throws -> ArrivedBytes? {
    var configuration = settings.session
    // A password of ~/.netrc goes over http only to an origin that the user named.
    namedOrigins.add(settings.directory.namedURLs)
    configuration.namedOrigins = namedOrigins
    var downloads = settings.downloads
    downloads.program = context.program
    return try await context.withTransport(configuration, settings.output) { [downloads] session in
      let run = try DownloadRun(
        library: library, transport: session,
        directory: ITunesDirectory(
          transport: session, settings: settings.directory, network: settings.network),
        options: downloads, isDryRun: settings.options.dryRun,
        refreshesAddresses: refreshesAddresses, credentials: credentials, now: context.now)
      await run.use(logins)
      await control.attach(run)
      async let all: Void = work(run)
      await RunReport(display: display, hooks: hooks, isDryRun: settings.options.dryRun)
        .follow(run)
      await all
      return run.arrived
    }
  }

  private func makeRenderer(_ settings: Settings, _ keys: (any ControlKeys)?) -> any Renderer {
    let verbosity: Verbosity =
      settings.output.quiet
      ? .quiet : settings.output.verbose || settings.options.dryRun ? .verbose : .normal
    let window = context.errors.window
    let mode = OutputMode.choose(
      json: settings.output.json, quiet: settings.output.quiet,
      noProgress: settings.options.hidesProgress || settings.output.tracesHTTP,
      errorIsTerminal: window != nil,
      terminalType: context.environment["TERM"],
      isForeground: window?.isForeground() ?? false)
    // Plain lines are for logs, also on a terminal.
    let style = TerminalStyle(
      environment: context.environment, color: settings.output.color, isTerminal: mode == .live)
    switch (mode, window) {
    case (.jsonLines, _):
      return JSONLinesRenderer(
        output: context.output, errors: context.errors, verbosity: verbosity,
        hidesUnchanged: rounds != nil && verbosity < .verbose)
    case (.live, let window?):
      let start = ContinuousClock.now
      return TerminalRenderer(
        output: context.errors, style: style, verbosity: verbosity,
        isDryRun: settings.options.dryRun,
        surroundings: TerminalRenderer.Surroundings(
          window: window.size, isForeground: window.isForeground,
          hasKeys: { keys?.isActive ?? false }, now: { .now - start }))
    case (.plain, _), (.live, nil):
      return PlainRenderer(
        output: context.errors, style: style, verbosity: verbosity,
        isDryRun: settings.options.dryRun)
    }
  }
}
