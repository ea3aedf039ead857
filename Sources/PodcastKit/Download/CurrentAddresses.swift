import PodcastModel
import PodcastTransfer

/// The current addresses of episodes, from a directory that is asked once for each podcast, however
/// many of its episodes ask. A failure is shared as well: the next run asks again.
package actor CurrentAddresses {
  private let directory: ITunesDirectory
  private var lookups: [Int64: Task<PodcastListing?, Never>] = [:]
  private let gate: HostGate

  /// Creates one for a run; at most four podcasts are looked up at the same time.
  package init(_ directory: ITunesDirectory) {
    self.directory = directory
    gate = HostGate(total: 4, perHost: 4, clock: ContinuousClock()) {}
  }

  /// The current address of a planned episode; nil if the directory does not know it, or when the
  /// task is cancelled. The request then continues for the others that wait for its answer.
  package func address(of plan: DownloadPlan) async -> String? {
    guard let id = plan.podcast.id else { return nil }
    let lookup = lookups[id] ?? Task { await listing(id) }
    lookups[id] = lookup
    // Unlike the value of a task, a stream ends in a cancelled task.
    let (answers, answer) = AsyncStream.makeStream(of: PodcastListing?.self)
    Task {
      answer.yield(await lookup.value)
      answer.finish()
    }
    for await listing in answers { return listing?.episode(of: plan)?.enclosure.url }
    return nil
  }

  private func listing(_ id: Int64) async -> PodcastListing? {
    guard await gate.wait(for: "directory") == .taken else { return nil }
    let listing = try? await directory.podcast(id: id)
    await gate.giveBack("directory")
    return listing
  }
}
