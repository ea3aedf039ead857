import PodcastKit

/// Passes on what the user wants to whatever runs at the moment: first the reading of standard input,
/// then the downloads.
///
/// Nothing here cancels the task that consumes events: the last ones tell how everything ended.
actor Steering {
  /// Cancels the reading of standard input.
  private var cancelReading: (@Sendable () -> Void)?
  private var run: DownloadRun?
  private var isPaused = false
  private var isStopped = false

  /// Reads the sources; those that were read are of no use when it was stopped meanwhile.
  func read(
    _ body: @escaping @Sendable () async throws(PodgetError) -> [String]?
  ) async throws(PodgetError) -> [String]? {
    guard !isStopped else { return [] }
    let task = Task { () async -> Result<[String]?, PodgetError> in
      do throws(PodgetError) { return .success(try await body()) } catch { return .failure(error) }
    }
    cancelReading = { task.cancel() }
    defer { cancelReading = nil }
    let sources = try await task.value.get()
    return isStopped ? [] : sources
  }

  /// Steers a run from now on.
  func steer(_ run: DownloadRun) async {
    self.run = run
    if isPaused { await run.pause() }
    if isStopped { await run.cancel() }
  }

  /// Pauses what runs, or lets it go on.
  func toggle() async {
    isPaused.toggle()
    if isPaused { await run?.pause() } else { await run?.resume() }
  }

  /// Ends everything, and keeps what arrived.
  func stop() async {
    isStopped = true
    cancelReading?()
    await run?.cancel()
  }
}
