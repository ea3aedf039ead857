/// The address of a feed: http or https with a host, no longer than podget requests, and without
/// control characters.
///
/// It may contain a user name, a password or a token. Printing it gives the redacted form.
public struct FeedURL: Sendable, Hashable {
  /// The address as published, including secrets; for requests and for podget's own records.
  public let text: String

  /// Checks an address as published, percent-encoding unchanged; nil if it is not such an address.
  public init?(_ text: String) {
    guard Self.isBounded(text), WebAddress(WebAddress.forRequest(text))?.isHTTP == true else {
      return nil
    }
    self.text = text
  }

  /// The parts of an address that is percent-encoded for a request; nil if a feed cannot have it.
  package static func parts(of request: String) -> WebAddress? {
    guard isBounded(request), let parts = WebAddress(request), parts.isHTTP else { return nil }
    return parts
  }

  private static func isBounded(_ text: String) -> Bool {
    text.utf8.count <= WebAddress.maximumBytes
      && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }

  /// The address without user name and password, for scripts.
  public var withoutCredentials: String { AddressRedaction.withoutCredentials(text) }

  /// The address without user name, password and query, for people.
  public var redacted: String { AddressRedaction.shown(text) }

  /// The parts of the address, as a request has them.
  package var parts: WebAddress? { WebAddress(WebAddress.forRequest(text)) }

  /// The same address over https; nil if it is not one of plain http at a host, and a port, that
  /// another address has over https. Publishing programs behind a proxy do not know their scheme.
  package func encrypted(like other: FeedURL) -> FeedURL? {
    guard let own = parts, let other = other.parts, own.scheme == "http", other.scheme == "https",
      own.host == other.host
    else { return nil }
    let isUsual = ["", "80"].contains(own.port) && ["", "443"].contains(other.port)
    guard isUsual || own.port == other.port else { return nil }
    let user = own.userinfo.map { "\($0)@" } ?? ""
    let port = isUsual ? "" : ":\(own.port)"
    let query = own.query.isEmpty ? "" : "?\(own.query)"
    return FeedURL("https://\(user)\(own.host)\(port)\(own.path)\(query)")
  }
}

extension FeedURL: CustomStringConvertible {
  /// The redacted form.
  public var description: String { redacted }
}

extension FeedURL: CustomDebugStringConvertible {
  /// The redacted form.
  public var debugDescription: String { redacted }
}
