import PodcastKit

/// What shows the events of a run.
protocol RunDisplay: Sendable {
  /// Shows an event.
  ///
  /// - Returns: the round it belongs to, if it ends an episode, or the checks of a round.
  func show(_ event: RunEvent) async -> RoundSummaries.Place?

  /// Shows that a command failed.
  ///
  /// - Parameter round: the round that it belongs to; nil for the current one.
  func show(_ source: String, _ error: PodgetError, in round: Int?) async

  /// All commands of a round have ended.
  func end(_ round: Int) async
}

/// Shows what a run reports, and runs the commands that follow it.
struct RunReport<Display: RunDisplay>: Sendable {
  /// What commands may follow.
  private enum Occasion: Sendable {
    /// A download has ended well, in a round.
    case download(FinishedDownload, DownloadEvent, round: Int)
    /// A feed began to fail, ended or moved.
    case feed(FeedChange)
    /// All downloads of a round have ended.
    case round(RoundSummaries.Place)
  }

  let display: Display
  let hooks: Hooks
  /// Whether nothing is changed.
  var isDryRun = false

  /// How many changes of feeds wait for a command at most; the newest ones.
  private static var mostChanges: Int { 1000 }

  /// Takes the events of a run until it ends and the commands have ended.
  ///
  /// A command may take long; the events go on meanwhile.
  func follow(_ run: DownloadRun) async {
    // Unbounded: one element an episode, and one a round.
    let (occasions, continuation) = AsyncStream.makeStream(of: Occasion.self)
    async let commands: Void = runCommands(on: occasions)
    for await event in run.events {
      if case .feedChanged(let change) = event { continuation.yield(.feed(change)) }
      guard let place = await display.show(event) else { continue }
      if case .episode(let event) = event, let download = FinishedDownload(event) {
        continuation.yield(.download(download, event, round: place.round))
      }
      if place.hasEnded { continuation.yield(.round(place)) }
    }
    continuation.finish()
    await commands
  }

  private func runCommands(on occasions: AsyncStream<Occasion>) async {
    // What has been downloaded in rounds that have not ended.
    var finished: [Int: [DownloadEvent]] = [:]
    var changes: [FeedChange] = []
    var brake = FeedHookBrake()
    if !isDryRun {
      for error in await hooks.runPending() {
        await display.show("after-download", error, in: nil)
      }
    }
    for await occasion in occasions {
      switch occasion {
      case .download(let download, let event, let round):
        if await hooks.wantsEpisodes { finished[round, default: []].append(event) }
        for error in await hooks.run(after: download) {
          await display.show("after-download", error, in: round)
        }
      case .feed(let change):
        if await hooks.wantsEpisodes { changes = changes.suffix(Self.mostChanges - 1) + [change] }
        guard await hooks.followsFeeds, brake.allows(change, at: .now) else { continue }
        for error in await hooks.run(after: change) {
          await display.show("after-feed", error, in: nil)
        }
      case .round(let place):
        await show(brake.takeSentences())
        let episodes = finished.removeValue(forKey: place.round) ?? []
        for error in await hooks.runAfterSync(episodes, changes) {
          await display.show("after-sync", error, in: place.round)
        }
        if !episodes.isEmpty { changes = [] }
        await display.end(place.round)
      }
    }
    await show(brake.takeSentences())
    let episodes = finished.sorted { $0.key < $1.key }.flatMap(\.value)
    for error in await hooks.runAfterSync(episodes, changes) {
      await display.show("after-sync", error, in: nil)
    }
    for error in await hooks.keepPending() {
      await display.show("after-download", error, in: nil)
    }
  }

  private func show(_ sentences: [String]) async {
    for sentence in sentences { _ = await display.show(.note(sentence)) }
  }
}
