import BrowseScreen
import PodcastBrowse
import PodcastKit

/// Gets the artworks that are shown: an older wish ends with a newer one.
actor BrowseArtworks {
  /// How many icons are asked for at once; the artwork of the page does not wait for them.
  private static let mostIcons = 4

  private let settings: BrowseSettings
  private let library: Library
  private let disk: DiskPool
  private let transport: any Transport
  private let userAgent: @Sendable (String?) async -> String?
  private let send: @Sendable (BrowseEvent) -> Void
  private var opening: Task<ArtworkCache, Never>?
  /// The icons that are being read, by their addresses, and those that follow.
  private var gets: [String: (number: Int, task: Task<Void, Never>)] = [:]
  private var waiting: ArraySlice<ArtworkWish> = []
  private var lastGet = 0

  /// Creates what keeps artworks in memory and, if the folder can be made, in the library.
  ///
  /// - Parameters:
  ///   - disk: opens the folder.
  ///   - userAgent: finds the User-Agent for the artwork of an episode or a podcast.
  init(
    _ settings: BrowseSettings, _ library: Library, disk: DiskPool, transport: any Transport,
    userAgent: @escaping @Sendable (String?) async -> String?,
    send: @escaping @Sendable (BrowseEvent) -> Void
  ) {
    self.settings = settings
    self.library = library
    self.disk = disk
    self.transport = transport
    self.userAgent = userAgent
    self.send = send
  }

  /// Gets the artwork of each page until the wishes end.
  ///
  /// - Parameter wishes: nil is a wish for nothing.
  nonisolated func follow(pages wishes: AsyncStream<ArtworkWish?>) async {
    await Self.newest(of: wishes) { wish in
      if let wish { await self.getPage(wish) }
    }
  }

  /// Gets the icons of each list until the wishes end. Those of an earlier list that are still wanted go on.
  func follow(icons wishes: AsyncStream<[ArtworkWish]>) async {
    for await wishes in wishes {
      let addresses = Set(wishes.map(\.address))
      for (address, get) in gets where !addresses.contains(address) {
        get.task.cancel()
        gets[address] = nil
      }
      waiting = wishes.filter { gets[$0.address] == nil }[...]
      startIcons()
    }
    waiting = []
    for get in gets.values { get.task.cancel() }
    for get in gets.values { await get.task.value }
  }

  private func startIcons() {
    while gets.count < Self.mostIcons, let wish = waiting.popFirst() {
      lastGet += 1
      let number = lastGet
      let task = Task {
        await getIcon(wish)
        guard gets[wish.address]?.number == number else { return }
        gets[wish.address] = nil
        startIcons()
      }
      gets[wish.address] = (number, task)
    }
  }

  private static func newest<Wish: Sendable>(
    of wishes: AsyncStream<Wish>, _ get: @escaping @Sendable (Wish) async -> Void
  ) async {
    var running: Task<Void, Never>?
    for await wish in wishes {
      running?.cancel()
      running = Task { await get(wish) }
    }
    running?.cancel()
    await running?.value
  }

  /// The cache, which the first wish opens.
  private func cache() async -> ArtworkCache {
    let task = opening ?? Task { await open() }
    opening = task
    return await task.value
  }

  /// The cache, with the folder that it needs. Who sees no image gets no folder.
  private func open() async -> ArtworkCache {
    let library = library
    let folder = await disk.perform {
      try? library.ownFolder(named: ArtworkFolder.name, creating: true)
    }
    return ArtworkCache(
      transport: transport, decoder: ThumbnailDecoder(),
      folder: folder.map { ArtworkFolder($0) },
      retries: RetryPolicy(
        retries: settings.retries, baseDelay: .seconds(settings.retryDelay)),
      allowsInsecureRedirects: settings.allowsInsecureRedirects)
  }

  private func artwork(_ wish: ArtworkWish) async throws(PodgetError) -> Thumbnail {
    let cache = await cache()
    let agent = await userAgent(wish.owner)
    return try await cache.artwork(for: wish.address, userAgent: agent).thumbnail
  }

  private func getPage(_ wish: ArtworkWish) async {
    let result: BrowseEvent
    do throws(PodgetError) {
      result = .artwork(wish.address, try await artwork(wish))
    } catch {
      result = .artwork(wish.address, nil, why: error.said)
    }
    if !Task.isCancelled { send(result) }
  }

  private func getIcon(_ wish: ArtworkWish) async {
    let side = BrowseModel.iconSide
    let icon = (try? await artwork(wish))?.scaled(to: Extent(width: side, height: side))
    if !Task.isCancelled { send(.icon(wish.address, icon)) }
  }
}
