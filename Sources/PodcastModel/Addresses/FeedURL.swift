/// The address of a feed: http or https with a host, no longer than podget asks for, and without
/// control characters.
///
/// It may carry a user name, a password or a token. Whoever prints it gets the form that people may
/// see.
public struct FeedURL: Sendable, Hashable {
  /// The address as published, with all that it carries; for requests and for podget's own records.
  public let text: String

  /// Takes an address as published, percent-encoding untouched; nil where it is no such address.
  public init?(_ text: String) {
    guard text.utf8.count <= WebAddress.maximumBytes,
      text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }),
      WebAddress(WebAddress.forRequest(text))?.isHTTP == true
    else { return nil }
    self.text = text
  }

  /// The address without user name and password, as scripts get it.
  public var withoutCredentials: String { AddressRedaction.withoutCredentials(text) }

  /// The address without user name, password and query, as people see it.
  public var redacted: String { AddressRedaction.shown(text) }
}

extension FeedURL: CustomStringConvertible {
  /// The redacted form.
  public var description: String { redacted }
}

extension FeedURL: CustomDebugStringConvertible {
  /// The redacted form.
  public var debugDescription: String { redacted }
}
