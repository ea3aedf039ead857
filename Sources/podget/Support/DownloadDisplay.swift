import PodcastKit

/// Owns the renderer and the totals: whatever happens, from whichever task, is shown one at a time.
actor DownloadDisplay {
  /// How a run ended.
  struct Result: Sendable {
    var summary = Summary()
    /// The status that a signal or `q` asks for; nil when nobody interrupted.
    var interruptedWith: Int32?
    /// Whether an episode was left to another podget, which the contract calls a failure.
    var leftToOthers = false
    /// Whether events could not be written, on a full disk for example.
    var hasLostOutput = false
  }

  private var renderer: any Renderer
  private(set) var result = Result()

  /// Makes a display; the closure makes the renderer here, since a renderer belongs to one owner.
  init(_ makeRenderer: @Sendable () -> any Renderer) {
    renderer = makeRenderer()
  }

  func show(_ event: RunEvent) {
    switch event {
    case .listing(let podcast, let episodes): renderer.listing(podcast, episodes: episodes)
    case .note(let sentence): renderer.note(sentence)
    case .sourceFailed(let source, let error):
      result.summary.countFailedSource()
      renderer.sourceFailed(source, error)
    case .episode(let event):
      result.summary.count(event)
      if case .skipped(_, .inProgressElsewhere) = event.kind { result.leftToOthers = true }
      renderer.show(event)
    }
  }

  func tick() { renderer.tick() }

  func interrupt(status: Int32) {
    result.interruptedWith = result.interruptedWith ?? status
  }

  func suspend() { renderer.suspend() }

  func continueDrawing() { renderer.continueDrawing() }

  func finish() {
    renderer.summary(result.summary)
    renderer.close()
    result.hasLostOutput = renderer.hasLostOutput
  }
}
