import PodcastModel

/// The origins (scheme, host and port) that the user named, to whom podget may send a password from
/// `~/.netrc` in clear.
///
/// Everywhere else such passwords go over https alone: an address from a feed, a directory or a
/// redirect may be anyone's.
public struct NamedOrigins: Sendable, Hashable {
  private var origins: Set<String>

  /// Takes the origins of addresses; what is no web address names none.
  public init(_ addresses: [String] = []) {
    origins = Set(addresses.compactMap { WebAddress(WebAddress.forRequest($0))?.origin })
  }

  /// Whether `~/.netrc` may be used for a request to this address.
  func allowPasswords(for url: String) -> Bool {
    guard let address = WebAddress(url) else { return false }
    return address.scheme == "https" || origins.contains(address.origin)
  }
}
