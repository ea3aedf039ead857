import FoundationEssentials
import Glibc

/// The attempts of a download, from the locked part file to the finished one.
extension Download {
  /// Whether the next request may ask for a range.
  private enum RangeUse {
    case wanted
    /// Not this once: the answer to the last one could not be combined with what is held.
    case notNow
    /// Not any more: the server has shown that every request gets another file.
    case never
  }

  /// What carries over from one attempt to the next.
  private struct Course {
    var url: String
    var writer: PartWriter
    var keeper: RecordKeeper
    var part: PartFile
    var hasher: ContentHasher?
    /// Attempts since the last one that brought enough.
    var attempt = 1
    var attempts = 0
    /// The host of the last request; not the address's where that redirects.
    var host = ""
    var rangeUse = RangeUse.wanted
    var restarts = 0
    var wasRefreshed = false
    var wasAskedAnew = false
  }

  /// Makes attempts until one ends it all; the result is the terminal event.
  func attemptAll() async -> DownloadEvent.Kind {
    do throws(DownloadStop) {
      var course = try await begin()
      do throws(DownloadStop) {
        try await transfer(&course)
        return try await settle(course)
      } catch {
        return await leave(course, error)
      }
    } catch {
      return error.terminalEvent(received: 0)
    }
  }

  /// Locks the part file and finds out what of it can be trusted.
  private func begin() async throws(DownloadStop) -> Course {
    guard await waitWhilePaused() else { throw .cancelled }
    while true {
      if let course = try await beginOnce() { return course }
      // The other process has renamed its file and is writing the record.
      guard context.options.waitsForOthers else {
        throw .skipped(path: plan.path, .inProgressElsewhere)
      }
      try await waitForOthers()
    }
  }

  /// Nil when another process is just finishing the episode.
  private func beginOnce() async throws(DownloadStop) -> Course? {
    let part = try await lockPart()
    let (partials, plan) = (context.partials, plan)
    let record = try await onDisk { () throws(DiskError) -> PartialRecord in
      if let record = partials.read(plan.key) { return record }
      // Another run may have finished it, and its record with it, since it was planned.
      let record = PartialRecord(plan)
      try partials.write(record, synced: false)
      return record
    }
    if !context.options.isForced, record.replaces == nil,
      let local = await finishedElsewhere(), local.status == .complete
    {
      part.remove()
      context.partials.removeRecord(plan.key)
      throw .skipped(path: local.path, .alreadyDownloaded)
    }
    let committer = context.committer
    switch try await onDisk({ () throws(DiskError) in
      try committer.recover(record, plan: plan, part: part)
    }) {
    case .nothing: break
    case .finished(let file): throw .recovered(file)
    case .busy:
      part.remove()
      return nil
    }
    let trusted = try await onDisk { () throws(DiskError) in
      try Self.trustedBytes(of: part, record: record)
    }
    let hasher =
      context.options.computesChecksums
      ? ContentHasher(part: part, pool: context.pool, queue: context.hashing) : nil
    let keeper = RecordKeeper(record, in: context.partials)
    try await onDisk { () throws(DiskError) in
      // What survived the last run of the machine is durable; what follows belongs to this run.
      try keeper.update(synced: true) { record in
        guard record.state != nil, record.state?.bootID != PartialFolder.bootID else {
          return false
        }
        record.state?.bootID = PartialFolder.bootID
        return true
      }
    }
    let writer = PartWriter(
      part: part, keeper: keeper, held: trusted, hasher: hasher, pool: context.pool,
      disk: context.disk, send: send)
    return Course(
      url: plan.episode.enclosure.url, writer: writer, keeper: keeper, part: part, hasher: hasher)
  }

  /// Waits for the lock where that is wanted.
  private func lockPart() async throws(DownloadStop) -> PartFile {
    while true {
      let (partials, key) = (context.partials, plan.key)
      if let part = try await onDisk({ () throws(DiskError) in try partials.openPart(key) }) {
        return part
      }
      guard context.options.waitsForOthers else {
        throw .skipped(path: plan.path, .inProgressElsewhere)
      }
      try await waitForOthers()
    }
  }

  private func waitForOthers() async throws(DownloadStop) {
    let clock = context.clock
    let isWanted = await wait { (try? await clock.sleep(for: .milliseconds(200))) != nil }
    guard isWanted else { throw .cancelled }
  }

  /// Whether the episode came to be on record since it was planned.
  private func finishedElsewhere() async -> LocalEpisode? {
    let (library, plan) = (context.library, plan)
    return try? await context.disk.run {
      library.recorded(plan)
    }
  }

