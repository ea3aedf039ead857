import FoundationEssentials
import PodcastModel
import PodcastTransfer

/// What an attempt that did not bring everything means: another one, after what delay, or none.
extension Download {
  /// Decides what an attempt without an end means: another one, after what delay, or none.
  func goOn(
    _ course: inout DownloadCourse, _ end: TransferEnd, _ report: PartWriter.Report
  ) async throws(DownloadStop) {
    do throws(DownloadStop) {
      try await judge(&course, end, report)
    } catch {
      guard case .failed(let failure) = error, failure.code != .disk, failure.code != .diskFull,
        course.heldAddress != nil, course.attempts < DownloadContext.attemptLimit
      else { throw error }
      // That the old address fails now says nothing about the original one.
      giveUpHeldAddress(&course)
      course.attempt = 1
      course.rangeUse = .notNow
      course.announcedRestart = true
      send(.restarted(.changed))
    }
  }

  private func judge(
    _ course: inout DownloadCourse, _ end: TransferEnd, _ report: PartWriter.Report
  ) async throws(DownloadStop) {
    if end.isShortOfDescriptors, try await waitForDescriptors(&course.descriptorPatience) {
      // Nobody was asked, so it was no attempt.
      course.attempts -= 1
      return
    }
    switch report.refusal {
    case .coded:
      guard !course.acceptsCodings else {
        throw .failed(PodgetError(.rangeProtocol, "The server's content coding is unknown."))
      }
      course.acceptsCodings = true
    case .restart(let reason):
      if PartWriter.Refusal.restart(reason).isChange, let url = addressOfHeld(course) {
        course.heldAddress = url
        return
      }
      giveUpHeldAddress(&course)
      course.restarts += 1
      guard course.restarts <= 4 else {
        throw .failed(
          PodgetError(.rangeProtocol, "The server contradicts itself about ranges; try later."))
      }
      // Twice is enough: this host makes a new file for each request. What is held is compared with
      // the whole in place then, so nothing is lost before the new version has shown itself.
      course.rangeUse = course.restarts < 2 ? .notNow : .never
      course.announcedRestart = true
      send(.restarted(reason))
    case .disk(let error):
      guard error.isShortOfDescriptors, course.attempts < DownloadContext.attemptLimit,
        try await waitForDescriptors(&course.descriptorPatience)
      else { throw .failed(error.podgetError) }
    case .failed(let error, isTransient: false) where course.heldAddress != nil:
      // No catalog knows a better one for an old address.
      throw .failed(error)
    case .failed(let error, let isTransient):
      try await retry(&course, end, report, error, isTransient: isTransient)
    case nil, .alreadyComplete:
      // A server may send less than was asked for. As long as that is progress, the rest is asked
      // for at once.
      if end.cause == .complete, report.isProgress {
        course.attempt = 1
        return
      }
      let (error, isTransient) = Self.failure(of: end)
      try await retry(&course, end, report, error, isTransient: isTransient)
    }
  }

  func giveUpHeldAddress(_ course: inout DownloadCourse) {
    course.triedHeldAddress = course.triedHeldAddress || course.heldAddress != nil
    course.heldAddress = nil
  }

  func retry(
    _ course: inout DownloadCourse, _ end: TransferEnd, _ report: PartWriter.Report,
    _ error: PodgetError, isTransient: Bool
  ) async throws(DownloadStop) {
    if !isTransient {
      guard try await refresh(&course, after: error) else { throw .failed(error) }
      return
    }
    if report.isProgress { course.attempt = 1 }
    guard course.attempt <= context.options.retries.retries,
      course.attempts < DownloadContext.attemptLimit
    else { throw .failed(error) }
    course.attempt += 1
    var generator = SystemRandomNumberGenerator()
    var delay = context.options.retries.delay(beforeAttempt: course.attempt, using: &generator)
    if let asked = retryAfter(of: end) {
      guard asked <= RetryPolicy.longestRetryAfter else {
        throw .failed(rateLimited(for: asked, httpStatus: error.httpStatus))
      }
      delay = max(delay, asked)
    }
    send(.retrying(attempt: course.attempt, delay: delay, reason: error.code))
    let clock = context.clock
    let pause = delay
    guard await wait({ (try? await clock.sleep(for: pause)) != nil }) else { throw .cancelled }
  }

  /// The Retry-After of an answer whose request may be retried; nil without one.
  func retryAfter(of end: TransferEnd) -> Duration? {
    guard let head = end.head, RetryPolicy.isTransient(status: head.status) else { return nil }
    return RetryPolicy.retryAfter(head, now: context.now())
  }

  /// The failure of an episode whose host has a Retry-After that is longer than podget waits.
  func rateLimited(for duration: Duration, httpStatus: Int? = nil) -> PodgetError {
    let seconds = min(duration.inSeconds.rounded(.up), 1e10)
    let moment = context.now().addingTimeInterval(seconds).timestamp
    return PodgetError(
      .httpStatus, "The server wants to be left alone until \(moment); try again then.",
      httpStatus: httpStatus)
  }

  /// Where an address is refused, the directory may know a better one.
  private func refresh(
    _ course: inout DownloadCourse, after error: PodgetError
  ) async throws(DownloadStop) -> Bool {
    guard let refresh = context.refresh, !course.wasRefreshed,
      let status = error.httpStatus, [401, 403, 404, 410].contains(status)
    else { return false }
    course.wasRefreshed = true
    let plan = plan
    let answer = await ask { await refresh(plan) }
    if machine.isCancelled { throw .cancelled }
    guard let url = answer ?? nil, url != course.url else { return false }
    course.url = url
    let keeper = course.keeper
    try await onDisk { () throws(DiskError) in
      try keeper.update(.whole) { record in
        record.episode.url = url
        return true
      }
    }
    return true
  }

  private static func failure(of end: TransferEnd) -> (PodgetError, isTransient: Bool) {
    guard var error = PodgetError(end.cause) else {
      return (PodgetError(.incomplete, "The server ends the episode before its end."), true)
    }
    if error.code == .timeout { error.remedy = .resume }
    return (error, end.cause.isTransient)
  }
}
