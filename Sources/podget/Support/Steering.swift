import PodcastKit

/// Passes on what the user wants to whatever runs at the moment: first the planning, then the
/// downloads.
///
/// Nothing here cancels the task that consumes events: the last ones tell how everything ended.
actor Steering {
  private var planning: Task<[DownloadPlan], Never>?
  private var downloader: Downloader?
  private var isPaused = false
  private var isStopped = false

  /// Runs the planning; empty when it was stopped.
  func plan(_ body: @escaping @Sendable () async -> [DownloadPlan]) async -> [DownloadPlan] {
    guard !isStopped else { return [] }
    let task = Task { await body() }
    planning = task
    let plans = await task.value
    planning = nil
    return isStopped ? [] : plans
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
    planning?.cancel()
    await downloader?.cancel()
  }
}
