import FoundationEssentials
import PodcastLibrary
import PodcastModel
import PodcastTransfer

/// The disk work of a download, between the attempts and at the end.
extension Download {
  /// What was found when a download opened its part file.
  enum Opening: Sendable {
    case opened(BodyWriter)
    /// Nothing is left to do: the library has the episode, or an earlier process received all bytes
    /// and was killed before it could report it.
    case settled(DownloadEvent.Kind)
  }

  /// The part file of the episode, locked, with the bytes that can be trusted.
  func open() async throws(Interruption) -> Opening {
    let (context, plan, flag) = (context, plan, flag)
    var delay = Self.shortestLook
    while true {
      try await waitWhilePaused()
      let opening = try await onDisk { () throws(DiskError) in
        try Self.open(plan, context, flag)
      }
      if let opening { return opening }
      guard context.options.waitsForOthers else {
        return .settled(.skipped(path: plan.path, reason: .inProgressElsewhere))
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
  ) throws(DiskError) -> Opening? {
    let opening = try PartialDownload.open(
      plan, in: context.library, context.partials, context.committer,
      isForced: context.options.isForced,
      computesChecksum: context.options.computesChecksums, flag: flag)
    switch consume opening {
    case .taken: return nil
    case .settled(let local):
      let reason: SkipReason = local.status == .removed ? .removed : .alreadyDownloaded
      return .settled(.skipped(path: local.path, reason: reason))
    case .recovered(let file): return .settled(.finished(file))
    case .opened(let partial):
      return .opened(
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
  ) async throws(Interruption) -> FileEnd.Judgement {
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

  /// Makes the bytes durable under their final name: in one piece of disk work, unless they get tags
  /// before that.
  func finish(_ writer: BodyWriter) async throws(Interruption) -> DownloadEvent.Kind {
    let tagging = await tagging(writer)
    if tagging != nil { try await waitWhilePaused() }
    guard machine.settle() else { throw .user(.cancelled) }
    // A failed sync reports its error only once, so it must have done so before.
    await checkpoint?.value
    let committer = context.committer
    guard let (tags, request) = tagging else {
      return .finished(
        try await committed { completion in
          switch Self.order(of: writer) {
          case .success(let order): committer.commit(order, completion)
          case .failure(let interruption): return interruption
          }
          return nil
        })
    }
    let ready = await context.disk.perform { Self.order(of: writer) }
    let order = await tags.tagged(try ready.get(), request, flag)
    if flag.isSet {
      order.tagged?.end()
      throw .user(.cancelled)
    }
    return .finished(
      try await committed { completion in
        committer.commit(order, completion)
        return nil
      })
  }

  /// Begins a commit on the disk's threads, and waits for it.
  ///
  /// - Parameter commit: returns what happened instead, if it does not call its argument.
  private func committed(
    _ commit:
      @escaping @Sendable (@escaping @Sendable (Result<FinishedFile, DiskError>) -> Void)
      -> Interruption?
  ) async throws(Interruption) -> FinishedFile {
    let result: Result<FinishedFile, Interruption> = await withCheckedContinuation { continuation in
      context.disk.start {
        if let interruption = commit({
          continuation.resume(returning: $0.mapError(Interruption.init))
        }) {
          continuation.resume(returning: .failure(interruption))
        }
      }
    }
    return try result.get()
  }

  /// What a finished file waits for; it blocks on the disk.
  private static func order(
    of writer: BodyWriter
  ) -> Result<Committer.Order, Interruption> {
    let finish = Result { () throws(DiskError) in
      try writer.use { partial throws(DiskError) in try partial.finish() }
    }
    return switch finish {
    case .success(.ready(let order)?): .success(order)
    case .success(.notAudio(let kind)?):
      .failure(.server(.notAudio(kind), isTransient: false))
    case .success(.mismatch(let algorithm)?):
      .failure(.server(.mismatch(algorithm), isTransient: false))
    case .success(nil): .failure(.user(.cancelled))
    case .failure(let error): .failure(Interruption(error))
    }
  }

  /// What writes tags, and which ones; nil if the file gets none. While feeds' servers are asked, the
  /// user can still pause and cancel.
  private func tagging(_ writer: BodyWriter) async -> (DownloadTags, TagRequest)? {
    guard let tags = context.tags, tags.wants(plan) else { return nil }
    let part = writer.use { $0.part }
    return (tags, await tags.request(for: plan, part, flag))
  }

  /// Leaves an unfinished download in a state that a later run continues.
  ///
  /// - Returns: the terminal event; nil if it is to start again later.
  func suspend(_ writer: BodyWriter?, _ interruption: Interruption) async -> DownloadEvent.Kind? {
    await context.gate.settle(plan.key)
    await checkpoint?.value
    let (now, partials, key) = (context.now, context.partials, plan.key)
    let error = interruption.error
    let received = await context.disk.perform {
      // A failure here does not change the result: a smaller durable length is safe.
      writer?.use { partial in
        // Bytes of a body without an end are of no use, nor are those that no later request can
        // continue: they give their room back to the others. So are those of another file.
        let isUseless = partial.held.total == nil && writer?.isContinuable == false
        let isOther = error?.circumstance == .endless || error?.circumstance == .mismatch
        if isOther || error?.code == .diskFull && isUseless {
          try? partial.cut(to: 0)
        }
        try? partial.suspend(error.flatMap { $0.isForGood ? $0 : nil }, at: now())
        return partial.held.count
      } ?? partials.partSize(key) ?? 0
    }
    if let error { return .failed(error) }
    return machine.isPutBack && !machine.isCancelled ? nil : .cancelled(received: received)
  }

  /// Runs file work on the disk's threads. A failure ends the download, except a lack of file
  /// descriptors: others close theirs as they end, so the work is repeated for a while. So it must be
  /// repeatable.
  func onDisk<Result: Sendable>(
    _ work: @escaping @Sendable () throws(DiskError) -> Result
  ) async throws(Interruption) -> Result {
    var looks = 25
    while true {
      do throws(DiskError) {
        return try await context.disk.run(work)
      } catch {
        guard error.isShortOfDescriptors, looks > 0 else { throw Interruption(error) }
        looks -= 1
        try await sleep(for: .milliseconds(200))
      }
    }
  }
}
