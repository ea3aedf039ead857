import BrowseScreen
import FoundationEssentials
import PodcastBrowse
import PodcastKit

/// Changes of episodes, each with its answer.
extension BrowseEngine {
  /// How many times a restore is tried, 50 ms apart.
  private static let restoreAttempts = 20

  /// Does what was asked for, and says of each episode whether it is done.
  func perform(_ change: EpisodeChange, of keys: [String]) async {
    do throws(PodgetError) {
      switch change {
      case .starred(let isStarred):
        return try await mark(keys, [.starred(isStarred)], for: change)
      case .played(let isPlayed, let position):
        let marks = [.played(isPlayed)] + (position.map { [EpisodeMark.position($0)] } ?? [])
        return try await mark(keys, marks, for: change)
      case .removed: return await remove(keys)
      case .restored: return await restore(keys)
      case .wanted: await request(keys)
      case .paused(let isPaused):
        for key in keys {
          guard let download = await run.running(key) else { continue }
          if isPaused { await download.pause() } else { await download.resume() }
        }
        // One that waits for a retry may say nothing.
        await settle(keys, attempts: 10) { state in
          if case .paused = state { isPaused } else { !isPaused || !state.isActive }
        }
      case .cancelled:
        await run.cancel(Set(keys))
        await settle(keys) { !$0.isActive }
      case .forgotten:
        let left = try await forget(Set(keys))
        let count = Set(keys).count - left.count
        send(
          .message(
            count == 1 ? "1 download is forgotten." : "\(count) downloads are forgotten."))
        if !left.isEmpty {
          let kept = left.count == 1 ? "1 is" : "\(left.count) are"
          send(
            .unchanged(
              keys.filter(left.contains), change,
              "\(count) forgotten; \(kept) still being downloaded, and kept."))
        }
        return send(.changed(keys.filter { !left.contains($0) }, change))
      }
      send(.changed(keys, change))
    } catch {
      send(.unchanged(keys, change, error.said, isFinal: error.code == .notFound))
    }
  }

  /// The episodes of the library as they are on the disk now. Of others it is said that a change is
  /// not done.
  private func locals(
    _ keys: [String], for change: EpisodeChange
  ) async -> (episodes: [LocalEpisode], reading: LibraryReading) {
    let reading = await reading(keys)
    let found = Dictionary(reading.episodes.map { ($0.key, $0) }) { first, _ in first }
    let others = keys.filter { found[$0] == nil }
    if !others.isEmpty {
      send(.unchanged(others, change, "The library does not have this episode.", isFinal: true))
    }
    return (keys.compactMap { found[$0] }, reading)
  }

  private func mark(
    _ keys: [String], _ marks: [EpisodeMark], for change: EpisodeChange
  ) async throws(PodgetError) {
    var keys = keys
    if case .played(true, _) = change {
      let known = Set(await reading(keys).episodes.map(\.key))
      let unknown = keys.filter { !known.contains($0) && listed[$0] != nil }
      let (marked, failures) = await markListed(unknown)
      if !marked.isEmpty { send(.changed(keys.filter(marked.contains), change)) }
      for (keys, error) in failures {
        send(.unchanged(keys, change, error.said, isFinal: error.code == .notFound))
      }
      let done = marked.union(failures.flatMap(\.keys))
      keys.removeAll(where: done.contains)
    }
    let episodes = await locals(keys, for: change).episodes
    _ = try await write(marks, of: episodes)
    send(.changed(episodes.map(\.key), change))
  }

