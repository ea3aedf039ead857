package import PodcastArtwork

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

/// The artworks that came last, by their addresses.
struct ArtworkList: Sendable {
  private let most: Int
  private var states: [String: ArtworkState] = [:]
  /// The addresses in the order in which they came.
  private var order: [String] = []

  /// Creates an empty list.
  ///
  /// - Parameter most: how many are kept.
  init(most: Int) { self.most = most }

  /// The state of an artwork; nil if it was not asked for, or is kept no longer.
  subscript(address: String) -> ArtworkState? { states[address] }

  /// Keeps an artwork in a new state, or forgets it.
  ///
  /// - Parameter shown: addresses that no other artwork takes the place of.
  mutating func set(_ state: ArtworkState?, at address: String, keeping shown: Set<String> = []) {
    if states[address] != nil { order.removeAll { $0 == address } }
    states[address] = state
    guard state != nil else { return }
    order.append(address)
    guard order.count > most, let oldest = order.firstIndex(where: { !shown.contains($0) }) else {
      return
    }
    states[order.remove(at: oldest)] = nil
  }

  /// Forgets those that cannot be shown.
  mutating func forgetFailed() {
    states = states.filter { !$0.value.isFailed }
    order.removeAll { states[$0] == nil }
  }
}
