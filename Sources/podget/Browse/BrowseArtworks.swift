import BrowseScreen
import PodcastBrowse
import PodcastKit

/// Gets the artwork that is shown, one at a time: an older wish ends with a newer one.
struct BrowseArtworks: Sendable {
  /// An artwork that is wanted: its address, and what finds the User-Agent of its podcast.
  typealias Wish = (address: String, userAgent: @Sendable () async -> String?)

  private let settings: BrowseSettings
  private let library: Library
  private let disk: DiskPool
  private let transport: any Transport
  private let send: @Sendable (BrowseEvent) -> Void

  /// Creates what keeps artworks in memory and, if the folder can be made, in the library.
  ///
  /// - Parameter disk: opens the folder.
  init(
    _ settings: BrowseSettings, _ library: Library, disk: DiskPool, transport: any Transport,
    send: @escaping @Sendable (BrowseEvent) -> Void
  ) {
    self.settings = settings
    self.library = library
    self.disk = disk
    self.transport = transport
    self.send = send
  }

  /// Gets each artwork until the wishes end.
  ///
  /// - Parameter wishes: nil is a wish for nothing.
  func follow(_ wishes: AsyncStream<Wish?>) async {
    var running: Task<Void, Never>?
    var opening: Task<ArtworkCache?, Never>?
    for await wish in wishes {
      running?.cancel()
      running = nil
      guard let wish else { continue }
      let cache = opening ?? Task { await open() }
      opening = cache
      running = Task { await get(wish, from: cache.value) }
    }
    running?.cancel()
  }

  /// The cache, with the folder that it needs; nil without the program that decodes images. Who sees
  /// no image gets no folder.
  private func open() async -> ArtworkCache? {
    guard let program = ThumbnailDecoder.installedProgram(orIn: settings.programs) else {
      return nil
    }
    let library = library
    let folder = await disk.perform {
      try? library.ownFolder(named: ArtworkFolder.name, creating: true)
    }
    return ArtworkCache(
      transport: transport, decoder: ThumbnailDecoder(program: program),
      folder: folder.map { ArtworkFolder($0) },
      retries: RetryPolicy(
        retries: settings.retries, baseDelay: .seconds(settings.retryDelay)),
      allowsInsecureRedirects: settings.allowsInsecureRedirects)
  }

  private func get(_ wish: Wish, from cache: ArtworkCache?) async {
    let result: BrowseEvent
    do throws(PodgetError) {
      guard let cache else {
        throw PodgetError(.notFound, "\(ThumbnailDecoder.programName) is not installed.")
      }
      let artwork = try await cache.artwork(for: wish.address, userAgent: wish.userAgent())
      result = .artwork(wish.address, artwork.thumbnail)
    } catch {
      result = .artwork(wish.address, nil, why: error.said)
    }
    guard !Task.isCancelled else { return }
    send(result)
  }
}
