import PodcastArtwork

/// The artworks used last, up to a number of bytes.
struct ArtworkMemory: Sendable {
  private struct Entry {
    var artwork: Artwork
    var lastUse: Int
  }

  private let maximumBytes: Int
  private var entries: [String: Entry] = [:]
  private var uses = 0
  /// How many bytes the pixels take.
  private(set) var bytes = 0

  /// Creates an empty memory.
  init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

  /// The artwork of an address, which is then the one used last.
  mutating func artwork(for address: String) -> Artwork? {
    guard let artwork = entries[address]?.artwork else { return nil }
    uses += 1
    entries[address]?.lastUse = uses
    return artwork
  }

  /// Keeps an artwork, and forgets those that were not used for longest if there are too many.
  mutating func insert(_ artwork: Artwork, for address: String) {
    remove(address)
    uses += 1
    entries[address] = Entry(artwork: artwork, lastUse: uses)
    bytes += artwork.thumbnail.pixels.count
    while bytes > maximumBytes,
      let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })?.key
    {
      remove(oldest)
    }
  }

  private mutating func remove(_ address: String) {
    guard let entry = entries.removeValue(forKey: address) else { return }
    bytes -= entry.artwork.thumbnail.pixels.count
  }
}
