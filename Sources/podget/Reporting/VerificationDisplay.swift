import BrowseScreen
import PodcastKit

/// Owns the outputs of a verification: findings go to stdout as soon as they are known, progress and
/// the summary to stderr.
actor VerificationDisplay: SessionDisplay {
  private let options: OutputSettings
  private let progress: VerificationProgress
  private let style: TerminalStyle
  private let outputStyle: TerminalStyle
  private let isLive: Bool
  private let sharesScreen: Bool
  private let start = ContinuousClock.now
  private var output: TextOutput
  private var errors: TextOutput
  private var area = LiveArea()
  private var meter = SpeedMeter()
  private var totalBytes: Int64 = 0
  private var totalFiles = 0
  private var elements = 0
  private var summary = VerificationSummary()
  /// Whether the user stopped the reading of files.
  private var isStopped = false

  /// Creates a display for the options of a run.
  init(
    settings: DownloadSession.Settings, context: CommandContext, progress: VerificationProgress
  ) {
    options = settings.output
    self.progress = progress
    style = TerminalStyle(environment: context.environment, color: options.color)
    (output, errors) = (context.output, context.errors)
    sharesScreen = context.output.window != nil
    outputStyle = TerminalStyle(
      environment: context.environment, color: options.color, isTerminal: sharesScreen)
    let mode = OutputMode.choose(
      json: options.json, quiet: options.quiet,
      noProgress: settings.options.hidesProgress || options.tracesHTTP,
      errorIsTerminal: context.errors.window != nil,
      terminalType: context.environment["TERM"],
      isForeground: context.errors.window?.isForeground() ?? false)
    isLive = mode == .live
  }

  /// Whether something is wrong and was not repaired.
  var hasProblems: Bool { summary.hasProblems }

  /// Sets the amount to read.
  func begin(files: Int, bytes: Int64) {
    (totalFiles, totalBytes) = (files, bytes)
    meter.begin(at: 0, now: .zero)
  }

  /// Reports a finding; one that is not reported yet is written as JSON later, by ``write(_:)``.
  func show(_ finding: FileFinding, isHeld: Bool = false) {
    summary.count(finding)
    if let line = VerificationText.line(finding, verbosity: verbosity) { send(line) }
    if !isHeld { write(finding) }
  }

  /// Reports the result of a new download of a file that was reported as wrong.
  func show(repaired finding: FileFinding, insteadOf old: FileFinding.Status) {
    summary.recount(finding, insteadOf: old)
    if let line = VerificationText.line(finding, verbosity: verbosity) { send(line) }
  }

  /// Writes a finding as an element of the JSON array, if that is wanted.
  func write(_ finding: FileFinding) {
    guard options.json else { return }
    emit((elements == 0 ? "[\n" : ",\n") + JSONText.line(JSONForms.finding(finding)))
    elements += 1
  }

  /// Redraws the progress.
  func tick() {
    guard isLive, !isStopped, let window = errors.window, window.isForeground() else { return }
    let now = ContinuousClock.now - start
    meter.record(progress.bytesRead, now: now)
    var line = ProgressLine(
      title: summary.progress(of: totalFiles), received: progress.bytesRead,
      total: totalBytes > 0 ? max(totalBytes, progress.bytesRead) : nil, activity: .receiving)
    line.speed = meter.speed(now: now)
    paint([line.draw(columns: window.size().columns, now: now, style: style)])
  }

  /// Records that the user stopped the reading: some files are not checked.
  func stopChecking() { isStopped = true }

  /// Releases the screen: the progress is erased until it is drawn again.
  func suspend() { paint([]) }

  /// The next tick draws it.
  func continueDrawing() {}

  /// Ends the array or writes the summary.
  ///
  /// - Throws: a ``PodgetError`` when stdout did not accept everything.
  func finish() throws {
    suspend()
    if options.json { emit(elements == 0 ? "[]\n" : "\n]\n") }
    if !options.quiet, !options.json {
      errors.send(summary.sentence(isInterrupted: isStopped) + "\n")
    }
    if let failure = output.failure { throw failure }
  }
}

extension VerificationDisplay {
  private var verbosity: Verbosity {
    options.quiet ? .quiet : options.verbose ? .verbose : .normal
  }

  private func send(_ line: StyledLine) {
    guard !options.json else { return }
    if sharesScreen { suspend() }
    emit(line.rendered(color: outputStyle.hasColor) + "\n")
  }

  private func emit(_ text: String) { output.send(text) }

  private func paint(_ live: [StyledLine]) {
    guard isLive, let window = errors.window else { return }
    errors.send(
      area.paint(
        settled: [], live: live, columns: window.size().columns,
        color: style.hasColor))
  }
}
