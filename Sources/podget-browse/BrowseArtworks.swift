import BrowseScreen
import PodcastBrowse
import PodcastKit

/// Gets the artwork that is shown, one at a time: an older wish ends with a newer one.
struct BrowseArtworks: Sendable {
  private let cache: ArtworkCache?
  private let send: @Sendable (BrowseEvent) -> Void

  /// Creates what keeps artworks in memory and, if the folder can be made, in the library.
  init(
    _ settings: BrowseSettings, _ library: Library, transport: any Transport,
    send: @escaping @Sendable (BrowseEvent) -> Void
  ) {
    self.send = send
    guard let program = ThumbnailDecoder.installedProgram(orIn: settings.programs) else {
      cache = nil
      return
    }
    let folder = try? library.ownFolder(named: ArtworkFolder.name, creating: true)
    cache = ArtworkCache(
      transport: transport, decoder: ThumbnailDecoder(program: program),
      folder: folder.map { ArtworkFolder($0) },
      retries: RetryPolicy(
        retries: settings.retries, baseDelay: .seconds(settings.retryDelay)),
      allowsInsecureRedirects: settings.allowsInsecureRedirects)
  }

  /// Gets each artwork until the wishes end.
  ///
  /// - Parameter wishes: the addresses; nil is a wish for nothing.
  func follow(_ wishes: AsyncStream<String?>) async {
    var running: Task<Void, Never>?
    for await address in wishes {
      running?.cancel()
      running = address.map { address in Task { await get(address) } }
    }
    running?.cancel()
  }

  private func get(_ address: String) async {
    let artwork = try? await cache?.artwork(for: address)
    guard !Task.isCancelled else { return }
    send(.artwork(address, artwork?.thumbnail))
  }
}
