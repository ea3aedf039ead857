import BrowseScreen
import PodcastBrowse
import PodcastKit

/// The work behind the screen, from the first effect to the last.
enum BrowseWork {
  /// Does what comes until the stream of effects ends, then stops the downloads.
  static func run(
    _ settings: BrowseSettings, _ effects: AsyncStream<BrowseEffect>,
    send: @escaping @Sendable (BrowseEvent) -> Void
  ) async {
    do {
      guard let library = try Library.open(settings.library, creating: true) else {
        throw PodgetError(.disk, "Cannot create the library \(settings.library).")
      }
      let credentials = OriginCredentials()
      var configuration = CurlSession.Configuration(
        userAgent: settings.userAgent, certificateFile: settings.certificates,
        stallTimeout: .seconds(settings.stallTimeout))
      if settings.bytesPerSecond > 0 { configuration.bytesPerSecond = settings.bytesPerSecond }
      // The user named these: a password of ~/.netrc may go there over http too.
      var named = settings.source.map { [$0] } ?? []
      if settings.directoryURL != ITunesDirectory.standardBaseURL {
        named.append(settings.directoryURL)
      }
      named += (try? SubscriptionFile(library).read().subscriptions.compactMap(\.namedURL)) ?? []
      configuration.namedOrigins = NamedOrigins(named)
      try await CurlSession.with(configuration) { session in
        // Unbounded: an element for each key that asks for episodes.
        let (requests, continuation) = AsyncStream.makeStream(of: DownloadRequest.self)
        let engine = try BrowseEngine(
          settings, library, session, requests: continuation, credentials: credentials,
          send: send)
        await engine.loadArrangement()
        let artworks = engine.artworks(of: session)
        // Not in the group, which is cancelled: commands that a stop ended are kept for the next run.
        // Not waited for: it blocks until something changes.
        if let watch = RecordWatch(library: library.path) {
          Task.detached { await engine.watch(watch) }
        }
        let downloads = Task { await engine.download(requests) }
        // One that keeps nothing of tasks that have ended: the screen may be open for weeks.
        await withDiscardingTaskGroup { group in
          var changes = BrowseChanges()
          // Only the newest wish of each kind counts.
          let (pages, page) = AsyncStream.makeStream(
            of: ArtworkWish?.self, bufferingPolicy: .bufferingNewest(1))
          let (icons, icon) = AsyncStream.makeStream(
            of: [ArtworkWish].self, bufferingPolicy: .bufferingNewest(1))
          group.addTask { await artworks.follow(pages: pages) }
          group.addTask { await artworks.follow(icons: icons) }
          for await effect in effects {
            if case .loadArtwork(let wish) = effect {
              page.yield(wish)
            } else if case .loadIcons(let wishes) = effect {
              icon.yield(wishes)
            } else if effect == .leavePlaying {
              // The end that follows must find it so.
              await engine.perform(effect)
            } else {
              let changes = changes.add(effect) { await engine.perform(effect) }
              group.addTask { await changes() }
            }
          }
          page.finish()
          icon.finish()
          // Feeds that are still being read do not matter any more.
          await engine.stop()
          await changes.finish()
          group.cancelAll()
        }
        await downloads.value
      }
    } catch {
      let message = (error as? PodgetError)?.message ?? "\(error)"
      // Each wish gets its answer, because the screen waits for it.
      for await effect in effects {
        switch effect {
        case .loadLibrary: send(.libraryFailed(message))
        case .loadTrash, .deleteFromTrash, .loadSettings, .set: send(.error(message))
        case .findWords(let text): send(.words(text, [], failure: message))
        case .loadNew: send(.newFailed(message))
        case .loadSubscriptions: send(.subscriptionsFailed(message))
        case .loadPodcast(let source): send(.podcastFailed(source, message))
        case .search(let term): send(.searchFailed(term, message))
        case .loadDetails(let key): send(.details(key, .failed(message)))
        case .loadPage(let key, let page): send(.page(key, page, .failed(message)))
        case .change(let keys, let change): send(.unchanged(keys, change, message))
        case .play, .control, .subscribe, .unsubscribe, .followAgain, .sync: send(.message(message))
        case .loadArtwork(let wish): if let wish { send(.artwork(wish.address, nil)) }
        case .loadIcons(let wishes): for wish in wishes { send(.icon(wish.address, nil)) }
        case .quit, .stopSync, .keep, .endPlaying, .leavePlaying, .open, .copy: break
        }
      }
    }
  }
}
