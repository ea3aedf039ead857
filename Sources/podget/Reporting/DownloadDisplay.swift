import PodcastKit

/// Owns the renderer and the totals: events of any task are shown one at a time.
actor DownloadDisplay: SessionDisplay {
  private var renderer: any Renderer
  private var summary = Summary()
  /// Whether an episode was skipped for another podget, which the contract calls a failure.
  private var leftToOthers = false
  /// Whether anything failed in an earlier round.
  private var hadFailures = false
  /// Whether a round has ended, and others may follow.
  private var isInRounds = false
  /// Whether an earlier renderer could not write everything.
  private var hasLostOutput = false

  /// Creates a display; the closure creates the renderer here, because a renderer belongs to one
  /// owner.
  ///
  /// - Parameter checksFeeds: whether the run checks feeds, which the summary then counts.
  init(checksFeeds: Bool = false, _ makeRenderer: @Sendable () -> any Renderer) {
    renderer = makeRenderer()
    if checksFeeds { summary.feeds = Summary.Feeds() }
  }

  /// Shows everything with another renderer from now on; the closure creates it here.
  func use(_ makeRenderer: @Sendable () -> any Renderer) {
    renderer.close()
    hasLostOutput = hasLostOutput || renderer.hasLostOutput
    renderer = makeRenderer()
  }

  func show(_ event: RunEvent) {
    switch event {
    case .listing(let podcast, let episodes): renderer.listing(podcast, episodes: episodes)
    case .note(let sentence): renderer.note(sentence)
    case .sourceFailed(let source, let error):
      summary.countFailedSource()
      renderer.sourceFailed(source, error)
    case .checking(let done, let total): renderer.checking(done, of: total)
    case .checked(let check):
      summary.count(check)
      renderer.checked(check)
    case .feedFailed(let name, let podcast, let error):
      summary.countFailedSource()
      renderer.feedFailed(name, podcast, error)
    case .episode(let event):
      summary.count(event)
      if case .skipped(_, .inProgressElsewhere) = event.kind { leftToOthers = true }
      renderer.show(event)
    }
  }

  func tick() { renderer.tick() }

  func suspend() { renderer.suspend() }

  func continueDrawing() { renderer.continueDrawing() }

  /// Whether anything failed, once the run is finished. Output that could not be written, for
  /// example on a full disk, is a failure too.
  var hasFailures: Bool {
    hadFailures || summary.failed > 0 || leftToOthers || hasLostOutput || renderer.hasLostOutput
  }

  /// Ends a round of several: it has a summary of its own if it brought something.
  func endRound() {
    if summary.broughtSomething { renderer.summary(summary) }
    hadFailures = hasFailures
    isInRounds = true
    summary = Summary()
    summary.feeds = Summary.Feeds()
  }

  func finish() {
    summary.endsRounds = isInRounds
    renderer.summary(summary)
    renderer.close()
  }
}
