import FoundationEssentials
import PodcastLibrary
import PodcastModel
import PodcastTransfer

/// The steps of a download: opening its part file, attempts with their redirects, and the end.
extension Download {
  /// Downloads the episode; the result is the terminal event, or nil if it was put back.
  func fetch() async -> DownloadEvent.Kind? {
    var writer: BodyWriter?
    do throws(Interruption) {
      switch try await open() {
      case .settled(let event): return event
      case .opened(let opened):
        writer = opened
        try await transfer(opened)
        return try await finish(opened)
      }
    } catch {
      return await suspend(writer, error)
    }
  }

  /// Makes attempts until all bytes are there.
  private func transfer(_ writer: BodyWriter) async throws(Interruption) {
    var policy = AttemptPolicy(
      plan.episode.enclosure.url, context.options, canFindAddress: context.refresh != nil)
    let (held, lostBytes) = writer.use { ($0.held, $0.lostBytes) } ?? (HeldBytes(), false)
    // Interrupted between the last byte and the final name: nothing is left to request.
    let isAll = held.count > 0 && held.count == held.total
    if !isAll { try await reach(plan.origin) }
    try machine.start()
    send(.started(resumedFrom: isAll || policy.canContinue(held) ? held.count : 0))
    if lostBytes { send(.restarted(.noValidator)) }
    if isAll { return }
    var random = SystemRandomNumberGenerator()
    while true {
      try await waitWhilePaused()
      if let exhaustion = policy.exhaustion { throw exhaustion }
      var outcome = try await attempt(&policy, writer)
      switch machine.end() {
      case .paused where outcome.report.reachedEnd:
        try await waitWhilePaused()
      // An attempt that ended because of a pause does not count.
      case .paused: continue
      case let reason?: throw .user(reason)
      case nil: break
      }
      outcome.ending = try await judgement(writer, outcome.report)
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
      case .fail(let interruption): throw interruption
      case .restart(let reason): send(.restarted(reason))
      case .wait(let delay, let attempt, let reason):
        send(.retrying(attempt: attempt, delay: delay, reason: reason))
        try await sleep(for: delay)
      }
    }
  }

  /// One attempt: an address and its redirects. It has given the slot back when it returns.
  private func attempt(
    _ policy: inout AttemptPolicy, _ writer: BodyWriter
  ) async throws(Interruption) -> AttemptPolicy.Outcome {
    let (held, source) = writer.use { ($0.held, $0.recordedURL) } ?? (HeldBytes(), nil)
    // The host that the bytes came from, not a tracker in front of it and of many others.
    let keepsChanging = await context.gate.keepsChanging(
      source.map(DownloadPlan.origin(of:)) ?? plan.origin)
    let wanted = policy.request(held, from: source, hostKeepsChanging: keepsChanging)
    if let reason = wanted.announcement { send(.restarted(reason)) }
    var chain = redirectChain(policy)
    var keepsPlace = false
    while true {
      guard let address = chain.address else {
        throw .server(
          PodgetError(.network, "The episode's address is not a web address."), isTransient: false)
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
      canCloseConnection = { writer.isContinuable }
      let keepsHeld = policy.ask(
        AddressRedaction.withoutCredentials(request.url), continues: wanted.continues)
      writer.begin(
        request, announcedRestart: wanted.announcedRestart, keepsHeld: keepsHeld,
        BodyWriter.Listener(
          send: send, save: { [weak self] checkpoint in Task { await self?.save(checkpoint) } },
          control: control, answered: keepsPlace ? leaveKept : nil))
      let end = await context.transport(for: plan.podcast).performCancellably(
        request, receiver: writer, control: control)
      self.control = nil
      // The Retry-After must be known before the slot starts the next episode.
      let now = context.now()
      let asked = AttemptPolicy.retryAfter(of: end, redirects: chain.redirects, now: now)
      if let asked { await context.gate.close(host, for: asked) }
      if let target = end.redirect, end.cause == .complete {
        machine.redirect()
        do throws(RedirectChain.Refusal) {
          try chain.follow(target, end.head, at: context.now())
        } catch {
          guard policy.redirectWasRefused() else {
            throw .server(PodgetError(error, of: address.host), isTransient: false)
          }
          chain = redirectChain(policy)
        }
        continue
      }
      if let status = end.head?.status, !machine.isCancelled, asked == nil,
        policy.asksAnew(after: status, redirects: chain.redirects)
      {
        machine.redirect()
        chain = redirectChain(policy)
        if let origin = chain.address?.origin {
          await context.gate.keepPlace(plan.key, whileAsking: origin)
          keepsPlace = true
        }
        continue
      }
      return AttemptPolicy.Outcome(
        report: await report(of: end, from: host, writer, policy), redirects: chain.redirects,
        retryAfter: asked, now: now)
    }
  }

  /// Gives the place back that was kept at another host.
  private var leaveKept: @Sendable () -> Void {
    { [gate = context.gate, key = plan.key] in Task { await gate.leaveKept(key) } }
  }

  private func redirectChain(_ policy: AttemptPolicy) -> RedirectChain {
    RedirectChain(
      policy.routes.present, original: policy.routes.own,
      allowsInsecureRedirects: context.options.allowsInsecureRedirects)
  }

  /// The state after an attempt; the slot is given back as soon as the next episode can know the
  /// state of the host.
  private func report(
    of end: TransferEnd, from host: String, _ writer: BodyWriter, _ policy: AttemptPolicy
  ) async -> BodyWriter.Report {
    let report = await writer.end(end.cause)
    // Where another host sent the bytes on disk, a change shows nothing about either.
    if policy.showsChange(report),
      policy.routes.source.map(DownloadPlan.origin(of:)) ?? host == host
    {
      await context.gate.noteChange(of: host)
    }
    await context.gate.settle(plan.key)
    return report
  }

  /// If an address is refused, the podcast's directory may know a better one; nil if it does not.
  private func presentAddress() async throws(Interruption) -> String? {
    guard let refresh = context.refresh else { return nil }
    let plan = plan
    await context.gate.stepAside(plan.key)
    let answer = await refresh(plan)
    try machine.check()
    return answer
  }
}
