/// One request to a server: GET, or POST if it has a body.
public struct HTTPRequest: Sendable, Hashable {
  /// An absolute `http` or `https` address.
  public var url: String
  /// Header fields to send, in order.
  public var headers: [HTTPField]
  /// The first byte that is requested; nil requests all of them (RFC 9110, 14.2).
  public var rangeStart: Int64?
  /// Whether a content coding is accepted and decoded by the transport (RFC 9110, 8.4). The decoded
  /// body has no known length and cannot be continued.
  public var acceptsCodings: Bool
  /// JSON to send; such a request follows no redirect.
  package var body: String?

  /// Creates a request.
  public init(
    url: String, headers: [HTTPField] = [], rangeStart: Int64? = nil, acceptsCodings: Bool = false
  ) {
    self.url = url
    self.headers = headers
    self.rangeStart = rangeStart
    self.acceptsCodings = acceptsCodings
  }
}

/// A header field (RFC 9110, section 5).
public struct HTTPField: Sendable, Hashable {
  /// The name as written; the comparison ignores case.
  public var name: String
  /// The value without surrounding white space.
  public var value: String

  /// Creates a field.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// The status line and header fields of one response (RFC 9112, sections 4 and 5).
public struct ResponseHead: Sendable, Hashable {
  /// The status code.
  public var status: Int
  /// The header fields in the order received.
  public var fields: [HTTPField]
  /// Whether the blank line that ends the fields was seen. libcurl reports success without it.
  public var isComplete: Bool

  /// Creates a head.
  public init(status: Int, fields: [HTTPField] = [], isComplete: Bool = true) {
    self.status = status
    self.fields = fields
    self.isComplete = isComplete
  }

  /// All values of a field, in order; the comparison of the name ignores case.
  public func values(_ name: String) -> [String] {
    fields.lazy.filter { $0.name.equalsIgnoringASCIICase(name) }.map(\.value)
  }

  /// The first value of a field.
  public func first(_ name: String) -> String? {
    fields.first { $0.name.equalsIgnoringASCIICase(name) }?.value
  }
}

extension String {
  /// Whether two strings are equal when A–Z and a–z count as the same.
  package func equalsIgnoringASCIICase(_ other: String) -> Bool {
    utf8.elementsEqual(other.utf8) { first, second in
      first == second || (first | 0x20 == second | 0x20 && (0x61...0x7A).contains(first | 0x20))
    }
  }
}
