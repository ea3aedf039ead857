import PodcastKit

/// Owns the renderer and the totals: events of any task are shown one at a time.
actor DownloadDisplay: SessionDisplay, RunDisplay {
  private var renderer: any Renderer
  private var rounds: RoundSummaries
  private let checksFeeds: Bool
  /// Whether an episode was skipped for another podget, which the contract calls a failure; or for
  /// later, although a person asked for it.
  private var leftSomething = false
  /// Whether anything failed in a round that has ended.
  private var hadFailures = false
  /// Whether the work consists of rounds.
  private var isInRounds = false
  /// Whether the run could not work at all.
  private(set) var couldNotWork = false
  /// Whether an earlier renderer could not write everything.
  private var hasLostOutput = false

  /// Creates a display; the closure creates the renderer here, because a renderer belongs to one
  /// owner.
  ///
  /// - Parameter checksFeeds: whether the run checks feeds, which the summary then counts.
  init(checksFeeds: Bool = false, _ makeRenderer: @Sendable () -> any Renderer) {
    self.checksFeeds = checksFeeds
    renderer = makeRenderer()
    rounds = RoundSummaries(checksFeeds: checksFeeds)
  }

  /// Shows everything with another renderer from now on; the closure creates it here.
  func use(_ makeRenderer: @Sendable () -> any Renderer) {
    renderer.close()
    hasLostOutput = hasLostOutput || renderer.hasLostOutput
    renderer = makeRenderer()
  }

  /// Shows and counts an event.
  ///
  /// - Returns: the round it belongs to, if it ends an episode, or the checks of a round.
  @discardableResult
  func show(_ event: RunEvent) -> RoundSummaries.Place? {
    switch event {
    case .listing(let podcast, let episodes): renderer.listing(podcast, episodes: episodes)
    case .note(let sentence): renderer.note(sentence)
    case .removed(let episode): renderer.removed(episode)
    case .belonging(let event): renderer.belonging(event)
    case .sourceFailed(let source, let error): show(source, error)
    case .checking(let done, let total): renderer.checking(done, of: total)
    case .checked(let check):
      rounds.count(check)
      renderer.checked(check)
    case .feedFailed(let name, let podcast, let error):
      rounds.countFailedSource()
      renderer.feedFailed(name, podcast, error)
    // Commands follow it; what people read of it is another event.
    case .feedChanged: break
    case .feedStillFails:
      hadFailures = true
      rounds.countStillFailing()
    case .roundChecked:
      isInRounds = true
      renderer.feedsChecked()
      return rounds.endChecks()
    case .episode(let event):
      let place = rounds.count(event)
      if case .skipped(_, let reason) = event.kind,
        reason == .inProgressElsewhere || reason.isPostponed && !checksFeeds
      {
        leftSomething = true
      }
      if case .failed(let error) = event.kind, error.code == .diskFull { couldNotWork = true }
      renderer.show(event)
      return place
    }
    return nil
  }

  /// Shows and counts that a source could not be read, or that a command failed.
  ///
  /// - Parameter round: the round that it belongs to; nil for the current one.
  func show(_ source: String, _ error: PodgetError, in round: Int? = nil) {
    rounds.countFailedSource(in: round)
    switch error.code {
    // A name that nothing has, and a command of the user: the rest went well.
    case .notFound, .command: break
    default: couldNotWork = true
    }
    renderer.sourceFailed(source, error)
  }

  func tick() { renderer.tick() }

  func suspend() { renderer.suspend() }

  func continueDrawing() { renderer.continueDrawing() }

  /// Whether anything failed, once the run is finished. Output that could not be written, for
  /// example on a full disk, is a failure too.
  var hasFailures: Bool {
    hadFailures || rounds.failed > 0 || leftSomething || hasLostOutput || renderer.hasLostOutput
  }

  /// Ends a round: it has a summary of its own if it brought something.
  func end(_ round: Int) { end(rounds.take(round)) }

  /// Ends all rounds that are left: another run follows.
  func endRounds() { end(rounds.takeAll()) }

  private func end(_ summary: Summary) {
    if summary.broughtSomething { renderer.summary(summary) }
    hadFailures = hadFailures || summary.failed > 0
  }

  func finish() {
    var summary = rounds.takeAll()
    hadFailures = hadFailures || summary.failed > 0
    summary.endsRounds = isInRounds
    renderer.summary(summary)
    renderer.close()
  }
}
