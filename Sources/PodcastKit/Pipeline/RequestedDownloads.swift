import PodcastLibrary
package import PodcastModel
import PodcastTransfer

extension DownloadRun {
  /// Downloads episodes as somebody asks for them, until the stream of requests ends.
  ///
  /// A request is planned when the plans of the one before are recorded: so two episodes never get
  /// one name. Unbounded requests wait in the stream. A dry run refuses each of them.
  ///
  /// - Parameter template: names new files of podcasts whose subscriptions have no template.
  package func download(
    _ requests: AsyncStream<DownloadRequest>, template: FilenameTemplate = .standard
  ) async {
    await run { [self] batches in
      await readSubscribedSettings()
      for await request in requests {
        do throws(PodgetError) {
          // Nothing would record the plans, and the next request waits for that.
          guard downloader != nil else {
            throw PodgetError(.disk, "A dry run downloads nothing.")
          }
          var batch = try await plan(request, template: template)
          batch.mayRepeat = true
          await withCheckedContinuation { continuation in
            batch.whenRecorded = { _ in continuation.resume() }
            batches.yield(batch)
          }
        } catch {
          request.refused(error)
        }
      }
    }
  }

  /// The plans of requested episodes, with the state of the library.
  private func plan(
    _ request: DownloadRequest, template: FilenameTemplate
  ) async throws(PodgetError) -> PlannedBatch {
    let stopped = PodgetError(.network, "The download was stopped.")
    if case .planned(let plans) = request.episodes {
      guard let known = await loadKnown(.keys(plans.map(\.episodeKey))) else { throw stopped }
      return PlannedBatch(plans, known: known)
    }
    guard case .listed(let listing, let episodes, let details) = request.episodes else {
      throw stopped
    }
    guard let known = await loadKnown(.podcast(listing.podcast)) else { throw stopped }
    let subscribed = subscribed
    let planned = await disk.look {
      Result { () throws(PodgetError) in
        try known.plans(for: episodes, of: listing, subscribed, template: template)
      }
    }
    guard let planned else { throw stopped }
    let plans = try planned.get().map { plan in
      var plan = plan
      plan.isNamed = true
      return plan
    }
    return PlannedBatch(offering(plans, of: listing.podcast, details), known: known)
  }
}
