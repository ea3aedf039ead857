import FoundationEssentials
import PodcastArtwork
import PodcastModel
import PodcastTransfer
import Synchronization

/// Gets one artwork from the disk or from its server, and stores it.
struct ArtworkLoader: Sendable {
  private let transport: any Transport
  private let decoder: any ImageDecoder
  private let folder: ArtworkFolder?
  private let allowsInsecureRedirects: Bool
  private let retrying: FetchRetries
  private let gate: HostGate
  private let refreshAge: Double
  private let now: @Sendable () -> Date
  private let disk = DiskPool(threads: 2)

  /// Creates a loader.
  init(
    transport: any Transport, decoder: any ImageDecoder, folder: ArtworkFolder?,
    allowsInsecureRedirects: Bool, retrying: FetchRetries, gate: HostGate, refreshAge: Double,
    now: @escaping @Sendable () -> Date
  ) {
    self.transport = transport
    self.decoder = decoder
    self.folder = folder
    self.allowsInsecureRedirects = allowsInsecureRedirects
    self.retrying = retrying
    self.gate = gate
    self.refreshAge = refreshAge
    self.now = now
  }

  /// The artwork at an address. An old one on the disk is confirmed by its server; if that fails, it
  /// is used as it is.
  func load(_ address: String, userAgent: String?) async -> Result<Artwork, PodgetError> {
    let place = folder.flatMap { folder in
      ArtworkFolder.name(of: address, size: decoder.size).map { (folder, name: $0) }
    }
    var stored: StoredArtwork?
    if let (folder, name) = place {
      stored = await disk.look { folder.artwork(named: name) } ?? nil
    }
    var known: Artwork?
    if let stored { known = await artwork(in: stored) }
    // What cannot be shown is not confirmed.
    if known == nil { stored = nil }
    if let stored, let known, isRecent(stored) { return .success(known) }
    do throws(PodgetError) {
      let (new, artwork) = try await fetched(address, userAgent, stored)
      if let (folder, name) = place { await disk.perform { folder.store(new, named: name) } }
      guard let artwork = artwork ?? known else {
        throw PodgetError(.decoding, "The image cannot be used: its server confirms another one.")
      }
      return .success(artwork)
    } catch {
      return known.map { .success($0) } ?? .failure(error)
    }
  }

  private func artwork(in stored: StoredArtwork) async -> Artwork? {
    let thumbnail = try? await decoder.thumbnail(of: Data(stored.file))
    return thumbnail.map { Artwork(thumbnail: $0, imageBytes: stored.imageBytes) }
  }

  /// A time in the future is one of a clock that was wrong.
  private func isRecent(_ stored: StoredArtwork) -> Bool {
    (0..<refreshAge).contains(now().timeIntervalSince(stored.checked))
  }

  private func fetched(
    _ address: String, _ userAgent: String?, _ stored: StoredArtwork?
  ) async throws(PodgetError) -> Answer {
    guard let web = WebAddress(WebAddress.forRequest(address)), web.isHTTP else {
      throw PodgetError(
        .notFound, "\"\(AddressRedaction.shown(address))\" is not a web address.")
    }
    // The slot is kept while the image is decoded, so that few images are in memory.
    let artwork = try await gate.withPlace(at: web.origin) { () async throws(PodgetError) in
      try await answered(address, web.host, userAgent, stored)
    }
    guard let artwork else { throw PodgetError(.network, "The request was stopped.") }
    return artwork
  }

  /// What is stored of an answer, and its artwork; nil if that is the known one.
  private typealias Answer = (stored: StoredArtwork, artwork: Artwork?)

  private func answered(
    _ address: String, _ host: String, _ userAgent: String?, _ stored: StoredArtwork?
  ) async throws(PodgetError) -> Answer {
    var request = HTTPRequest(
      url: WebAddress.forRequest(address),
      headers: [HTTPField("Accept", "image/jpeg, image/png, image/webp, image/*;q=0.5")])
    if let etag = stored?.validators.etag {
      request.headers.append(HTTPField("If-None-Match", etag))
    }
    if let date = stored?.validators.lastModified {
      request.headers.append(HTTPField("If-Modified-Since", date))
    }
    if let userAgent { request.headers.append(HTTPField("User-Agent", userAgent)) }
    let isConditional = stored?.validators.isEmpty == false
    let answer = try await retrying.run(host) { [request] () async throws(FetchFailure) in
      try await transport.fetch(
        request, maximumBytes: ImageLimits.bytes,
        allowsInsecureRedirects: allowsInsecureRedirects, acceptsNotModified: isConditional)
    }
    let time = now()
    if answer.head.status == 304, var stored {
      stored.checked = time
      return (stored, nil)
    }
    let modified = answer.head.first("Last-Modified")
    let kept = try await decoder.keptThumbnail(of: answer.body)
    let new = StoredArtwork(
      file: kept.file, imageBytes: answer.body.count,
      validators: FeedValidators(
        etag: answer.head.first("ETag"), lastModified: modified,
        modified: modified.flatMap { Date(httpDate: $0, now: time) },
        date: answer.head.first("Date").flatMap { Date(httpDate: $0, now: time) } ?? time),
      checked: time)
    return (new, Artwork(thumbnail: kept.thumbnail, imageBytes: answer.body.count))
  }
}