  private static func trustedBytes(
    of part: PartFile, record: PartialRecord
  ) throws(DiskError) -> HeldBytes {
    let size = try part.size()
    guard size > 0, let state = record.state, try part.inode() == state.inode else {
      if size > 0 { try part.truncate(to: 0) }
      return HeldBytes()
    }
    // After a power cut a file's size tells nothing about its content.
    let isSameRun = state.bootID != nil && state.bootID == PartialFolder.bootID
    var count = isSameRun ? size : min(size, state.durableLength)
    if let total = state.total { count = min(count, total) }
    if count < size { try part.truncate(to: count) }
    return HeldBytes(count: count, total: state.total, validator: state.validator)
  }

  // MARK: Attempts

  private func transfer(_ course: inout Course) async throws(DownloadStop) {
    let held = course.writer.held
    // Cut off between the last byte and the final name: nothing is left to ask for.
    let isAll = held.count > 0 && held.count == held.total
    send(.started(resumedFrom: isAll || canContinue(course) ? held.count : 0))
    if isAll { return }
    while true {
      guard await waitWhilePaused() else { throw .cancelled }
      course.attempts += 1
      let (end, report) = try await attempt(&course)
      switch machine.end() {
      case .stop: throw .cancelled
      case .wait where report.reachedEnd:
        guard await waitWhilePaused() else { throw .cancelled }
      case .wait: continue
      case .judge: break
      }
      if report.reachedEnd {
        if try await endsAsAudio(course, report) { return }
        let error = PodgetError(
          .incomplete,
          "The server does not say how long the episode is, and it does not end as audio does.")
        try await retry(&course, end, report, error, isTransient: true)
        continue
      }
      if report.refusal == .alreadyComplete { return }
      try await goOn(&course, end, report)
    }
  }

  private func canContinue(_ course: Course) -> Bool {
    course.rangeUse == .wanted && Self.canContinue(course.writer.held, context.options)
  }

  private static func canContinue(_ held: HeldBytes, _ options: DownloadOptions) -> Bool {
    guard held.count > 0 else { return false }
    return held.validator.ifRange != nil || (options.resumesByOverlap && held.total != nil)
  }

  /// One attempt: the original address and whatever it redirects to.
  private func attempt(
    _ course: inout Course
  ) async throws(DownloadStop) -> (TransferEnd, PartWriter.Report) {
    let held = course.writer.held
    let continues = canContinue(course)
    if held.count > 0, !continues, course.rangeUse == .wanted { send(.restarted(.noValidator)) }
    if course.rangeUse == .notNow { course.rangeUse = .wanted }
    var fields = [HTTPField("Accept-Encoding", "identity")]
    let start = continues ? held.count - min(held.count, DownloadContext.overlap) : nil
    if continues, let ifRange = held.validator.ifRange {
      fields.append(HTTPField("If-Range", ifRange))
    }
    var request = HTTPRequest(
      url: WebAddress.forRequest(course.url), headers: fields, rangeStart: start)
    var hops = 0
    while true {
      guard let address = WebAddress(request.url), address.isHTTP else {
        throw .failed(PodgetError(.network, "The episode's address is not a web address."))
      }
      let host = address.origin
      course.host = host
      try await pass(host)
      let control = TransferControl()
      self.control = control
      machine.begin()
      if machine.isPaused { control.hold() }
      if machine.isCancelled { control.abort() }
      canLetGo = { [writer = course.writer, options = context.options] in
        Self.canContinue(writer.held, options)
      }
      course.writer.begin(
        rangeStart: start, announcedRestart: held.count > 0 && !continues)
      let end = await context.transport.perform(
        request, receiver: course.writer, control: control)
      self.control = nil
      await context.gate.giveBack(host)
      if let target = end.redirect, end.cause == .complete {
        hops += 1
        try checkRedirect(from: address, to: target, hops)
        request.url = target
        continue
      }
      if hops > 0, let status = end.head?.status, [401, 403, 404, 410].contains(status),
        !course.wasAskedAnew, !machine.isCancelled
      {
        // A signed address may have expired; the original one makes a new one.
        course.wasAskedAnew = true
        request.url = WebAddress.forRequest(course.url)
        hops = 0
        continue
      }
      let writer = course.writer
      let isComplete = end.cause == .complete
      let report = try await onDisk { () throws(DiskError) in writer.end(isComplete: isComplete) }
      return (end, report)
    }
  }

