package import PodcastArtwork

/// How far an artwork is.
package enum ArtworkState: Sendable, Hashable {
  /// It is on its way.
  case waiting
  /// It is there.
  case image(Thumbnail)
  /// It cannot be shown: why, safe for a terminal.
  case failed(String)

  /// Whether it cannot be shown.
  package var isFailed: Bool { if case .failed = self { true } else { false } }
}

/// The artworks that were shown last, by their addresses.
struct ArtworkList: Sendable {
  /// How many are kept: each has some hundred kilobytes, and the work behind the screen keeps more.
  private static let most = 8

  /// The one shown last is at the end.
  private var entries: [(address: String, state: ArtworkState)] = []

  /// The state of an artwork; nil if it was not asked for.
  subscript(address: String) -> ArtworkState? {
    get { entries.last { $0.address == address }?.state }
    set {
      entries.removeAll { $0.address == address }
      guard let newValue else { return }
      entries.append((address, newValue))
      if entries.count > Self.most { entries.removeFirst() }
    }
  }
}
