import PodcastModel
import PodcastTransfer

/// What a download waits for without working: the gate, and delays.
extension Download {
  /// Waits until the download has a slot and a place at a host, for the end of the host's Retry-After,
  /// and while the user has paused. The place that it had elsewhere is given back.
  func reach(_ host: String) async throws(Interruption) {
    let (gate, key) = (context.gate, plan.key)
    while true {
      try await waitWhilePaused()
      let turn = await gate.reach(key, host)
      try machine.check()
      switch turn {
      case .taken: if !machine.isPaused { return }
      case .refused(let left):
        throw .server(.rateLimited(for: left, now: context.now()), isTransient: false)
      case .cancelled: throw .user(.cancelled)
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
  func sleep(for delay: Duration) async throws(Interruption) {
    await context.gate.stepAside(plan.key)
    let hasSlept = (try? await context.clock.sleep(for: delay)) != nil
    try machine.check()
    guard hasSlept else { throw .user(.cancelled) }
  }
}
