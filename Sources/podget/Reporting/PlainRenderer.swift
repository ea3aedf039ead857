import PodcastKit

/// Plain lines, one for each event; for logs and pipes.
struct PlainRenderer: Renderer {
  private var output: TextOutput
  private let style: TerminalStyle
  private let verbosity: Verbosity
  private let isDryRun: Bool
  private var podcasts = 0
  /// The lines about feeds that failed, for the end.
  private var failedFeeds: [String] = []

  /// Creates a renderer that writes to `output`, which is stderr except in tests. In a dry run nothing
  /// of what it shows happens.
  init(output: TextOutput, style: TerminalStyle, verbosity: Verbosity, isDryRun: Bool = false) {
    self.isDryRun = isDryRun
    self.style = style
    self.output = output
    self.verbosity = verbosity
  }

  mutating func listing(_ podcast: Podcast, episodes: Int) {
    podcasts += 1
    guard verbosity > .quiet else { return }
    line("\(EventText.heading(podcast, style)) (\(EventText.episodes(episodes)))")
  }

  mutating func show(_ event: DownloadEvent) {
    // If no heading was written above it, a failure needs the name of its podcast.
    let namesPodcast = podcasts > 1 || verbosity == .quiet
    let text = EventText(
      event, verbosity: verbosity, namesPodcast: namesPodcast, isDryRun: isDryRun)
    guard let text else { return }
    let verb = style.styled(
      TerminalText.padded(text.verb, to: 11),
      text.severity == .good ? .green : text.severity == .bad ? .red : .plain)
    let separator = text.severity == .bad ? ": " : "  "
    line(
      "\(verb)  \(text.title)\(text.detail.isEmpty ? "" : separator + text.detail)",
      text.severity == .bad ? .error : .info)
  }

  mutating func sourceFailed(_ source: String, _ error: PodgetError) {
    line("\(style.styled("failed", .red))       \(EventText.failure(of: source, error))", .error)
  }

  mutating func checked(_ check: FeedCheck) {
    // An episode's line names its podcast where there is no heading.
    podcasts += 2
    if let text = EventText.sentence(about: check, verbosity: verbosity) { note(text) }
  }

  mutating func feedFailed(_ name: String, _ podcast: Podcast, _ error: PodgetError) {
    failedFeeds.append(
      "\(style.styled("failed", .red))       \(EventText.failure(of: podcast.shownTitle, error))")
  }

  mutating func feedsChecked() {
    failedFeeds.forEach { line($0, .error) }
    failedFeeds = []
  }

  mutating func belonging(_ event: BelongingEvent) {
    if let text = EventText.sentence(about: event, verbosity: verbosity) { note(text) }
  }

  mutating func note(_ text: String) {
    guard verbosity > .quiet else { return }
    line(TerminalText.safe(AddressRedaction.shown(in: text)), TextOutput.Priority(ofNote: text))
  }

  mutating func tick() {}

  mutating func summary(_ summary: Summary) {
    feedsChecked()
    guard verbosity > .quiet, !summary.isSilent else { return }
    summary.newEpisodes.forEach { line($0) }
    line(summary.sentence)
  }

  mutating func suspend() {}

  mutating func continueDrawing() {}

  mutating func close() {}
}

extension PlainRenderer {
  private mutating func line(_ text: String, _ priority: TextOutput.Priority = .info) {
    output.send(text + "\n", priority)
  }
}
