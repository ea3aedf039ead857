package import FoundationEssentials
package import PodcastModel

/// One request with its redirects (RFC 9110, section 15.4): which are followed, and what the next
/// request gets from the one before.
///
/// A user name and password are sent to the origin of their address and to no other; cookies are
/// sent to their own host; nothing else is kept.
package struct RedirectChain: Sendable {
  /// Why a redirect is not followed.
  package enum Refusal: Error, Sendable, Hashable {
    case tooMany
    /// The target is not an http or https address, or is too long.
    case scheme(target: String)
    /// From https to http, which is not allowed.
    case insecure(host: String)
  }

  /// How many redirects are followed.
  package static let limit = 10

  /// The address of the current request.
  package private(set) var url: String
  /// How many redirects were followed.
  package private(set) var redirects = 0
  private let allowsInsecure: Bool
  private let credentials: (origin: String, userinfo: String)?
  private var cookies = CookieJar()

  /// Starts at an address.
  ///
  /// - Parameter original: the address whose credentials are used for its origin; `url` itself
  ///   unless another address replaces it.
  package init(_ url: String, original: String? = nil, allowsInsecureRedirects: Bool) {
    allowsInsecure = allowsInsecureRedirects
    let source = WebAddress(WebAddress.forRequest(original ?? url))
    credentials = source.flatMap { source in
      source.userinfo.map { (source.origin, String($0)) }
    }
    self.url = WebAddress.forRequest(url)
    self.url = withCredentials(self.url)
  }

  /// The parts of the current address; nil when it is not a web address.
  package var address: WebAddress? {
    guard url.utf8.count <= WebAddress.maximumBytes else { return nil }
    return WebAddress(url).flatMap { $0.isHTTP ? $0 : nil }
  }

  /// The request for the current address, with the cookies that its host has set.
  package func request(_ request: HTTPRequest, at now: Date) -> HTTPRequest {
    var request = request
    request.url = url
    if let address, let field = cookies.field(for: address, at: now) {
      request.headers.append(field)
    }
    return request
  }

  /// Follows a redirect.
  ///
  /// - Parameters:
  ///   - target: its absolute target.
  ///   - head: the answer, for its cookies.
  package mutating func follow(_ target: String, _ head: ResponseHead?, at now: Date)
    throws(Refusal)
  {
    guard let source = address else { throw .scheme(target: url) }
    redirects += 1
    let target = WebAddress.forRequest(target)
    try Self.check(
      from: source, to: target, number: redirects, allowsInsecure: allowsInsecure)
    if let head { cookies.take(head, from: source, at: now) }
    url = withCredentials(target)
  }

  /// Whether the `number`th redirect of one request, from 1, is followed.
  package static func check(
    from source: WebAddress, to target: String, number: Int, allowsInsecure: Bool
  ) throws(Refusal) {
    guard number <= limit else { throw .tooMany }
    // If the address is too long, its scheme does not matter.
    guard target.utf8.count <= WebAddress.maximumBytes else { throw .scheme(target: "") }
    guard let address = WebAddress(target), address.isHTTP else { throw .scheme(target: target) }
    guard allowsInsecure || source.scheme != "https" || address.scheme == "https" else {
      throw .insecure(host: address.host)
    }
  }

  /// Whether a stored address that answered an earlier run may replace the original one: a redirect
  /// to it would be followed, and it has no credentials of its own.
  package static func mayAsk(_ stored: String, insteadOf original: String, allowsInsecure: Bool)
    -> Bool
  {
    guard let source = WebAddress(WebAddress.forRequest(original)),
      WebAddress(stored)?.userinfo == nil
    else { return false }
    do throws(Refusal) {
      try check(from: source, to: stored, number: 1, allowsInsecure: allowsInsecure)
      return true
    } catch {
      return false
    }
  }

  /// An address on the origin of the credentials gets them back if a redirect omitted them.
  private func withCredentials(_ url: String) -> String {
    guard let credentials, let address = WebAddress(url), address.userinfo == nil,
      address.origin == credentials.origin, let start = url.firstRange(of: "://")?.upperBound
    else { return url }
    return url[..<start] + credentials.userinfo + "@" + url[start...]
  }
}

extension PodgetError {
  /// A redirect of a host that is not followed.
  package init(_ refusal: RedirectChain.Refusal, of host: String) {
    let sentence =
      switch refusal {
      case .tooMany: "\(host) redirects more than ten times."
      case .scheme(let target):
        switch WebAddress.scheme(of: target) {
        case nil, "http", "https": "\(host) redirects to something that is not a web address."
        case let scheme?: "\(host) redirects to \(scheme), which podget does not follow."
        }
      case .insecure(let target):
        "\(host) redirects from https to plain http at \(target)."
      }
    var remedy: Remedy?
    if case .insecure = refusal { remedy = .allowInsecureRedirects }
    self.init(.redirect, sentence, remedy: remedy)
  }
}
