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
  package func icon(of row: EpisodeRow) -> Thumbnail? {
    guard case .image(let icon)? = row.artwork.flatMap({ icons[$0] }) else { return nil }
    return icon
  }

  /// Takes an icon, or that there is none.
  mutating func receive(icon: Thumbnail?, at address: String) {
    requestedIcons.remove(address)
    let shown = iconColumns == nil ? [] : Set(shownArtworks.map(\.address))
    icons.set(icon.map { .image($0) } ?? .failed(""), at: address, keeping: shown)
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
    return shownArtworks.filter { icons[$0.address] == nil && seen.insert($0.address).inserted }
  }
}
