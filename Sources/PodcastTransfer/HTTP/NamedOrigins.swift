import PodcastModel
import Synchronization

/// The origins (scheme, host and port) that the user named. podget may send a password from
/// `~/.netrc` to them without encryption, and also that of the `default` entry.
///
/// To all other origins passwords are sent over https only, and only those of their own entries: an
/// address from a feed, a directory or a redirect may be anyone's. A session that has the value sees what is added later.
public final class NamedOrigins: Sendable, Hashable {
  private let origins: Mutex<Set<String>>

  /// Creates the origins of addresses; text that is not a web address is ignored.
  public init(_ addresses: [String] = []) { origins = Mutex(Self.origins(of: addresses)) }

  /// Adds the origins of addresses that the user has named since.
  public func add(_ addresses: [String]) {
    let new = Self.origins(of: addresses)
    origins.withLock { $0.formUnion(new) }
  }

  /// Whether `~/.netrc` may be used for a request to this address.
  func allowPasswords(for url: String) -> Bool {
    guard let address = WebAddress(url) else { return false }
    return address.scheme == "https" || contains(address)
  }

  /// Whether the user named the origin of an address.
  func contains(_ address: WebAddress) -> Bool { all.contains(address.origin) }

  /// Whether both have the same origins now.
  public static func == (one: NamedOrigins, other: NamedOrigins) -> Bool { one.all == other.all }

  /// Hashes the origins of now.
  public func hash(into hasher: inout Hasher) { hasher.combine(all) }

  private var all: Set<String> { origins.withLock { $0 } }

  private static func origins(of addresses: [String]) -> Set<String> {
    Set(addresses.compactMap { WebAddress(WebAddress.forRequest($0))?.origin })
  }
}
