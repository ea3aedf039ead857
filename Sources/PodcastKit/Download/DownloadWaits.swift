import PodcastModel
import PodcastTransfer

/// What a download waits for without working: the gate, and delays.
extension Download {
  /// Waits until the download has a slot and a place at a host, for the end of the host's Retry-After,
  /// and while the user has paused. The place that it had elsewhere is given back.
  func reach(_ host: String) async throws(DownloadStop) {
    let (gate, key) = (context.gate, plan.key)
    while true {
      try await waitWhilePaused()
      let turn = await ask { await gate.reach(key, host) }
      try machine.check()
      switch turn {
      case .taken: if !machine.isPaused { return }
      case .refused(let left): throw .failed(.rateLimited(for: left, now: context.now()))
      case .cancelled, nil: throw .cancelled
      }
    }
  }

  /// Ends a slow transfer if others wait for its slot or its place. Its bytes stay, and it is tried
  /// again later.
  func giveWay(_ slow: TransferControl) async {
    guard await context.gate.isWanted(plan.key), control === slow, !machine.isPaused else { return }
    slow.giveWay()
  }

  /// Waits for something else than the gate; the slot is given back meanwhile.
  func sleep(for delay: Duration) async throws(DownloadStop) {
    await context.gate.stepAside(plan.key)
    let clock = context.clock
    let hasSlept = await ask { (try? await clock.sleep(for: delay)) != nil }
    try machine.check()
    guard hasSlept == true else { throw .cancelled }
  }
}
