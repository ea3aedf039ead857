import FoundationEssentials
import PodcastFeeds
package import PodcastLibrary
package import PodcastModel

/// What completes a request for tags: with what a feed says, and what it leads to.
package struct TagCompletion: Sendable {
  private let source: BelongingRequests

  /// Creates it.
  package init(_ source: BelongingRequests) { self.source = source }

  /// The request with what the feed says, of what the file has not.
  ///
  /// - Parameters:
  ///   - episode: the episode, for its duration and its name in sentences.
  ///   - podcast: its podcast, with whose login servers are asked.
  ///   - planned: what the feed says.
  ///   - missing: the names of what the file has not.
  ///   - note: gets a sentence about what could not be had.
  package func complete(
    _ request: TagRequest, of episode: Episode, in podcast: Podcast, with planned: PlannedTags,
    missing: Set<String>, note: (String) async -> Void
  ) async -> TagRequest {
    var request = request
    if missing.contains("description"), let text = planned.description { request.describe(text) }
    if missing.contains("page"), let page = planned.page { request.link(page) }
    if missing.contains("chapters") {
      var chapters = planned.chapters?.map { (Duration.milliseconds($0.start), $0.title) } ?? []
      if chapters.isEmpty,
        let bytes = await content(.chapters, planned.chaptersURL, of: episode, podcast, note)
      {
        chapters = (try? Chapter.list(in: bytes))?.map { ($0.start, $0.title) } ?? []
      }
      request.divide(chapters, end: episode.duration)
    }
    if missing.contains("artwork"),
      let bytes = await content(.artwork, planned.artwork, of: episode, podcast, note)
    {
      request.illustrate(Data(bytes))
    }
    return request
  }

  /// What an address leads to; nil if nothing does, or if it cannot be had.
  private func content(
    _ kind: Belonging, _ address: String?, of episode: Episode, _ podcast: Podcast,
    _ note: (String) async -> Void
  ) async -> [UInt8]? {
    guard let address, !Task.isCancelled,
      case let offer = PlannedBelonging(kind, url: address), !source.isSlow(offer)
    else { return nil }
    do throws(PodgetError) {
      return try await source.content(of: offer, podcast).bytes
    } catch {
      if !Task.isCancelled {
        await note("\(episode.title): its \(kind.settingName) cannot be had: \(error.message)")
      }
      return nil
    }
  }
}
