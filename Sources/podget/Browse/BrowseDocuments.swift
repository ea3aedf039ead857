import BrowseScreen
import FoundationEssentials
import PodcastBrowse
import PodcastKit

/// The details of an episode: what its feed says, and the documents that the feed names.
extension BrowseEngine {
  func loadDetails(_ key: String) async {
    do throws(PodgetError) {
      guard let details = try await details(of: key) else {
        let text = "The podcast says nothing more about this episode."
        return send(.details(key, .lines([DetailLine(text)])))
      }
      send(
        .details(
          key, .lines(BrowseDetails.notes(details)), pages: BrowseDetails.pages(details)))
    } catch {
      // What is stored needs no network.
      guard let stored = await stored(key), let notes = stored.notes, !notes.isEmpty else {
        return send(.details(key, .failed(error.said)))
      }
      let lines = notes.map { DetailLine($0) }
      send(.details(key, .lines(lines), pages: BrowseDetails.pages(stored.kinds)))
    }
  }

  /// What is stored beside an episode of the library; nil for another one.
  private func stored(_ key: String) async -> StoredDocuments? {
    guard let episodeKey = EpisodeKey(key) else { return nil }
    let library = library
    return await disk.perform {
      library.reading(.keys([episodeKey])).episodes.first { $0.key == key }
        .map { StoredDocuments(of: $0, in: library) }
    }
  }

  /// Reads the chapters or the transcript of an episode. A page of another episode, and the same one
  /// that is asked for again, is no longer waited for.
  func loadPage(_ page: DetailPage, of key: String) async {
    if reading.key != key {
      for task in reading.tasks.values { task.cancel() }
      reading = (key, [:])
    }
    reading.tasks[page]?.cancel()
    let task = Task { await text(of: page, of: key) }
    reading.tasks[page] = task
    let result = await task.value
    if !task.isCancelled { send(.page(key, page, result)) }
  }

  private func text(of page: DetailPage, of key: String) async -> DetailText {
    if page != .notes, let stored = await stored(key) {
      let lines = await disk.perform {
        page == .chapters
          ? stored.chapters.map { BrowseDetails.lines($0) }
          : stored.transcript.map { BrowseDetails.lines($0) }
      }
      if let lines { return .lines(lines) }
    }
    do throws(PodgetError) {
      let details = try await details(of: key)
      switch page {
      case .notes: return .lines([])
      case .chapters:
        if let chapters = details?.chapters, !chapters.isEmpty {
          return .lines(BrowseDetails.lines(chapters))
        }
        let document = try await document(
          at: details?.chaptersURL, of: key, Chapter.maximumBytes)
        let lines = await disk.perform {
          Result { () throws(PodgetError) in
            BrowseDetails.lines(
              try Chapter.list(in: document.bytes, charset: document.charset))
          }
        }
        return .lines(try lines.get())
      case .transcript:
        guard let (transcript, format) = details?.bestTranscript else {
          throw PodgetError(.decoding, "podget cannot read transcripts of this type.")
        }
        let document = try await document(
          at: transcript.url, of: key, TranscriptParagraph.maximumBytes)
        let lines = await disk.perform {
          Result { () throws(PodgetError) in
            BrowseDetails.lines(
              try TranscriptParagraph.list(
                in: document.bytes, format: format, charset: document.charset))
          }
        }
        return .lines(try lines.get())
      }
    } catch {
      // The next attempt may need another address.
      shownDetails = nil
      return .failed(error.said)
    }
  }

  private func document(
    at address: String?, of key: String, _ maximumBytes: Int
  ) async throws(PodgetError) -> FeedCatalog.Document {
    guard let url = address.flatMap(FeedURL.init) else {
      throw PodgetError(.notFound, "The podcast names no address for it.")
    }
    return try await feeds.document(
      at: url, of: await podcast(of: key), maximumBytes: maximumBytes)
  }

  /// The podcast of an episode, or the one that a source names.
  private func podcast(of key: String) async -> Podcast? {
    let source = listed[key]?.source ?? key
    if let subscription = await followed(source)?.subscription { return subscription.podcast }
    if let read = podcasts[source] { return read.listing.podcast }
    return await plans([key])[key]?.podcast
  }

  /// The User-Agent for artwork of an episode or a podcast; nil for the usual one.
  func userAgent(ofArtworkOf key: String?) async -> String? {
    guard let key, let podcast = await podcast(of: key) else { return nil }
    return run.subscribed.own(of: podcast).userAgent
  }

  /// What the feed says about an episode, from the last reading if that has it; nil for nothing.
  private func details(of key: String) async throws(PodgetError) -> EpisodeDetails? {
    if let shownDetails, shownDetails.key == key { return shownDetails.details }
    let details = try await readDetails(ofEpisode: key)
    shownDetails = details.map { (key, $0) }
    return details
  }

  private func readDetails(ofEpisode key: String) async throws(PodgetError) -> EpisodeDetails? {
    var (source, wanted) = (listed[key]?.source, listed[key]?.episode)
    if source == nil {
      guard let plan = await plans([key])[key] else {
        throw PodgetError(.notFound, "The library does not have this episode.")
      }
      (source, wanted) = (plan.podcast.source, plan.episode)
    }
    guard let address = source, let wanted else { return nil }
    let known = await knownDetails(of: address)
    if let details = known?.details(of: wanted) { return details }
    guard let read = try await readDetails(of: address, since: known?.version) else { return nil }
    let details = read.details(of: wanted)
    if details == nil, let problem = read.detailsProblem {
      throw PodgetError(
        problem.code, "The podcast's feed cannot be read: \(problem.message)")
    }
    return details
  }

  /// What was read of a podcast last, with what its feed says of episodes: the last reading if that has
  /// it; nil if the feed cannot be read.
  func detailed(_ source: String) async -> Read? {
    if let known = await knownDetails(of: source) { return known }
    return try? await readDetails(of: source, since: nil)
  }

  /// What was read of a podcast last, if it has details: of a list that was stored, they are not known.
  private func knownDetails(of source: String) async -> Read? {
    let subscription = await followed(source)?.subscription
    let names = [subscription?.name ?? source, source]
    return names.lazy.compactMap { self.read($0, of: subscription) }.first { !$0.details.isEmpty }
  }

  /// Reads a feed with details, and keeps what it says; nil if it is as it was.
  private func readDetails(
    of source: String, since version: FeedVersion?
  ) async throws(PodgetError) -> Read? {
    let subscription = await followed(source)?.subscription
    guard var read = try await ask(source, since: version, details: .ofAll) else { return nil }
    read.feed = subscription?.feedURL.text
    keep(read, of: subscription?.name ?? source)
    return read
  }
}
