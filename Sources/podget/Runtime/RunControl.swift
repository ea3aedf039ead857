import PodcastKit

/// Passes on the user's commands to the running work: first the reading of standard input, then the
/// downloads.
///
/// Nothing here cancels the task that consumes events: the last events report how everything ended.
actor RunControl {
  /// Cancels the reading of standard input.
  private var cancelReading: (@Sendable () -> Void)?
  private var run: DownloadRun?
  private var isPaused = false
  private(set) var isStopped = false
  /// Whether the next wait is over at once.
  private var isWoken = false
  /// Ends the wait for the next round.
  private var endWait: (@Sendable () -> Void)?

  /// Reads the sources, or what belongs to them; the result is not used if the reading was cancelled
  /// in the meantime.
  func read(
    _ body: @escaping @Sendable () async throws(PodgetError) -> [String]?
  ) async throws(PodgetError) -> [String]? {
    guard !isStopped else { return [] }
    let task = Task { () async -> Result<[String]?, PodgetError> in
      do throws(PodgetError) { return .success(try await body()) } catch { return .failure(error) }
    }
    cancelReading = { task.cancel() }
    defer { cancelReading = nil }
    let result = await task.value
    return isStopped ? [] : try result.get()
  }

  /// Controls a run from now on.
  func attach(_ run: DownloadRun) async {
    self.run = run
    if isPaused { await run.pause() }
    if isStopped { await run.cancel() }
  }

  /// Pauses or resumes the running work.
  func toggle() async {
    isPaused.toggle()
    if isPaused { await run?.pause() } else { await run?.resume() }
  }

  /// Waits between two rounds; ``stop()`` and ``wake()`` end the wait.
  func wait(_ duration: Duration) async {
    defer { isWoken = false }
    guard !isStopped, !isWoken else { return }
    let sleep = Task { _ = try? await Task.sleep(for: duration) }
    endWait = { sleep.cancel() }
    await sleep.value
    endWait = nil
  }

  /// Begins the next round now.
  func wake() {
    isWoken = true
    endWait?()
  }

  /// Ends everything, and keeps the received bytes.
  func stop() async {
    isStopped = true
    cancelReading?()
    endWait?()
    await run?.cancel()
  }
}
