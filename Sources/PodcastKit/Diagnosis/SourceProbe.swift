import FoundationEssentials
package import PodcastFeeds
import PodcastLibrary
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
      return try await probe(address: url)
    case .file(let path):
      let document = try await feeds.feed(inFile: path).document
      return .feed(await report(FeedObservations(source: path, document: document)))
    case .apple(let id, let country, _):
      guard let url = try await directory.podcast(id: id, country: country).podcast.feedURL else {
        throw PodgetError(.notFound, "Apple's catalog names no feed for this podcast.")
      }
      return try await probe(address: url.text)
    case .name(let name):
      guard await feeds.isFile(name) else { throw PodgetError.unknownSource(name) }
      return try await probe(.file(path: name))
    case .standardInput:
      throw PodgetError(.notFound, "Standard input is no address.")
    }
  }

  /// Probes an address: as a feed when its answer is text that can be read as one.
  private func probe(address: String) async throws(PodgetError) -> Finding {
    let plain = await servers.ask(address)
    // Some servers compress whatever is asked for.
    let text = plain.isCoded ? await servers.ask(address, acceptsCodings: true) : plain
    if case .text(let kind)? = text.content,
      let observations = try await observe(feed: address, text, kind)
    {
      return .feed(await report(observations))
    }
    return .episode(ServerReport(await servers.observe(address, plain)))
  }

  /// Reads the feed at an address, or the only one that a web page there links to; nil if there is
  /// none.
  ///
  /// - Throws: a ``PodgetError`` when what begins as a feed cannot be read, and for a web page that
  ///   links to several feeds.
  private func observe(
    feed address: String, _ plain: ProbeAnswer, _ kind: FileCheck.TextKind
  ) async throws(PodgetError) -> FeedObservations? {
    guard let url = FeedURL(address) else { return nil }
    var (place, answered) = (url, plain)
    var read: FeedCatalog.Answer
    do throws(FetchFailure) {
      read = try await feeds.answer(at: place, fields: [], known: nil)
    } catch {
      guard kind == .xml || kind == .json else { return nil }
      throw error.error
    }
    if case .success(.read(.webPage(let links))) = read.content {
      guard !links.isEmpty else { return nil }
      place = try feeds.onlyFeed(of: links, on: url)
      answered = await servers.ask(place.text)
      do throws(FetchFailure) {
        read = try await feeds.answer(at: place, fields: [], known: nil)
      } catch {
        throw error.error
      }
    }
    guard case .success(.read(.feed(let document))) = read.content else { return nil }
    var observations = FeedObservations(
      source: AddressRedaction.withoutCredentials(address), url: place, plain: answered,
      bytes: read.fingerprint?.bytes, document: document)
    observations.repetition = await repetition(of: read, at: place)
    return observations
  }

  private func repetition(
    of first: FeedCatalog.Answer, at url: FeedURL
  ) async -> FeedObservations.Repetition {
    let validators = FeedValidators(
      etag: first.head.first("ETag"), lastModified: first.head.first("Last-Modified"))
    var (use, result) = (ValidatorUse.both, FeedObservations.Repetition.untested)
    // A sync sends fewer of them too when they do not help together.
    while use != .none, !use.sent(of: validators).isEmpty {
      let sent = use.sent(of: validators)
      let fields = [("If-None-Match", sent.etag), ("If-Modified-Since", sent.lastModified)]
        .compactMap { name, value in value.map { HTTPField(name, $0) } }
      guard let next = try? await feeds.answer(at: url, fields: fields, known: first.fingerprint)
      else { return result }
      switch next.content {
      case .success(.notModified): return .notModified
      case .success(.sameBody): result = .sameBytes
      case .success(.read): return .otherBytes
      case .failure: return result
      }
      use = use.next(for: validators)
    }
    return result
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
