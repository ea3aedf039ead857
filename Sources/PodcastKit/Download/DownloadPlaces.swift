import PodcastModel
import PodcastTransfer

/// The slot of a download, and its places at hosts.
extension Download {
  /// Waits until the download has a slot and a place at a host, for the end of the host's Retry-After,
  /// and while the user has paused. The place that it had is given back.
  func reach(_ host: String) async throws(DownloadStop) {
    while true {
      // A paused download must not keep its slot from others.
      if machine.isPaused { await leaveHosts() }
      guard await waitWhilePaused() else { throw .cancelled }
      try await takePlace(host)
      if machine.isCancelled { throw .cancelled }
      guard machine.isPaused else { return }
    }
  }

  private func takePlace(_ host: String) async throws(DownloadStop) {
    let (gate, left, kept) = (context.gate, place, keptPlace)
    // From here on the gate has them.
    (place, keptPlace) = (nil, nil)
    let answer = await ask {
      guard let left else { return (turn: await gate.wait(for: host), isKept: false) }
      return await gate.move(from: left, to: host, keeping: kept)
    }
    switch answer?.turn {
    case .taken: (place, keptPlace) = (host, answer?.isKept == true ? kept : nil)
    case .refused(let left): throw .failed(.rateLimited(for: left, now: context.now()))
    case .cancelled: throw .cancelled
    case nil:
      // The gate was not asked.
      (place, keptPlace) = (left, kept)
      throw .cancelled
    }
  }

  /// Keeps the place at the host of a refused address while the episode's own address, at another
  /// host, is asked for a new one: that may be valid for a short time only. Without a free place at
  /// the other host it is not kept, so that no download has a place and waits.
  func keepPlace(whileAsking host: String) async {
    guard let refusing = place, refusing != host, keptPlace == nil,
      await context.gate.takeAlso(host)
    else { return }
    (keptPlace, place) = (refusing, host)
  }

  /// Gives back the slot and all places.
  func leaveHosts() async {
    let (place, kept) = (self.place, keptPlace)
    (self.place, keptPlace) = (nil, nil)
    if let kept { await context.gate.leave(kept) }
    if let place { await context.gate.release(place) }
  }
}
