import FoundationEssentials
package import PodcastFeeds
import PodcastModel
import PodcastTransfer

/// Finds out what podget will do with a source: an episode's address, or a feed and the server of its
/// newest episode.
package struct SourceProbe: Sendable {
  /// What was found.
  package enum Finding: Sendable {
    /// The address is one of an episode, or leads to nothing that can be used.
    case episode(ServerReport)
    /// The source is a feed.
    case feed(FeedReport)
  }

  private let directory: ITunesDirectory
  private let feeds: FeedCatalog
  private let servers: ServerProbe

  /// Creates a probe.
  ///
  /// - Parameters:
  ///   - directory: finds the feed of a podcast by its id.
  ///   - feeds: reads feeds.
  ///   - servers: makes the requests for episodes.
  package init(_ directory: ITunesDirectory, feeds: FeedCatalog, servers: ServerProbe) {
    self.directory = directory
    self.feeds = feeds
    self.servers = servers
  }

  /// Makes the requests. Cancelling the task ends the running request and skips the others.
  ///
  /// - Throws: a ``PodgetError`` when the directory or the file cannot be read, and for a source that
  ///   leads to no server. A server that cannot be used is no error: the report says so.
  package func probe(_ source: Source) async throws(PodgetError) -> Finding {
    switch source {
    case .feed(let url):
      return await probe(address: url)
    case .file(let path):
      let document = try await feeds.feed(inFile: path).document
      return .feed(await report(FeedObservations(source: path, document: document)))
    case .apple(let id, let country, _):
      guard let url = try await directory.podcast(id: id, country: country).podcast.feedURL else {
        throw PodgetError(.notFound, "Apple's directory names no feed for this podcast.")
      }
      return await probe(address: url.text)
    case .name, .standardInput:
      throw PodgetError(.notFound, "This is no id, link, feed address or file.")
    }
  }

  /// Probes an address: as a feed when its answer is text that can be read as one.
  private func probe(address: String) async -> Finding {
    let plain = await servers.ask(address)
    if case .text? = plain.content, plain.head.map({ $0.status < 300 }) == true,
      let observations = await observe(feed: address, plain)
    {
      return .feed(await report(observations))
    }
    return .episode(ServerReport(await servers.observe(address, plain)))
  }

  /// Reads the feed at an address, or the only one that a web page there links to; nil if there is
  /// none.
  private func observe(feed address: String, _ plain: ProbeAnswer) async -> FeedObservations? {
    guard let url = FeedURL(address) else { return nil }
    var (place, answered) = (url, plain)
    var read = try? await feeds.answer(at: place, fields: [], known: nil)
    if case .success(.read(.webPage(let links)))? = read?.content,
      let link = try? feeds.onlyFeed(of: links, on: url)
    {
      place = link
      answered = await servers.ask(link.text)
      read = try? await feeds.answer(at: link, fields: [], known: nil)
    }
    guard let read, case .success(.read(.feed(let document))) = read.content else { return nil }
    var observations = FeedObservations(
      source: AddressRedaction.withoutCredentials(address), url: place, plain: answered,
      bytes: read.fingerprint?.bytes, document: document)
    observations.repetition = await repetition(of: read, at: place)
    return observations
  }

  private func repetition(
    of first: FeedCatalog.Answer, at url: FeedURL
  ) async -> FeedObservations.Repetition {
    let fields = [("If-None-Match", "ETag"), ("If-Modified-Since", "Last-Modified")]
      .compactMap { condition, field in first.head.first(field).map { HTTPField(condition, $0) } }
    guard !fields.isEmpty,
      let second = try? await feeds.answer(at: url, fields: fields, known: first.fingerprint)
    else { return .untested }
    switch second.content {
    case .success(.notModified): return .notModified
    case .success(.sameBody): return .sameBytes
    case .success(.read): return .otherBytes
    case .failure: return .untested
    }
  }

  /// Probes the server of the newest episode.
  private func report(_ observations: FeedObservations) async -> FeedReport {
    var observations = observations
    let episodes = observations.document.episodes
    let newest = episodes.max { ($0.date ?? .distantPast) < ($1.date ?? .distantPast) }
    // Without dates, feeds list the newest episode first.
    if let episode = newest?.date == nil ? episodes.first : newest {
      observations.episode = episode
      observations.server = await servers.observe(WebAddress.forRequest(episode.enclosure.url))
    }
    return FeedReport(observations)
  }
}
