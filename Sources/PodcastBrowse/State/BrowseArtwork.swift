package import BrowseScreen

/// Which artwork is shown, and where.
extension BrowseModel {
  /// The smallest screen with an artwork, and its rows there; a larger one takes a quarter of the
  /// rows, up to a limit.
  private static let smallest = ScreenSize(columns: 60, rows: 20)
  private static let rows = 5...12

  /// The artwork of the page that is shown; nil if it has none, or if there is no room for it.
  package var artwork: (state: ArtworkState, space: CellArea)? {
    guard let address = shownArtwork, let space = artworkSpace else { return nil }
    return (artworks[address] ?? .waiting, space)
  }

  /// How many rows the header of the page has.
  package var headerRows: Int {
    tab == .new && overlay == nil ? newHeaderRows : headerRows(of: shownArtwork)
  }

  /// How many rows the header of what is new has: it does not change with the selection.
  var newHeaderRows: Int { artworkSpace?.rows ?? 1 }

  /// How many rows the header of a page with an artwork has.
  func headerRows(of address: String?) -> Int {
    address == nil ? 1 : artworkSpace?.rows ?? 1
  }

  /// The address of the artwork of the page.
  private var shownArtwork: String? { shownOwner?.artwork }

  /// What the artwork of the page is of: an episode, or a podcast by its source.
  private var shownOwner: (key: String, artwork: String?)? {
    switch overlay {
    case .help?, .errors?, .settings?, .words?: return nil
    case .details(let details)?: return (details.key, row(details.key)?.artwork)
    case nil:
      switch tab {
      case .catalog: return podcast.map { ($0.source, $0.artwork) }
      case .saved, .downloads: return nil
      case .new: return new.selected.map { ($0.key, $0.artwork) }
      }
    }
  }

  /// The cells for an artwork; nil on a screen that has no room, or on a terminal without images.
  private var artworkSpace: CellArea? {
    guard let cell = imageCell, size.columns >= Self.smallest.columns,
      size.rows >= Self.smallest.rows
    else { return nil }
    let rows = min(max(size.rows / 4, Self.rows.lowerBound), Self.rows.upperBound)
    let columns = cell.columns(forRows: rows)
    // The texts beside it need more than half of the columns.
    guard columns <= size.columns / 2 - 4 else { return nil }
    return CellArea(row: 1, column: 1, rows: rows, columns: columns)
  }

  /// Takes an artwork, or that there is none.
  mutating func receive(_ state: ArtworkState, at address: String) {
    // Nobody waits for another one any more.
    if address == requestedArtwork { artworks.set(state, at: address) }
  }

  /// Asks for the artwork of the page once, and for none when nobody waits any more.
  mutating func followArtwork() -> [BrowseEffect] {
    let wanted = artworkSpace == nil ? nil : shownArtwork
    guard wanted != requestedArtwork else { return [] }
    let isWaiting = requestedArtwork.map { artworks[$0] == .waiting } ?? false
    if isWaiting, let requestedArtwork { artworks.set(nil, at: requestedArtwork) }
    requestedArtwork = wanted
    if let wanted {
      if case .image? = artworks[wanted] {
      } else {
        artworks.set(.waiting, at: wanted)
        return [.loadArtwork(ArtworkWish(address: wanted, owner: shownOwner?.key))]
      }
    }
    return isWaiting ? [.loadArtwork(nil)] : []
  }

  /// Asks again for the artworks on the screen that failed.
  mutating func retryArtwork() {
    icons.forgetFailed()
    if let requestedArtwork, artworks[requestedArtwork]?.isFailed == true {
      self.requestedArtwork = nil
    }
  }
}
