import FoundationEssentials
package import PodcastFeeds
package import PodcastLibrary
package import PodcastModel
import PodcastTransfer

/// What feeds say about episodes whose files get tags: descriptions, pages, chapters and artwork.
package struct TagDetails: Sendable {
  /// What the feed says about one episode.
  package struct Found: Sendable {
    package var details: EpisodeDetails?
    /// The address of its artwork, or of the podcast's.
    package var artwork: String?
  }

  private let resolver: SourceResolver
  private let feeds: FeedCatalog
  private let facts: PodcastFacts
  private let images = LastImages()

  /// Creates it.
  ///
  /// - Parameters:
  ///   - resolver: reads feeds with all details.
  ///   - feeds: gets documents and images.
  ///   - facts: say which podcasts are one.
  package init(_ resolver: SourceResolver, feeds: FeedCatalog, facts: PodcastFacts) {
    (self.resolver, self.feeds, self.facts) = (resolver, feeds, facts)
  }

  /// What names the podcast of an episode where its feed is asked: its subscription, its feed or its id;
  /// nil if nothing does.
  package static func source(
    of podcast: Podcast, among subscriptions: [Subscription]
  ) -> String? {
    SubscriptionPlaces(subscriptions).likelyPlace(of: podcast).map { subscriptions[$0].name }
      ?? podcast.feedURL?.text ?? podcast.id.map { String($0) }
  }

  /// What the feed of a podcast says about its episodes, by their keys. Those that it does not list any
  /// more are left out.
  package func found(
    at source: String, for episodes: [LocalEpisode]
  ) async throws(PodgetError) -> [String: Found] {
    let read = try await resolver.resolve(source).get()
    let locals = EpisodeLookup(episodes, facts: facts).identify(read.listing).locals
    var found: [String: Found] = [:]
    for (episode, local) in locals {
      found[local.key] = Found(
        details: read.details[episode],
        artwork: episode.artworkURL ?? read.listing.podcast.artworkURL)
    }
    return found
  }

  /// The request with what the feed says, of what the file has not.
  ///
  /// - Parameters:
  ///   - missing: the names of what the file has not.
  ///   - note: gets a sentence about what could not be had.
  package func complete(
    _ request: TagRequest, of local: LocalEpisode, with found: Found, missing: Set<String>,
    note: (String) async -> Void
  ) async -> TagRequest {
    var request = request
    if missing.contains("description"), let text = found.details?.text { request.describe(text) }
    if missing.contains("page"), let link = found.details?.link { request.link(link) }
    if missing.contains("chapters"), let details = found.details {
      do throws(PodgetError) {
        request.divide(
          try await chapters(details, of: local.podcast).map { ($0.start, $0.title) },
          end: local.duration)
      } catch {
        await note("\(local.title): its chapters cannot be had: \(error.message)")
      }
    }
    if missing.contains("artwork"), let address = found.artwork {
      do throws(PodgetError) {
        request.illustrate(try await image(at: address, of: local.podcast))
      } catch {
        await note("\(local.title): its artwork cannot be had: \(error.message)")
      }
    }
    return request
  }

  private func chapters(
    _ details: EpisodeDetails, of podcast: Podcast
  ) async throws(PodgetError) -> [Chapter] {
    guard details.chapters.isEmpty, let url = details.chaptersURL.flatMap({ FeedURL($0) }) else {
      return details.chapters
    }
    let document = try await feeds.document(
      at: url, of: podcast, maximumBytes: Chapter.maximumBytes)
    return try Chapter.list(in: document.bytes, charset: document.charset)
  }

  private func image(at address: String, of podcast: Podcast) async throws(PodgetError) -> Data {
    if let image = await images.image(at: address) { return image }
    guard let url = FeedURL(address) else {
      throw PodgetError(.notFound, "Its address is no web address.")
    }
    let document = try await feeds.document(
      at: url, of: podcast, maximumBytes: TagRequest.largestPicture)
    let image = Data(document.bytes)
    await images.keep(image, at: address)
    return image
  }
}

/// The last few images: most episodes have that of their podcast.
private actor LastImages {
  private static let most = 4

  private var images: [(address: String, image: Data)] = []

  func image(at address: String) -> Data? { images.first { $0.address == address }?.image }

  func keep(_ image: Data, at address: String) {
    images.removeAll { $0.address == address }
    images = images.suffix(Self.most - 1) + [(address, image)]
  }
}
