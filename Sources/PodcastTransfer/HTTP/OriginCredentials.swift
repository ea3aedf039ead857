package import PodcastModel
import Synchronization

/// User names and passwords, each for one origin (scheme, host and port). If an origin has several,
/// each address that was given with its own keeps that, and the first one counts for all others.
///
/// They are in memory only: nothing writes them into a record, a message or an address that is kept.
public final class OriginCredentials: Sendable {
  private let userinfo = Mutex<[String: String]>([:])
  private let ownUserinfo = Mutex<[String: String]>([:])

  /// Makes an empty store.
  public init() {}

  /// Takes the user name and password out of an address, and keeps them for its origin.
  ///
  /// - Returns: the address without them.
  public func take(from url: String) -> String {
    guard let address = WebAddress(WebAddress.forRequest(url)), let found = address.userinfo else {
      return url
    }
    let clean = AddressRedaction.withoutCredentials(url)
    if !found.isEmpty {
      userinfo.withLock { $0[address.origin] = $0[address.origin] ?? String(found) }
      ownUserinfo.withLock { $0[WebAddress.forRequest(clean)] = String(found) }
    }
    return clean
  }

  /// Keeps a user name and password for the origin of an address.
  public func set(user: String, password: String, for url: String) {
    guard let address = WebAddress(WebAddress.forRequest(url)) else { return }
    let text = "\(Self.encoded(user)):\(Self.encoded(password))"
    userinfo.withLock { $0[address.origin] = text }
  }

  /// Keeps the user name and password that another store has for an address: for that address, and
  /// for its origin if that has none yet.
  package func adopt(_ url: String, from other: OriginCredentials) {
    let request = WebAddress.forRequest(url)
    guard let address = WebAddress(request), address.userinfo == nil,
      let found = other.userinfo(for: request, address)
    else { return }
    ownUserinfo.withLock { $0[request] = found }
    userinfo.withLock { $0[address.origin] = $0[address.origin] ?? found }
  }

  /// Forgets everything that is for other addresses and other origins than those of these addresses.
  package func forget(except addresses: [String]) {
    let kept = Set(addresses.map { WebAddress.forRequest($0) })
    let origins = Set(kept.compactMap { WebAddress($0)?.origin })
    ownUserinfo.withLock { own in own = own.filter { kept.contains($0.key) } }
    userinfo.withLock { all in all = all.filter { origins.contains($0.key) } }
  }

  /// Whether the feed or the file of an episode is requested with one of them.
  package func areUsed(for episode: Episode, of podcast: Podcast) -> Bool {
    [podcast.feedURL?.text, episode.enclosure.url].compactMap(\.self).contains { url in
      let request = WebAddress.forRequest(url)
      return WebAddress(request).flatMap { userinfo(for: request, $0) } != nil
    }
  }

  private func userinfo(for url: String, _ address: WebAddress) -> String? {
    ownUserinfo.withLock { $0[url] } ?? userinfo.withLock { $0[address.origin] }
  }

  private static func encoded(_ text: String) -> String {
    text.utf8.map { byte in
      let isPlain = (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
      return isPlain ? String(UnicodeScalar(byte)) : PercentEncoding.encoded(byte)
    }.joined()
  }

  /// The address with the user name and password of its origin, where there are any and the address
  /// has none.
  func authorized(_ url: String) -> String {
    guard let address = WebAddress(url), address.userinfo == nil,
      let found = userinfo(for: url, address),
      let start = url.firstRange(of: "://")?.upperBound
    else { return url }
    return "\(url[..<start])\(found)@\(url[start...])"
  }
}

/// A transport that adds the credentials of an origin to each request for it. A redirect is a request
/// of its own, so that no other origin gets them.
package struct AuthorizingTransport: Transport {
  private let transport: any Transport
  private let credentials: OriginCredentials

  /// Adds credentials to the requests that go through another transport.
  package init(_ transport: any Transport, _ credentials: OriginCredentials) {
    self.transport = transport
    self.credentials = credentials
  }

  package func perform(
    _ request: HTTPRequest, receiver: any ResponseReceiver, control: TransferControl
  ) async -> TransferEnd {
    var request = request
    request.url = credentials.authorized(request.url)
    return await transport.perform(request, receiver: receiver, control: control)
  }
}
