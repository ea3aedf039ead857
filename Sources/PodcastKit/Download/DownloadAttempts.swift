import FoundationEssentials
import PodcastLibrary
import PodcastModel
import PodcastTransfer

/// The steps of a download: opening its part file, attempts with their redirects, and the end.
extension Download {
  /// Downloads the episode; the result is the terminal event, or nil if it was put back.
  func fetch() async -> DownloadEvent.Kind? {
    do throws(DownloadStop) {
      let writer = try await open()
      do throws(DownloadStop) {
        try await transfer(writer)
        return try await finish(writer)
      } catch {
        return await suspend(writer, error)
      }
    } catch {
      let (partials, key) = (context.partials, plan.key)
      let received = await context.disk.perform { partials.partSize(key) ?? 0 }
      return error.terminalEvent(received: received)
    }
  }

  /// Makes attempts until all bytes are there.
  private func transfer(_ writer: BodyWriter) async throws(DownloadStop) {
    var policy = AttemptPolicy(
      plan.episode.enclosure.url, context.options, canFindAddress: context.refresh != nil)
    let (held, lostBytes) = writer.use { ($0.held, $0.lostBytes) } ?? (HeldBytes(), false)
    // Interrupted between the last byte and the final name: nothing is left to request.
    let isAll = held.count > 0 && held.count == held.total
    if !isAll { try await reach(plan.origin) }
    guard machine.start() else { throw machine.isCancelled ? .cancelled : .putBack }
    send(.started(resumedFrom: isAll || policy.canContinue(held) ? held.count : 0))
    if lostBytes { send(.restarted(.noValidator)) }
    if isAll { return }
    var random = SystemRandomNumberGenerator()
    while true {
      try await waitWhilePaused()
      if let exhaustion = policy.exhaustion { throw .failed(exhaustion) }
      let (end, report, redirects) = try await attempt(&policy, writer)
      switch machine.end() {
      case .stop: throw .cancelled
      case .wait where report.reachedEnd:
        try await waitWhilePaused()
      // An attempt that ended because of a pause does not count.
      case .wait: continue
      case .judge: break
      }
      let outcome = AttemptPolicy.Outcome(
        end: end, report: report, ending: try await judgement(writer, report),
        redirects: redirects, recordedURL: writer.use { $0.recordedURL } ?? nil,
        now: context.now())
      var step = policy.next(after: outcome, using: &random)
      if case .findAddress(let otherwise) = step {
        if let url = try await presentAddress(), policy.move(to: url) {
          try await onDisk { () throws(DiskError) in
            _ = try writer.use { partial throws(DiskError) in try partial.move(to: url) }
          }
          continue
        }
        step = otherwise
      }
      switch step {
      case .request, .findAddress: break
      case .commit: return
      case .fail(let error): throw .failed(error)
      case .restart(let reason): send(.restarted(reason))
      case .wait(let delay, let attempt, let reason):
        send(.retrying(attempt: attempt, delay: delay, reason: reason))
        try await sleep(for: delay)
      }
    }
  }

  /// One attempt: an address and its redirects. It has given the slot back when it returns.
  ///
  /// - Returns: also how many redirects led to the answer.
  private func attempt(
    _ policy: inout AttemptPolicy, _ writer: BodyWriter
  ) async throws(DownloadStop) -> (TransferEnd, BodyWriter.Report, redirects: Int) {
    let held = writer.use { $0.held } ?? HeldBytes()
    let recordedURL = writer.use { $0.recordedURL } ?? nil
    // The host that the bytes came from, not a tracker in front of it and of many others.
    let source = recordedURL.map(DownloadPlan.origin(of:)) ?? plan.origin
    let keepsChanging = await context.gate.keepsChanging(source)
    var wanted = policy.request(held, hostKeepsChanging: keepsChanging)
    if let reason = wanted.announcement { send(.restarted(reason)) }
    var chain = redirectChain(wanted.url, policy)
    while true {
      guard let address = chain.address else {
        throw .failed(PodgetError(.network, "The episode's address is not a web address."))
      }
      let request = chain.request(wanted.request, at: context.now())
      let host = address.origin
      try await reach(host)
      let control = TransferControl { [weak self] slow in
        Task { await self?.giveWay(slow) }
      }
      self.control = control
      machine.begin()
      if machine.isPaused { control.hold() }
      if machine.isCancelled { control.abort() }
      canCloseConnection = { writer.isContinuable }
      let keepsHeld = policy.ask(
        AddressRedaction.withoutCredentials(request.url), continues: wanted.continues,
        recordedURL: recordedURL)
      writer.begin(
        request, announcedRestart: wanted.announcedRestart, keepsHeld: keepsHeld,
        BodyWriter.Listener(
          send: send, save: { [weak self] checkpoint in Task { await self?.save(checkpoint) } },
          control: control))
      let end = await context.transport(for: plan.podcast).perform(
        request, receiver: writer, control: control)
      self.control = nil
      // The Retry-After must be known before the slot starts the next episode.
      let asked = policy.retryAfter(of: end, redirects: chain.redirects, now: context.now())
      if let asked { await context.gate.close(host, for: asked) }
      if let target = end.redirect, end.cause == .complete {
        machine.redirect()
        do throws(RedirectChain.Refusal) {
          try chain.follow(target, end.head, at: context.now())
        } catch {
          guard policy.redirectWasRefused() else {
            throw .failed(PodgetError(error, of: address.host))
          }
          wanted.url = policy.url
          chain = redirectChain(wanted.url, policy)
        }
        continue
      }
      if let status = end.head?.status, !machine.isCancelled, asked == nil,
        policy.asksAnew(after: status, redirects: chain.redirects)
      {
        machine.redirect()
        chain = redirectChain(wanted.url, policy)
        if let origin = chain.address?.origin {
          await context.gate.keepPlace(plan.key, whileAsking: origin)
        }
        continue
      }
      return (end, await report(of: end, from: host, writer, policy), chain.redirects)
    }
  }

  private func redirectChain(_ url: String, _ policy: AttemptPolicy) -> RedirectChain {
    RedirectChain(
      url, original: policy.url, allowsInsecureRedirects: context.options.allowsInsecureRedirects)
  }

  /// The state after an attempt; the slot is given back as soon as the next episode can know the
  /// state of the host.
  private func report(
    of end: TransferEnd, from host: String, _ writer: BodyWriter, _ policy: AttemptPolicy
  ) async -> BodyWriter.Report {
    let report = await writer.end(isComplete: end.cause == .complete)
    let recordedURL = writer.use { $0.recordedURL } ?? nil
    // Where another host sent the bytes on disk, a change shows nothing about either.
    if policy.showsChange(report, recordedURL: recordedURL),
      recordedURL.map(DownloadPlan.origin(of:)) ?? host == host
    {
      await context.gate.noteChange(of: host)
    }
    await context.gate.settle(plan.key)
    return report
  }

  /// If an address is refused, the podcast's directory may know a better one; nil if it does not.
  private func presentAddress() async throws(DownloadStop) -> String? {
    guard let refresh = context.refresh else { return nil }
    let plan = plan
    await context.gate.stepAside(plan.key)
    let answer = await ask { await refresh(plan) }
    try machine.check()
    return answer ?? nil
  }
}