  /// Waits for the host's slot, and until the host wants to be asked.
  private func pass(_ host: String) async throws(DownloadStop) {
    if hasSlot {
      hasSlot = false
      return
    }
    let (gate, clock) = (context.gate, context.clock)
    let isThrough = await wait {
      while let left = await gate.opening(of: host) {
        guard (try? await clock.sleep(for: left)) != nil else { return false }
      }
      return await gate.wait(for: host)
    }
    guard isThrough else { throw .cancelled }
    if machine.isCancelled {
      await gate.giveBack(host)
      throw .cancelled
    }
  }

  private func checkRedirect(
    from source: WebAddress, to target: String, _ hops: Int
  ) throws(DownloadStop) {
    guard hops <= DownloadContext.redirectLimit else {
      throw .failed(.redirect("The server redirects more than ten times."))
    }
    guard let address = WebAddress(target), address.isHTTP else {
      let scheme = target.prefix { $0 != ":" }
      throw .failed(.redirect("The server redirects to \(scheme), which podget does not follow."))
    }
    guard
      source.scheme != "https" || address.scheme == "https"
        || context.options.allowsInsecureRedirects
    else {
      throw .failed(
        .redirect(
          "The server redirects from https to plain http at \(address.host); "
            + "--allow-insecure-redirects permits it."))
    }
  }

  // MARK: After an attempt

  /// Decides what an attempt without an end means: another one, after what delay, or none.
  private func goOn(
    _ course: inout Course, _ end: TransferEnd, _ report: PartWriter.Report
  ) async throws(DownloadStop) {
    switch report.refusal {
    case .restart(let reason):
      course.restarts += 1
      guard course.restarts <= 4 else {
        throw .failed(
          PodgetError(.rangeProtocol, "The server contradicts itself about ranges; try later."))
      }
      // Twice is enough: this host makes a new file for each request. What is held is compared with
      // the whole in place then, so nothing is lost before the new version has shown itself.
      course.rangeUse = course.restarts < 2 ? .notNow : .never
      send(.restarted(reason))
    case .disk(let error): throw .failed(error.podgetError)
    case .failed(let error, let isTransient):
      try await retry(&course, end, report, error, isTransient: isTransient)
    case nil, .alreadyComplete:
      if end.cause == .complete, report.gained > 0 { return }
      let (error, isTransient) = Self.failure(of: end)
      try await retry(&course, end, report, error, isTransient: isTransient)
    }
  }

  private func retry(
    _ course: inout Course, _ end: TransferEnd, _ report: PartWriter.Report,
    _ error: PodgetError, isTransient: Bool
  ) async throws(DownloadStop) {
    if !isTransient {
      guard try await refresh(&course, after: error) else { throw .failed(error) }
      return
    }
    let isProgress =
      report.gained >= 1 << 20 || report.total.map { report.gained * 20 >= $0 } ?? false
    if isProgress, report.gained > 0 { course.attempt = 1 }
    guard course.attempt <= context.options.retries.retries,
      course.attempts < DownloadContext.attemptLimit
    else { throw .failed(error) }
    course.attempt += 1
    var generator = SystemRandomNumberGenerator()
    var delay = context.options.retries.delay(beforeAttempt: course.attempt, using: &generator)
    if let field = end.head?.first("Retry-After"), (end.head?.status ?? 0) >= 400,
      let asked = RetryPolicy.retryAfter(field, now: context.now())
    {
      guard asked <= RetryPolicy.longestRetryAfter else {
        let moment = context.now().addingTimeInterval(min(asked.inSeconds, 1e10)).timestamp
        throw .failed(
          PodgetError(
            .httpStatus, "The server wants to be left alone until \(moment); try again then.",
            httpStatus: error.httpStatus))
      }
      delay = max(delay, asked)
      await context.gate.close(course.host, for: asked)
    }
    send(.retrying(attempt: course.attempt, delay: delay, reason: error.code))
    let clock = context.clock
    let pause = delay
    guard await wait({ (try? await clock.sleep(for: pause)) != nil }) else { throw .cancelled }
  }

  /// Where an address is refused, the directory may know a better one.
  private func refresh(
    _ course: inout Course, after error: PodgetError
  ) async throws(DownloadStop) -> Bool {
    guard let refresh = context.refresh, !course.wasRefreshed,
      let status = error.httpStatus, [401, 403, 404, 410].contains(status)
    else { return false }
    course.wasRefreshed = true
    guard let url = await refresh(plan), url != course.url else { return false }
    course.url = url
    let keeper = course.keeper
    try await onDisk { () throws(DiskError) in
      try keeper.update(synced: true) { record in
        record.episode.url = url
        return true
      }
    }
    return true
  }

