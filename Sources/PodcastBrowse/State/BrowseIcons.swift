import BrowseScreen
package import PodcastArtwork

/// The small artworks in the rows of what is new.
extension BrowseModel {
  /// The smallest screen with icons.
  private static let smallest = 60
  /// The longest side of an icon in pixels: a row is not higher on any usual screen.
  package static let iconSide = 64

  /// How many columns an icon takes; nil where rows have none.
  package var iconColumns: Int? {
    guard hasIcons, tab == .new, overlay == nil, size.columns >= Self.smallest else { return nil }
    // Cells of strange proportions have none.
    return (imageCell?.columns(forRows: 1)).flatMap { $0 <= 4 ? $0 : nil }
  }

  /// The icon of an episode, if it is there.
  package func icon(of row: EpisodeRow) -> Thumbnail? { row.artwork.flatMap { icons[$0] } }

  /// Takes an icon, or that there is none.
  mutating func receive(icon: Thumbnail?, at address: String) {
    requestedIcons.remove(address)
    icons.insert(
      icon, at: address, keeping: iconColumns == nil ? [] : Set(shownArtworks.map(\.address)))
  }

  /// The artworks of the rows on the screen, with the keys of the rows.
  private var shownArtworks: [ArtworkWish] {
    (new.top..<new.top + listHeight).compactMap { line in
      new.row(line).flatMap { row in
        row.artwork.map { ArtworkWish(address: $0, owner: row.key) }
      }
    }
  }

  /// Asks for the icons of the rows on the screen, and for no others any more.
  mutating func followIcons() -> [BrowseEffect] {
    let wanted = wantedIcons
    let addresses = Set(wanted.map(\.address))
    guard !addresses.isSubset(of: requestedIcons) || addresses.isEmpty && !requestedIcons.isEmpty
    else { return [] }
    requestedIcons = addresses
    return [.loadIcons(wanted)]
  }

  /// The artworks of the rows on the screen that were not asked for, or have no answer, each once.
  private var wantedIcons: [ArtworkWish] {
    guard iconColumns != nil else { return [] }
    var seen: Set<String> = []
    return shownArtworks.filter { !icons.knows($0.address) && seen.insert($0.address).inserted }
  }
}

/// An artwork that is wanted.
package struct ArtworkWish: Sendable, Hashable {
  /// Its address.
  package var address: String
  /// Whose it is: an episode's key, or a podcast's source.
  package var owner: String?

  /// Creates a wish.
  package init(address: String, owner: String?) {
    (self.address, self.owner) = (address, owner)
  }
}

/// The icons that were asked for last, by their addresses.
struct IconList: Sendable {
  /// How many are kept: more than fit on a screen, each with 16 KiB at most.
  private static let most = 512

  /// Nil for those that cannot be shown.
  private var icons: [String: Thumbnail?] = [:]
  /// The addresses in the order in which they came.
  private var order: [String] = []

  subscript(address: String) -> Thumbnail? { icons[address] ?? nil }

  /// Whether an icon came, or that there is none.
  func knows(_ address: String) -> Bool { icons[address] != nil }

  /// Keeps an icon; nil for one that cannot be shown.
  ///
  /// - Parameter shown: addresses that no other icon takes the place of.
  mutating func insert(_ icon: Thumbnail?, at address: String, keeping shown: Set<String>) {
    if icons.updateValue(icon, forKey: address) == nil { order.append(address) }
    guard order.count > Self.most, let oldest = order.firstIndex(where: { !shown.contains($0) })
    else { return }
    icons[order.remove(at: oldest)] = nil
  }

  /// Forgets those that cannot be shown.
  mutating func forgetFailed() {
    icons = icons.filter { $0.value != nil }
    order.removeAll { icons[$0] == nil }
  }
}
