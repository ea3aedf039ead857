import ArgumentParser
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
    var credentials: CredentialOptions
  }

  /// The download work of a run: one of its first stages. It gets the sources with those of
  /// standard input in place of `-`; nil if none was named.
  typealias Work = @Sendable (DownloadRun, [String]?) async -> Void

  let settings: Settings
  let context: CommandContext

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
      && settings.credentials.passwordCommand == nil
    let keys = hasKeys ? TerminalKeys() : nil
    let display = DownloadDisplay { makeRenderer(keys: keys) }
    let control = RunControl()
    let session = Session(
      display: display, keys: keys,
      stop: { await control.stop() }, toggle: { await control.toggle() },
      endsAtSecondSignal: true)
    await session.run {
      await download(
        sources, display, control, refreshesAddresses: refreshesAddresses, work)
    } finish: {
      await display.finish()
    }
    return Outcome(
      hasFailed: await display.hasFailures, interruptedWith: session.interruptedWith)
  }

  private func download(
    _ sources: [String], _ display: DownloadDisplay, _ control: RunControl,
    refreshesAddresses: Bool,
    _ work: @escaping Work
  ) async {
    do {
      let isReal = !settings.options.dryRun
      let path = settings.libraryPath
      let library = try Library.open(path, creating: isReal) ?? Library.absent(path)
      if isReal { try library.requireWritable() }
      let expanded: [String]?
      do throws(PodgetError) {
        expanded = try await control.read { () async throws(PodgetError) in
          try await SourceArguments.expanded(sources)
        }
      } catch {
        await display.show(.sourceFailed(SourceArguments.standardInput, error))
        return
      }
      let credentials = OriginCredentials()
      _ = try await control.read { () async throws(PodgetError) in
        try await settings.credentials.apply(to: credentials, for: expanded ?? [])
        return expanded
      }
      var configuration = settings.session
      // A password of ~/.netrc goes over http only to an origin that the user named.
      configuration.namedOrigins = NamedOrigins(
        [settings.directory.baseURL] + (expanded ?? []))
      try await settings.output.withTransport(configuration) { session in
        let run = try DownloadRun(
          library: library, transport: session,
          directory: ITunesDirectory(
            transport: session, settings: settings.directory, network: settings.network),
          options: settings.downloads, isDryRun: !isReal, refreshesAddresses: refreshesAddresses,
          credentials: credentials)
        await control.attach(run)
        async let all: Void = work(run, expanded)
        for await event in run.events { await display.show(event) }
        await all
      }
    } catch {
      let error = error as? PodgetError ?? PodgetError(.disk, "\(error).")
      await display.show(.sourceFailed(settings.libraryPath, error))
    }
  }

  private func makeRenderer(keys: TerminalKeys?) -> any Renderer {
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
        output: .standardOutput, errors: .standardError, verbosity: verbosity)
    case .plain: return PlainRenderer(output: .standardError, style: style, verbosity: verbosity)
    case .live:
      let start = ContinuousClock.now
      return TerminalRenderer(
        output: .standardError, style: style,
        verbosity: verbosity,
        surroundings: TerminalRenderer.Surroundings(
          window: { Terminal.window(STDERR_FILENO) },
          isForeground: { Terminal.isForeground(STDERR_FILENO) },
          hasKeys: { keys?.isActive ?? false }, now: { .now - start }))
    }
  }
}
