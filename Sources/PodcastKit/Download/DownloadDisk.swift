import FoundationEssentials
import PodcastLibrary
import PodcastModel
import PodcastTransfer

/// The disk work of a download, between the attempts and at the end.
extension Download {
  /// The part file of the episode, locked, with the bytes that can be trusted.
  func open() async throws(DownloadStop) -> BodyWriter {
    let (context, plan, flag) = (context, plan, flag)
    var delay = Self.shortestLook
    while true {
      try await waitWhilePaused()
      let opening = try await onDisk { () throws(DiskError) in
        try Self.open(plan, context, flag)
      }
      if let writer = try opening.get() { return writer }
      guard context.options.waitsForOthers else {
        throw .skipped(path: plan.path, .inProgressElsewhere)
      }
      // The other one may take long.
      try await sleep(for: delay)
      delay = min(delay * 2, Self.longestLook)
    }
  }

  /// Opens the part file of an episode; it blocks on the disk. Nil if another download has the
  /// episode, in this process or another.
  private static func open(
    _ plan: DownloadPlan, _ context: DownloadContext, _ flag: CancelFlag
  ) throws(DiskError) -> Result<BodyWriter?, DownloadStop> {
    let opening = try PartialDownload.open(
      plan, in: context.library, context.partials, context.committer,
      isForced: context.options.isForced,
      computesChecksum: context.options.computesChecksums, flag: flag)
    switch consume opening {
    case .taken: return .success(nil)
    case .settled(let local):
      let reason: SkipReason = local.status == .removed ? .removed : .alreadyDownloaded
      return .failure(.skipped(path: local.path, reason))
    case .recovered(let file): return .failure(.recovered(file))
    case .opened(let partial):
      return .success(
        BodyWriter(
          partial, resumesByOverlap: context.options.resumesByOverlap,
          longestUnknownLength: context.options.longestUnknownLength, disk: context.disk,
          blocks: context.blocks))
    }
  }

  /// How soon, and at the latest when, to look again whether another podget is done with an episode.
  private static var shortestLook: Duration { .milliseconds(100) }
  private static var longestLook: Duration { .seconds(1) }

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
  func suspend(_ writer: BodyWriter, _ stop: DownloadStop) async -> DownloadEvent.Kind? {
    await context.gate.settle(plan.key)
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
  /// descriptors: others close theirs as they end, so the work is repeated for a while. So it must be
  /// repeatable.
  func onDisk<Result: Sendable>(
    _ work: @escaping @Sendable () throws(DiskError) -> Result
  ) async throws(DownloadStop) -> Result {
    for _ in 0..<25 {
      do throws(DiskError) {
        return try await context.disk.run(work)
      } catch {
        if error.isCancelled { throw .cancelled }
        guard error.isShortOfDescriptors else { throw .failed(error.podgetError) }
        try await sleep(for: .milliseconds(200))
      }
    }
    do throws(DiskError) {
      return try await context.disk.run(work)
    } catch {
      throw DownloadStop(error)
    }
  }
}