  private static func failure(of end: TransferEnd) -> (PodgetError, isTransient: Bool) {
    switch end.cause {
    case .complete, .refused, .aborted:
      (PodgetError(.incomplete, "The server ends the episode before its end."), true)
    case .stalled:
      (PodgetError(.timeout, "The server stopped sending; podget resume continues it."), true)
    case .network(let detail):
      (PodgetError(.network, "The connection failed: \(detail)."), true)
    case .handshake(let detail):
      (PodgetError(.tls, "No secure connection came about: \(detail)."), true)
    case .tls(let detail):
      (
        PodgetError(
          .tls, "The server's certificate is not trusted: \(detail); --cacert names another list."),
        false
      )
    case .unusable(let detail):
      (PodgetError(.network, "The request cannot be made: \(detail)."), false)
    }
  }

  // MARK: The end

  /// Where only the closing of the connection told the end, the audio itself must show it.
  private func endsAsAudio(
    _ course: Course, _ report: PartWriter.Report
  ) async throws(DownloadStop) -> Bool {
    guard report.isUnverified, report.held != plan.episode.enclosure.length else { return true }
    let (part, length) = (course.part, report.held)
    let isWhole = try await onDisk { () throws(DiskError) in
      try MPEGFrames.isWhole(length: length) { offset, count throws(DiskError) in
        try part.bytes(count, at: offset)
      }
    }
    return isWhole == true
  }

  /// Makes the bytes durable under their final name.
  private func settle(_ course: Course) async throws(DownloadStop) -> DownloadEvent.Kind {
    guard machine.settle() else { throw .cancelled }
    let (part, plan, keeper) = (course.part, plan, course.keeper)
    let total = course.writer.held.count
    let settled = try await onDisk { () throws(DiskError) -> FileCheck.Verdict in
      let verdict = FileCheck.verdict(
        start: try part.bytes(FileCheck.windowSize, at: 0), isWhole: true)
      if case .text = verdict {
        // Nothing of this can ever become an episode.
        part.remove()
        return verdict
      }
      try part.truncate(to: total)
      if let date = plan.episode.date {
        try part.setModificationTime(date.timeIntervalSince1970)
      }
      if keeper.current.state?.total != total {
        try keeper.update(synced: false) { record in
          record.state?.total = total
          return true
        }
      }
      if keeper.hasFailedSync { throw DiskError(EIO, "sync", part.name) }
      try keeper.syncing { () throws(DiskError) in try part.synchronize() }
      return verdict
    }
    let fileExtension: String
    switch settled {
    case .text(let kind): throw .failed(.notAudio(kind))
    case .media(let found):
      fileExtension = FileCheck.fileExtension(found: found, announced: plan.announcedExtension)
    case .unknown, .tooShort: fileExtension = plan.announcedExtension
    }
    var sha256: String?
    if let hasher = course.hasher {
      sha256 = await hasher.finish(total: total)
      guard sha256 != nil else {
        throw .failed(PodgetError(.disk, "What was written could not be read back."))
      }
    }
    do throws(DiskError) {
      let file = try await context.committer.commit(
        Committer.Order(
          plan: plan, part: part, keeper: keeper, fileExtension: fileExtension, bytes: total,
          sha256: sha256,
          replaces: keeper.current.replaces))
      return .finished(file)
    } catch {
      throw .failed(error.podgetError)
    }
  }

  /// Leaves a download that did not finish in a state that a later run continues.
  private func leave(_ course: Course, _ stop: DownloadStop) async -> DownloadEvent.Kind {
    let (writer, part, keeper) = (course.writer, course.part, course.keeper)
    let failure = stop.error.flatMap { $0.isForGood ? $0.code : nil }
    // A failure here changes nothing about the outcome: a smaller durable length is safe.
    try? await context.disk.run { () throws(DiskError) in
      try writer.checkpoint()
      if writer.held.count == 0 { part.remove() }
      if failure != keeper.current.failure {
        try keeper.update(synced: false) { record in
          record.failure = failure
          return true
        }
      }
    }
    return stop.terminalEvent(received: writer.held.count)
  }

  private func onDisk<Result: Sendable>(
    _ work: @escaping @Sendable () throws(DiskError) -> Result
  ) async throws(DownloadStop) -> Result {
    do throws(DiskError) {
      return try await context.disk.run(work)
    } catch {
      throw .failed(error.podgetError)
    }
  }
}
