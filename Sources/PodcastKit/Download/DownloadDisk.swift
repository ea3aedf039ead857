import FoundationEssentials
import PodcastLibrary
import PodcastModel
import PodcastTransfer

/// The disk work of a download, between the attempts and at the end.
extension Download {
  /// The part file of the episode, locked, with the bytes that can be trusted.
  func open() async throws(DownloadStop) -> BodyWriter {
    guard await waitWhilePaused() else { throw .cancelled }
    let (context, plan, clock, flag) = (context, plan, context.clock, flag)
    while true {
      // The result of an early opening is used once.
      let opening = self.opening
      self.opening = nil
      let found: PreparedDownload.State
      if let ready = try await PreparedDownload.found(by: opening) {
        found = ready
      } else {
        found = try await onDisk { () throws(DiskError) in
          try PreparedDownload.open(plan, context, flag)
        }
      }
      switch found {
      case .taken:
        guard context.options.waitsForOthers else {
          throw .skipped(path: plan.path, .inProgressElsewhere)
        }
        // The other one may take long, and the next episode can use the slot.
        await leaveHosts()
        let isWanted = await wait { (try? await clock.sleep(for: .milliseconds(200))) != nil }
        guard isWanted else { throw .cancelled }
      case .settled(let local):
        throw .skipped(
          path: local.path, local.status == .removed ? .removed : .alreadyDownloaded)
      case .recovered(let file): throw .recovered(file)
      case .opened(let writer): return writer
      }
    }
  }

  /// Whether the file ends where a body did. If no length says so, the audio itself is read.
  func judgement(
    _ writer: BodyWriter, _ report: BodyWriter.Report
  ) async throws(DownloadStop) -> FileEnd.Judgement {
    let episode = plan.episode
    guard report.reachedEnd, let mark = report.mark, report.held != episode.enclosure.length,
      let part = writer.use({ $0.part })
    else { return .complete }
    let flag = flag
    let structure = try await onDisk { () throws(DiskError) in
      var bytes = PartBytes(part, length: report.held, flag: flag)
      return try AudioStructure.walk(&bytes)
    }
    return FileEnd(
      mark, length: report.held, structure: structure, announced: episode.enclosure.length,
      published: episode.duration
    ).judgement
  }

  /// Makes the bytes durable under their final name, in one piece of disk work.
  func finish(_ writer: BodyWriter) async throws(DownloadStop) -> DownloadEvent.Kind {
    guard machine.settle() else { throw .cancelled }
    // A failed sync reports its error only once, so it must have done so before.
    await checkpoint?.value
    let committer = context.committer
    let result: Result<FinishedFile, DownloadStop> = await withCheckedContinuation { continuation in
      context.disk.start {
        let finish = Result { () throws(DiskError) in
          try writer.use { partial throws(DiskError) in try partial.finish() }
        }
        switch finish {
        case .success(.ready(let order)?):
          committer.commit(order) { continuation.resume(returning: $0.mapError(DownloadStop.init)) }
        case .success(.notAudio(let kind)?):
          continuation.resume(returning: .failure(.failed(.notAudio(kind))))
        case .success(nil): continuation.resume(returning: .failure(.cancelled))
        case .failure(let error): continuation.resume(returning: .failure(DownloadStop(error)))
        }
      }
    }
    return .finished(try result.get())
  }

  /// Leaves an unfinished download in a state that a later run continues.
  func suspend(_ writer: BodyWriter, _ stop: DownloadStop) async -> DownloadEvent.Kind {
    await leaveHosts()
    await checkpoint?.value
    let now = context.now
    let failure = stop.error.flatMap { $0.isForGood ? $0 : nil }
    let (code, circumstance) = (stop.error?.code, stop.error?.circumstance)
    let received = await context.disk.perform {
      // A failure here does not change the result: a smaller durable length is safe.
      writer.use { partial in
        // Bytes of a body without an end are of no use, nor are those that no later request can
        // continue: they give their room back to the others.
        let isUseless = partial.held.total == nil && !writer.isContinuable
        if circumstance == .endless || code == .diskFull && isUseless {
          try? partial.cut(to: 0)
        }
        try? partial.suspend(failure, at: now())
        return partial.held.count
      }
    }
    return stop.terminalEvent(received: received ?? 0)
  }

  /// Runs file work on the disk's threads. A failure ends the download, except a lack of file
  /// descriptors, after which the work is repeated. So the work must be repeatable.
  func onDisk<Result: Sendable>(
    _ work: @escaping @Sendable () throws(DiskError) -> Result
  ) async throws(DownloadStop) -> Result {
    var patience = DownloadContext.descriptorPatience
    while true {
      do throws(DiskError) {
        return try await context.disk.run(work)
      } catch {
        if error.isCancelled { throw .cancelled }
        guard error.isShortOfDescriptors else { throw .failed(error.podgetError) }
        guard try await waitForDescriptors(&patience) else { throw .failed(error.podgetError) }
      }
    }
  }

  /// Waits a moment for another download to end and close its file descriptors.
  ///
  /// - Parameter patience: how often this may be done while every other download waits for one too.
  /// - Returns: false when there is nothing to wait for.
  func waitForDescriptors(_ patience: inout Int) async throws(DownloadStop) -> Bool {
    let (gate, clock) = (context.gate, context.clock)
    if await !gate.beginShortage() { patience -= 1 }
    guard patience > 0 else {
      await gate.endShortage()
      return false
    }
    let isWanted = await wait { (try? await clock.sleep(for: .milliseconds(200))) != nil }
    await gate.endShortage()
    guard isWanted else { throw .cancelled }
    return true
  }
}
