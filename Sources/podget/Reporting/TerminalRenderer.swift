import BrowseScreen
import PodcastKit

/// The live display: running downloads are drawn at the bottom of the terminal, ended ones are
/// written above.
struct TerminalRenderer: Renderer {
  /// What the renderer needs from its environment; tests provide their own.
  struct Surroundings {
    /// The window's size.
    var window: () -> ScreenSize
    /// Whether podget may draw on the terminal.
    var isForeground: () -> Bool
    /// Whether the keys work, so that a hint is useful.
    var hasKeys: () -> Bool
    /// The time since any fixed origin.
    var now: () -> Duration
  }

  private var output: TextOutput
  private let style: TerminalStyle
  private let verbosity: Verbosity
  private let isDryRun: Bool
  private let surroundings: Surroundings
  private var display: LiveDisplay
  private var area = LiveArea()
  private var pending: [SettledText] = []
  private var podcasts = 0
  /// The lines about feeds that failed, for the end.
  private var failedFeeds: [SettledText] = []
  private var isSuspended = false

  /// Creates a renderer that writes to `output`, which is stderr except in tests. In a dry run nothing
  /// of what it shows happens.
  init(
    output: TextOutput, style: TerminalStyle, verbosity: Verbosity, isDryRun: Bool = false,
    surroundings: Surroundings
  ) {
    self.isDryRun = isDryRun
    self.output = output
    self.style = style
    self.verbosity = verbosity
    self.surroundings = surroundings
    self.display = LiveDisplay(style: style)
  }

  mutating func listing(_ podcast: Podcast, episodes: Int) {
    podcasts += 1
    pending.append(.heading(EventText.heading(podcast, style), episodes: episodes))
  }

  mutating func show(_ event: DownloadEvent) {
    display.take(event, now: surroundings.now())
    guard settles(event.kind) else { return }
    let text = EventText(
      event, verbosity: verbosity, namesPodcast: podcasts > 1, isDryRun: isDryRun)
    if let text { pending.append(.event(text)) }
  }

  mutating func sourceFailed(_ source: String, _ error: PodgetError) {
    pending.append(.sentence(EventText.failure(of: source, error), .bad))
  }

  mutating func checking(_ done: Int, of total: Int) {
    display.checking(done, of: total)
  }

  mutating func checked(_ check: FeedCheck) {
    podcasts += 2
    if let text = EventText.sentence(about: check, verbosity: verbosity) { note(text) }
  }

  mutating func feedFailed(_ name: String, _ podcast: Podcast, _ error: PodgetError) {
    failedFeeds.append(.sentence(EventText.failure(of: podcast.shownTitle, error), .bad))
  }

  mutating func feedsChecked() {
    pending += failedFeeds
    failedFeeds = []
  }

  mutating func belonging(_ event: BelongingEvent) {
    if let text = EventText.sentence(about: event, verbosity: verbosity) { note(text) }
  }

  mutating func note(_ text: String) {
    pending.append(.sentence(TerminalText.safe(AddressRedaction.shown(in: text)), .neutral))
  }

  mutating func tick() {
    guard !isSuspended else { return }
    let window = surroundings.window()
    guard surroundings.isForeground() else {
      // In the background the shell's prompt is on the screen: add lines, never move the cursor.
      area.forget()
      paint(live: [], window)
      return
    }
    let live = display.frame(
      columns: window.columns, rows: window.rows, now: surroundings.now(),
      showsKeys: surroundings.hasKeys())
    paint(live: live, window)
  }

  mutating func summary(_ summary: Summary) {
    feedsChecked()
    pending += summary.newEpisodes.map { .sentence($0, .neutral) }
    if !summary.isSilent { pending.append(.summary(summary.sentence)) }
    close()
  }

  mutating func suspend() {
    guard !isSuspended else { return }
    close()
    isSuspended = true
  }

  mutating func continueDrawing() {
    isSuspended = false
    area.forget()
    tick()
  }

  mutating func close() {
    paint(live: [], surroundings.window())
  }
}

extension TerminalRenderer {
  /// What the live lines show anyway is written permanently only with -v.
  private func settles(_ kind: DownloadEvent.Kind) -> Bool {
    switch kind {
    case .finished, .skipped, .failed, .cancelled, .restarted: true
    case .planned, .started, .retrying: verbosity == .verbose
    case .progress, .paused, .resumed: false
    }
  }

  private mutating func paint(live: [StyledLine], _ window: ScreenSize) {
    let settled = pending.flatMap { $0.lines(columns: window.columns, style: style) }
    pending = []
    output.send(
      area.paint(
        settled: settled, live: live, columns: window.columns, color: style.hasColor))
  }
}