  /// Records episodes as played that only feeds list; which ones, and those of podcasts where that failed.
  private func markListed(
    _ keys: [String]
  ) async -> (marked: Set<String>, failures: [(keys: [String], error: PodgetError)]) {
    let template = settings.template.flatMap { try? FilenameTemplate(parsing: $0) } ?? .standard
    var marked: Set<String> = []
    var failures: [(keys: [String], error: PodgetError)] = []
    for (source, keys) in Dictionary(grouping: keys, by: { listed[$0]?.source ?? "" }) {
      let episodes = keys.compactMap { listed[$0]?.episode }
      do throws(PodgetError) {
        guard let listing = try await listing(of: source, with: episodes) else { continue }
        let (library, subscribed) = (library, run.subscribed)
        let result = await disk.perform {
          Result { () throws(PodgetError) in
            let known = KnownEpisodes(library, .podcast(listing.podcast), isRecording: false)
            let plans = try known.plans(
              for: episodes, of: listing, subscribed, template: template)
            return try library.markListed(plans, at: Date())
          }
        }
        outdateLibrary()
        marked.formUnion(try result.get().map(\.key))
      } catch {
        failures.append((keys, error))
      }
    }
    return (marked, failures)
  }

  /// Records what is true of episodes; the episodes as they are then.
  func write(
    _ marks: [EpisodeMark], of episodes: [LocalEpisode]
  ) async throws(PodgetError) -> [LocalEpisode] {
    let library = library
    let result = await disk.perform {
      Result { () throws(PodgetError) in
        var marked = episodes
        for mark in marks { marked = try library.mark(mark, of: marked, at: Date()) }
        return marked
      }
    }
    outdateLibrary()
    return try result.get()
  }

  private func remove(_ keys: [String]) async {
    // A planned episode without bytes is removed too: otherwise podget resume would download it.
    let (episodes, reading) = await locals(keys, for: .removed)
    let now = Date()
    let days = settings.trashDays
    let remover = EpisodeRemover(
      library: library, removesStarred: false,
      keptUntil: days == 0 ? nil : now + Double(days) * 86_400, now: now)
    let copies = reading.copies(of: episodes)
    let outcomes = await disk.perform { remover.remove(episodes, copies: copies) }
    outdateLibrary()
    var removed: [LocalEpisode] = []
    for (episode, outcome) in zip(episodes, outcomes) {
      let reason: String
      switch outcome {
      case .removed:
        states[episode.key] = .removed
        removed.append(episode)
        continue
      case .starred: reason = "It is starred; unstar it first."
      case .busy: reason = "Another podget is using it."
      case .failed(let error): reason = error.said
      }
      send(.unchanged([episode.key], .removed, reason))
    }
    guard !removed.isEmpty else { return }
    send(.changed(removed.map(\.key), .removed))
    // Only complete files go to the trash.
    let isRestorable = days > 0 && removed.contains { $0.status == .complete }
    if removed.count == keys.count {
      let one = isRestorable ? "It is in the trash; \(keyMap.name("u")) restores it." : "Deleted."
      let many =
        "\(keys.count) episodes are removed"
        + (isRestorable ? "; \(keyMap.name("u")) restores what is in the trash." : ".")
      send(.message(keys.count == 1 ? one : many))
    }
  }

  /// Restores episodes: what is refused keeps no other one in the trash.
  private func restore(_ keys: [String]) async {
    var left = await locals(keys, for: .restored).episodes
    var restored: [String] = []
    var failures: [(key: String, error: PodgetError)] = []
    for attempt in 1...Self.restoreAttempts where !left.isEmpty {
      let library = library
      let episodes = left
      let results = await disk.perform { library.restore(episodes, at: Date()) }
      left = []
      for (episode, result) in zip(episodes, results) {
        switch result {
        case .success: restored.append(episode.key)
        // For a moment after its download the file is still locked.
        case .failure(let error) where error.code == .disk && attempt < Self.restoreAttempts:
          left.append(episode)
        case .failure(let error): failures.append((episode.key, error))
        }
      }
      if !left.isEmpty { try? await Task.sleep(for: .milliseconds(50)) }
    }
    if !restored.isEmpty {
      outdateLibrary()
      for key in restored { report(key, .complete) }
      send(.changed(restored, .restored))
    }
    for isFinal in [true, false] {
      let some = failures.filter { ($0.error.code == .notFound) == isFinal }
      guard let first = some.first?.error else { continue }
      let count =
        keys.count > 1 ? "\(some.count) of \(keys.count) episodes are not restored: " : ""
      send(.unchanged(some.map(\.key), .restored, count + first.said, isFinal: isFinal))
    }
  }
}
