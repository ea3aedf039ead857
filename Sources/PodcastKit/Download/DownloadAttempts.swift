import FoundationEssentials
import PodcastModel
import PodcastTransfer

/// The attempts of a download: requests, redirects, and waiting for the host's turn.
extension Download {
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
      let (partials, key) = (context.partials, plan.key)
      let received = await context.disk.perform { partials.partSize(key) ?? 0 }
      return error.terminalEvent(received: received)
    }
  }

  private func transfer(_ course: inout DownloadCourse) async throws(DownloadStop) {
    let held = course.writer.held
    // Cut off between the last byte and the final name: nothing is left to ask for.
    let isAll = held.count > 0 && held.count == held.total
    send(.started(resumedFrom: isAll || canContinue(course) ? held.count : 0))
    if course.lostBytes { send(.restarted(.noValidator)) }
    if isAll { return }
    while true {
      guard await waitWhilePaused() else { throw .cancelled }
      guard course.attempts < DownloadContext.attemptLimit else {
        throw .failed(
          PodgetError(
            .incomplete,
            "The server was asked \(course.attempts) times without sending all of the episode.",
            remedy: .resume))
      }
      let (end, report) = try await attempt(&course)
      switch machine.end() {
      case .stop: throw .cancelled
      case .wait where report.reachedEnd:
        guard await waitWhilePaused() else { throw .cancelled }
      // What ended because of a pause is no attempt.
      case .wait: continue
      case .judge: break
      }
      course.attempts += 1
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

  private func canContinue(_ course: DownloadCourse) -> Bool {
    course.rangeUse == .wanted && Self.canContinue(course.writer.held, context.options)
  }

  /// The address that the held bytes came from, when it may be asked and is another one than the
  /// address that answered last.
  func addressOfHeld(_ course: DownloadCourse) -> String? {
    guard !course.triedHeldAddress, course.heldAddress == nil,
      let url = course.keeper.current.state?.finalURL, url != course.answeredURL,
      RedirectChain.mayAsk(
        url, insteadOf: course.url, allowsInsecure: context.options.allowsInsecureRedirects)
    else { return nil }
    return url
  }

  private static func canContinue(_ held: HeldBytes, _ options: DownloadOptions) -> Bool {
    guard held.count > 0 else { return false }
    return held.validator.ifRange != nil || (options.resumesByOverlap && held.total != nil)
  }

  /// One attempt: the original address and whatever it redirects to.
  private func attempt(
    _ course: inout DownloadCourse
  ) async throws(DownloadStop) -> (TransferEnd, PartWriter.Report) {
    let held = course.writer.held
    if await context.gate.keepsChanging(plan.origin) { course.rangeUse = .never }
    let continues = canContinue(course)
    if held.count > 0, !continues, !course.announcedRestart {
      send(.restarted(course.rangeUse == .wanted ? .noValidator : .changed))
    }
    course.announcedRestart = false
    if course.rangeUse == .notNow { course.rangeUse = .wanted }
    var fields: [HTTPField] = []
    if !course.acceptsCodings { fields.append(HTTPField("Accept-Encoding", "identity")) }
    let start = continues ? held.count - min(held.count, DownloadContext.overlap) : nil
    if continues, let ifRange = held.validator.ifRange {
      fields.append(HTTPField("If-Range", ifRange))
    }
    var first = RedirectChain(
      course.heldAddress ?? course.url, original: course.url,
      allowsInsecureRedirects: context.options.allowsInsecureRedirects)
    let common = HTTPRequest(
      url: first.url, headers: fields, rangeStart: start, acceptsCodings: course.acceptsCodings)
    var chain = first
    while true {
      guard let address = chain.address else {
        throw .failed(PodgetError(.network, "The episode's address is not a web address."))
      }
      let request = chain.request(common, at: context.now())
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
      course.answeredURL = AddressRedaction.withoutCredentials(request.url)
      course.writer.begin(
        request, announcedRestart: held.count > 0 && !continues,
        keepsHeld: continues && addressOfHeld(course) != nil)
      let end = await context.transport.perform(
        request, receiver: course.writer, control: control)
      self.control = nil
      // The Retry-After must be known before the slot lets the next episode begin.
      if let asked = retryAfter(of: end) { await context.gate.close(host, for: asked) }
      if let target = end.redirect, end.cause == .complete {
        machine.redirect()
        await context.gate.giveBack(host)
        do throws(RedirectChain.Refusal) {
          try chain.follow(target, end.head, at: context.now())
        } catch {
          guard course.heldAddress != nil else {
            throw .failed(PodgetError(error, of: address.host))
          }
          giveUpHeldAddress(&course)
          first = RedirectChain(
            course.url, original: course.url,
            allowsInsecureRedirects: context.options.allowsInsecureRedirects)
          chain = first
        }
        continue
      }
      if chain.redirects > 0, let status = end.head?.status, [401, 403, 404, 410].contains(status),
        !course.wasAskedAnew, !machine.isCancelled
      {
        // A signed address may have expired; the original one makes a new one.
        machine.redirect()
        await context.gate.giveBack(host)
        course.wasAskedAnew = true
        chain = first
        continue
      }
      let writer = course.writer
      let isComplete = end.cause == .complete
      let report: PartWriter.Report
      do throws(DownloadStop) {
        report = try await onDisk { () throws(DiskError) in writer.end(isComplete: isComplete) }
      } catch {
        await context.gate.giveBack(host)
        throw error
      }
      // What was learnt of the host must be known before the slot lets the next episode begin.
      if report.refusal?.isChange == true, addressOfHeld(course) == nil {
        await context.gate.noteChange(of: plan.origin)
      }
      await context.gate.giveBack(host)
      return (end, report)
    }
  }

  /// Waits for a slot of the host, for the end of its Retry-After, and while the user has paused.
  private func pass(_ host: String) async throws(DownloadStop) {
    if hasSlot {
      hasSlot = false
      if await context.gate.opening(of: host) == nil { return }
      // Another episode learnt it since the slot was taken.
      await context.gate.giveBack(host)
    }
    while true {
      guard await waitWhilePaused() else { throw .cancelled }
      try await takeSlot(host)
      // Nobody else should wait for the slot of a download that is paused.
      guard machine.isPaused else { return }
      await context.gate.giveBack(host)
    }
  }

  private func takeSlot(_ host: String) async throws(DownloadStop) {
    let gate = context.gate
    switch await ask({ await gate.wait(for: host) }) {
    case .taken: break
    case .refused(let left): throw .failed(rateLimited(for: left))
    case .cancelled, nil: throw .cancelled
    }
    if machine.isCancelled {
      await gate.giveBack(host)
      throw .cancelled
    }
  }

  /// Runs file work on the disk queue; what fails there ends the download, but for a lack of file
  /// descriptors, after which the work is done again. So it must bear being done twice.
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

  /// Waits a moment for another download to end and give back its file descriptors.
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
