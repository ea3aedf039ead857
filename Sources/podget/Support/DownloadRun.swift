import ArgumentParser
import Glibc
import PodcastKit

/// One run of downloads with its display, its keys and its signals: what `download` and `resume`
/// have in common.
struct DownloadRun: Sendable {
  /// What the two commands are asked for alike.
  struct Settings: Sendable {
    var libraryPath: String
    var directory: DirectoryOptions.Settings
    var network: NetworkOptions.Settings
    var session: CurlSession.Configuration
    var downloads: DownloadOptions
    var output: OutputOptions
    var options: RunOptions
  }

  /// What plans a run, while the display shows already what it says.
  ///
  /// It gets the sources with those of standard input in their place; nil where none was named.
  typealias Planner =
    @Sendable ([String]?, Library, ITunesDirectory, DownloadDisplay) async -> [DownloadPlan]

  let settings: Settings
  let context: CommandContext

  /// Plans and downloads, and ends with the status of the contract.
  ///
  /// - Parameter sources: as they were named; none where what to download is known otherwise.
  func run(
    _ sources: [String], refreshesAddresses: Bool, _ plan: @escaping Planner
  ) async throws {
    // From here on every end has its summary.
    let signals = Interruption.signals()
    // Where sources come from standard input, what is typed there are no keys.
    let hasKeys = !settings.options.dryRun && !sources.contains(SourceReader.standardInput)
    let keys = hasKeys ? TerminalKeys() : nil
    let display = DownloadDisplay { makeRenderer(keys: keys) }
    let steering = Steering()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await follow(signals, display, keys, steering) }
      if let keys { group.addTask { await follow(keys.keys, display, steering) } }
      group.addTask { await drawRegularly(display, keys) }
      await work(sources, display, steering, refreshesAddresses: refreshesAddresses, plan)
      group.cancelAll()
      keys?.close()
    }
    // Signals are listened to until here: without the summary scripts would not know how it ended.
    await display.finish()
    Interruption.stopListening()
    try end(with: await display.result)
  }

  private func work(
    _ sources: [String], _ display: DownloadDisplay, _ steering: Steering, refreshesAddresses: Bool,
    _ plan: @escaping Planner
  ) async {
    do {
      let isReal = !settings.options.dryRun
      let path = settings.libraryPath
      let library = try Library.open(path, creating: isReal) ?? Library.absent(path)
      if isReal { try library.requireWritable() }
      try await CurlSession.with(settings.session) { session in
        let directory = ITunesDirectory(
          transport: session, settings: settings.directory, network: settings.network)
        let plans = await steering.plan {
          do throws(PodgetError) {
            let sources = try await SourceReader.expanded(sources)
            return Task.isCancelled ? [] : await plan(sources, library, directory, display)
          } catch {
            await display.sourceFailed(SourceReader.standardInput, error)
            return []
          }
        }
        if isReal {
          let addresses = CurrentAddresses(directory)
          let refresh: AddressRefresh = { await addresses.address(of: $0) }
          try await download(
            plans, library, session, display, steering,
            refresh: refreshesAddresses ? refresh : nil)
        } else {
          await explain(plans, library, display, steering)
        }
      }
    } catch {
      let error = error as? PodgetError ?? PodgetError(.disk, "\(error).")
      await display.sourceFailed(settings.libraryPath, error)
    }
  }

  /// Tells what a real run would do.
  private func explain(
    _ plans: [DownloadPlan], _ library: Library, _ display: DownloadDisplay,
    _ steering: Steering
  ) async {
    let index = await steering.run {
      LibraryIndex(library.locatedEpisodes(recording: false).filter(\.mayBeSkipped))
    }
    guard let index else { return }
    for plan in plans {
      let local = index.local(for: plan)
      let reason = local?.skipReason(for: plan, isForced: settings.downloads.isForced)
      await display.show(DownloadEvent(plan, .planned(total: reason == nil ? nil : local?.total)))
      if let local, let reason {
        await display.show(DownloadEvent(plan, .skipped(path: local.path, reason: reason)))
      }
    }
  }

  private func download(
    _ plans: [DownloadPlan], _ library: Library, _ session: CurlSession,
    _ display: DownloadDisplay, _ steering: Steering, refresh: AddressRefresh?
  ) async throws {
    let downloader = try Downloader(
      library: library, transport: session, options: settings.downloads, refresh: refresh)
    await steering.steer(downloader)
    async let all: Void = downloader.run(plans)
    for await event in downloader.events { await display.show(event) }
    await all
  }

  private func makeRenderer(keys: TerminalKeys?) -> any Renderer {
    let verbosity: Verbosity =
      settings.output.quiet
      ? .quiet : settings.output.verbose || settings.options.dryRun ? .verbose : .normal
    let mode = OutputMode.choose(
      json: settings.output.json, quiet: settings.output.quiet,
      noProgress: settings.options.noProgress,
      errorIsTerminal: Terminal.isTerminal(STDERR_FILENO),
      terminalType: context.environment["TERM"],
      isForeground: Terminal.isForeground(STDERR_FILENO))
    let style = TerminalStyle(environment: context.environment)
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

  private func end(with result: DownloadDisplay.Result) throws {
    if let status = result.interruptedWith { throw ExitCode(status) }
    if result.summary.failed > 0 || result.leftToOthers || result.hasLostOutput {
      throw ExitStatus.failure
    }
  }
}

extension DownloadRun {
  private func follow(
    _ signals: AsyncStream<Interruption.Signal>, _ display: DownloadDisplay,
    _ keys: TerminalKeys?, _ steering: Steering
  ) async {
    var isStopping = false
    // The SIGCONT that ends our own stop comes after the screen was taken up again.
    var expectsContinued = false
    for await signal in signals {
      if let status = signal.exitStatus {
        // The second time the user does not want to wait any longer.
        if isStopping { Interruption.exitNow(status) }
        isStopping = true
        // The display may wait for a reader that does not read.
        await steering.stop()
        await display.interrupt(status: status)
      } else if signal == .stop {
        await display.suspend()
        keys?.suspend()
        Interruption.stopProcess()
        await continueOnScreen(display, keys)
        expectsContinued = true
      } else if signal == .continued {
        if !expectsContinued { await continueOnScreen(display, keys) }
        expectsContinued = false
      } else {
        await display.tick()
      }
    }
  }

  private func continueOnScreen(_ display: DownloadDisplay, _ keys: TerminalKeys?) async {
    keys?.follow()
    await display.continueDrawing()
  }

  private func follow(
    _ keys: AsyncStream<TerminalKeys.Key>, _ display: DownloadDisplay, _ steering: Steering
  ) async {
    for await key in keys {
      switch key {
      case .pause: await steering.toggle()
      case .quit:
        Interruption.beginEnding()
        await steering.stop()
        await display.interrupt(status: 128 + SIGINT)
      }
    }
  }

  private func drawRegularly(_ display: DownloadDisplay, _ keys: TerminalKeys?) async {
    var count = 0
    while (try? await Task.sleep(for: .milliseconds(100))) != nil {
      count += 1
      // A shell may move a running job to the front or the back without telling it.
      if count % 10 == 0 { keys?.follow() }
      await display.tick()
    }
  }
}
