import PodcastKit

/// Passes on what the user wants to whatever runs at the moment: first the planning, then the
/// downloads.
///
/// Nothing here cancels the task that consumes events: the last ones tell how everything ended.
actor Steering {
  /// Cancels what runs before the downloads.
  private var cancelWork: (@Sendable () -> Void)?
  private var downloader: Downloader?
  private var isPaused = false
  private var isStopped = false

  /// Runs the planning; empty when it was stopped.
  func plan(_ body: @escaping @Sendable () async -> [DownloadPlan]) async -> [DownloadPlan] {
    let plans = await work(body) ?? []
    return isStopped ? [] : plans
  }

  /// Runs work that blocks; nil when it was stopped.
  func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result? {
    await work { await BlockingWork.run(body) } ?? nil
  }

  private func work<Result: Sendable>(
    _ body: @escaping @Sendable () async -> Result
  ) async -> Result? {
    guard !isStopped else { return nil }
    let task = Task { await body() }
    cancelWork = { task.cancel() }
    let result = await task.value
    cancelWork = nil
    return result
  }

  /// Steers the downloads from now on.
  func steer(_ downloader: Downloader) async {
    self.downloader = downloader
    if isPaused { await downloader.pause() }
    if isStopped { await downloader.cancel() }
  }

  /// Pauses what runs, or lets it go on.
  func toggle() async {
    isPaused.toggle()
    if isPaused { await downloader?.pause() } else { await downloader?.resume() }
  }

  /// Ends everything, and keeps what arrived.
  func stop() async {
    isStopped = true
    cancelWork?()
    await downloader?.cancel()
  }
}
