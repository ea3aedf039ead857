import PodcastFeeds
package import PodcastModel

/// Turns sources into listings, several at a time.
package struct SourceResolver: Sendable {
  /// The result of a source.
  package struct Listing: Sendable {
    /// The podcast with its episodes.
    package var listing: PodcastListing
    /// The id of the episode that the source links to; nil for a complete podcast.
    package var episode: Int64?
  }

  /// A source with its listing, or with its error.
  package struct Resolution: Sendable {
    /// The position of the source among those named.
    package var place: Int
    /// The source as it was named.
    package var source: String
    package var result: Result<Listing, PodgetError>
  }

  private static let requestsAtOnce = 4

  private let directory: ITunesDirectory

  /// Creates a resolver that asks a directory.
  package init(_ directory: ITunesDirectory) { self.directory = directory }

  /// Reads each source once, four at a time, and returns when the last one was passed on.
  ///
  /// They are passed on one at a time, in the order in which answers arrive: a slow source delays
  /// no other. Cancelling the task ends the requests; sources that were not read by then are left
  /// out.
  ///
  /// - Parameter take: receives each resolution; false ends the reading.
  package func read(
    _ sources: [String], _ take: (Resolution) async -> Bool
  ) async {
    await withTaskGroup(of: Resolution.self) { group in
      var rest = sources.enumerated().makeIterator()
      func addNext() {
        guard !Task.isCancelled, let (place, source) = rest.next() else { return }
        group.addTask {
          Resolution(place: place, source: source, result: await resolve(source))
        }
      }
      for _ in 0..<Self.requestsAtOnce { addNext() }
      for await resolution in group {
        addNext()
        // A request that the user stopped is not a failure of its source.
        guard !Task.isCancelled, await take(resolution) else { break }
      }
      group.cancelAll()
    }
  }

  /// Reads each source once; the results are in the order of the sources.
  package func resolve(_ sources: [String]) async -> [Resolution] {
    var resolutions: [Resolution] = []
    await read(sources) { resolution in
      resolutions.append(resolution)
      return true
    }
    return resolutions.sorted { $0.place < $1.place }
  }

  /// Reads one source.
  package func resolve(_ source: String) async -> Result<Listing, PodgetError> {
    do throws(PodgetError) {
      switch try Source.parse(source) {
      case .apple(let id, let country, let episode):
        let listing = try await directory.podcast(id: id, country: country)
        return .success(Listing(listing: listing, episode: episode))
      case .feed, .file:
        throw PodgetError(
          .notFound, "Feeds are not read by this version; name the Apple Podcasts id instead.")
      case .name(let name):
        let shown = AddressRedaction.shown(name)
        throw PodgetError(
          .notFound, "There is no subscription called \(shown).", remedy: .search(shown))
      case .standardInput:
        throw PodgetError(.notFound, "Standard input cannot name itself.")
      }
    } catch {
      return .failure(error)
    }
  }
}
