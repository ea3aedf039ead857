import PodcastKit

/// One run of `tag`: several files side by side, each reported when it is done.
struct TagRun: Sendable {
  /// Episodes of one podcast, and what names it where its feed is asked; nil if it is not asked.
  struct Batch: Sendable {
    var source: String?
    var episodes: [LocalEpisode]
  }

  let tagger: EpisodeTagger
  let flag: CancelFlag
  let isUndo: Bool
  let report: TagReport
  /// Say which podcasts are private.
  let subscribed: SubscribedSettings
  let signals: any ProcessSignals
  /// What feeds and files are requested with.
  var credentials = OriginCredentials()
  /// Asks feeds; nil for what the library knows alone.
  var details: TagDetails?
  /// Gets what feeds lead to; nil if no feed is asked.
  var completion: TagCompletion?

  /// Runs to the end, or to a signal: then the files that are not done stay as they are.
  func run(_ batches: [Batch]) async -> Outcome {
    let work = Task {
      for batch in batches where !flag.isSet { await perform(batch) }
    }
    let session = Session(
      signals,
      stop: {
        flag.set()
        work.cancel()
      })
    await session.run { await work.value }
    return await report.end(interruptedWith: session.interruptedWith)
  }

  private func perform(_ batch: Batch) async {
    var found: [String: PlannedTags] = [:]
    if let details, let source = batch.source {
      do throws(PodgetError) {
        found = try await details.found(at: source, for: batch.episodes)
      } catch {
        if !flag.isSet { await report.failed(source, error) }
      }
    }
    let jobs = Processors.count
    let disk = DiskPool(threads: jobs)
    await withTaskGroup(of: TaggedFile.self) { group in
      var waiting = batch.episodes.makeIterator()
      func start() {
        guard !flag.isSet, let local = waiting.next() else { return }
        group.addTask { [found = found[local.key]] in
          await file(of: local, found, on: disk)
        }
      }
      for _ in 0..<jobs { start() }
      for await file in group {
        start()
        // What was stopped is neither done nor failed.
        if file.status != .failed || !flag.isSet { await report.add(file) }
      }
    }
  }

  private func file(
    of local: LocalEpisode, _ found: PlannedTags?, on disk: DiskPool
  ) async -> TaggedFile {
    guard !isUndo else { return await disk.perform { tagger.restore(local) } }
    let isPrivate =
      subscribed.own(of: local.podcast).isPrivate
      || credentials.areUsed(for: local.episode, of: local.podcast)
    var request = TagRequest(local.episode, of: local.podcast, isPrivate: isPrivate)
    if let completion, let found {
      let missing = await disk.perform { tagger.missingDetails(local) }
      request = await completion.complete(
        request, of: local.episode, in: local.podcast, with: found, missing: missing
      ) { await report.note($0) }
    }
    return await disk.perform { [request] in tagger.tag(local, request) }
  }
}
