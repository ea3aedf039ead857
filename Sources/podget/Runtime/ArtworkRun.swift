import PodcastKit

/// One run of `artwork`: addresses are found and images fetched side by side, and each is reported
/// when it has arrived.
struct ArtworkRun: Sendable {
  let cache: ArtworkCache
  let resolver: SourceResolver
  /// The User-Agent of podcasts that are followed.
  let subscribed: SubscribedSettings
  let report: ArtworkReport
  let signals: any ProcessSignals

  /// Runs to the end, or to a signal.
  ///
  /// - Parameters:
  ///   - known: podcasts with the addresses of their artworks.
  ///   - sources: sources to ask for the addresses.
  func run(_ known: [Podcast], sources: [String]) async throws -> Outcome {
    let work = Task { await fetch(known, sources) }
    let session = Session(signals, stop: { work.cancel() })
    await session.run { await work.value }
    return try await report.end(interruptedWith: session.interruptedWith)
  }

  private func fetch(_ known: [Podcast], _ sources: [String]) async {
    let (requests, input) = AsyncStream.makeStream(of: ArtworkRequest<Podcast>.self)
    let arrivals = cache.stream(of: requests)
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for podcast in known { await ask(for: podcast, input) }
        await resolver.read(sources) { resolution in
          switch resolution.result {
          case .success(let found): await ask(for: found.listing.podcast, input)
          case .failure(let error):
            await report.failed(nil, source: resolution.source, url: nil, error)
          }
          return true
        }
        input.finish()
      }
      for await arrival in arrivals {
        switch arrival.result {
        case .success(let artwork):
          await report.arrived(arrival.key, url: arrival.address, artwork)
        case .failure(let error):
          await report.failed(arrival.key, source: nil, url: arrival.address, error)
        }
      }
    }
  }

  private func ask(
    for podcast: Podcast, _ input: AsyncStream<ArtworkRequest<Podcast>>.Continuation
  ) async {
    guard let address = podcast.artworkURL else {
      let error = PodgetError(.notFound, "Its feed names no artwork.")
      return await report.failed(podcast, source: nil, url: nil, error)
    }
    input.yield(
      ArtworkRequest(podcast, address: address, userAgent: subscribed.own(of: podcast).userAgent))
  }
}
