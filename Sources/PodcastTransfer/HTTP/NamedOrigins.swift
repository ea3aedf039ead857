import PodcastModel

/// The origins (scheme, host and port) that the user named. podget may send a password from
/// `~/.netrc` to them without encryption.
///
/// To all other origins such passwords are sent over https only: an address from a feed, a
/// directory or a redirect may be anyone's.
public struct NamedOrigins: Sendable, Hashable {
  private var origins: Set<String>

  /// Creates the origins of addresses; text that is not a web address is ignored.
  public init(_ addresses: [String] = []) {
    origins = Set(addresses.compactMap { WebAddress(WebAddress.forRequest($0))?.origin })
  }

  /// Whether `~/.netrc` may be used for a request to this address.
  func allowPasswords(for url: String) -> Bool {
    guard let address = WebAddress(url) else { return false }
    return address.scheme == "https" || origins.contains(address.origin)
  }
}
