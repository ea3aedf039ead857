import ArgumentParser
import BrowseScreen
import FoundationEssentials
import PodcastBrowse
import PodcastKit

/// What is new of the podcasts that are followed: the same list as that of `podget new`.
extension BrowseEngine {
  /// Reads it, and again with each reading of the library.
  func loadNew() async {
    isNewWanted = true
    await loadLibrary()
  }

  /// Sends what is new in a reading of the whole library.
  func showNew(in reading: LibraryReading) async {
    let library = library
    let result = await disk.perform {
      Result { () throws(PodgetError) in
        let subscriptions = try SubscriptionFile(library).read().subscriptions
        let options = try CommandContext.followingOptions()
        let new = UnplayedEpisodes(
          of: subscriptions, Set(subscriptions.indices), in: reading, of: library,
          options: options, at: Date())
        return (new, subscriptions.map(\.name))
      }
    }
    do throws(PodgetError) {
      let (new, names) = try result.get()
      var counts: [String: Int] = [:]
      let rows = new.elements.map { element in
        let name = names[element.place]
        counts[name, default: 0] += 1
        // A list that was read since then is newer.
        if element.local == nil, listed[element.key] == nil {
          listed[element.key] = (name, element.episode)
        }
        return EpisodeRow(
          key: element.key, listed: element.episode, of: element.podcast, local: element.local)
      }
      send(.new(rows, counts: counts))
      if new.lacksLists {
        send(
          .message(
            "What the feeds list could not be read; only episodes of the library are listed."))
      }
    } catch {
      send(.newFailed(error.message))
    }
  }

  /// The list of a podcast from which episodes are asked for: the one that was shown, otherwise what
  /// its feed listed at the last sync.
  func listing(
    of source: String, with episodes: [Episode]
  ) async throws(PodgetError) -> PodcastListing? {
    var listing = podcasts[source]?.listing
    if listing == nil, let subscription = try await loggedIn(source) {
      listing = await stored(subscription).listing
    }
    guard var listing else { return nil }
    // The feed may list something else by now.
    let known = Set(listing.episodes)
    listing.episodes += episodes.filter { !known.contains($0) }
    return listing
  }
}

extension CommandContext {
  /// What the settings say of the podcasts that are followed, for the process of the full screen.
  fileprivate static func followingOptions() throws(PodgetError) -> SyncOptions {
    var options = SyncOptions()
    do {
      options.rules = try FollowingRules(processSettings(), options.overrides)
    } catch {
      throw PodgetError(.decoding, (error as? ValidationError)?.message ?? "\(error)")
    }
    return options
  }
}
