/// One request as it was received (RFC 9112, section 3).
public struct Request: Sendable, Hashable {
  /// A header field, its name as written.
  public struct Field: Sendable, Hashable {
    /// The name; the comparison ignores case.
    public var name: String
    /// The value without surrounding white space.
    public var value: String

    /// Creates a field.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The single range of a request (RFC 9110, section 14.1.2).
  public enum ByteRange: Sendable, Hashable {
    /// `bytes=N-`
    case from(Int64)
    /// `bytes=N-M`, both ends included
    case closed(Int64, Int64)
    /// `bytes=-N`, the last N bytes
    case last(Int64)
  }

  /// The method, such as `GET`.
  public var method: String
  /// The request target as written: path and query.
  public var target: String
  /// The header fields in the order received.
  public var fields: [Field]
  /// The bytes that follow the head, as many as Content-Length says.
  public var body: [UInt8] = []
  /// The number of its connection, from 1 in the order accepted.
  public var connection: Int
  /// Its number among all requests to the server, from 1.
  public var number: Int
  /// Its number among the requests for the same path, from 1.
  public var attempt: Int

  /// The target up to its query, percent-encoded as received.
  public var path: String {
    String(target.prefix { $0 != "?" })
  }

  /// The query's names and values, decoded; the first value counts if a name is repeated.
  public var query: [String: String] {
    guard let mark = target.firstIndex(of: "?") else { return [:] }
    let pairs = target[target.index(after: mark)...].split(separator: "&").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (Self.decoded(parts[0]), parts.count > 1 ? Self.decoded(parts[1]) : "")
    }
    return Dictionary(pairs) { first, _ in first }
  }

  /// The first value of a header field.
  public func first(_ name: String) -> String? {
    fields.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  /// All values of a header field, in order.
  public func all(_ name: String) -> [String] {
    fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
  }

  /// The requested range; nil without a `Range` field, for several ranges and for invalid ones.
  public var range: ByteRange? {
    guard let value = first("Range"), value.hasPrefix("bytes=") else { return nil }
    let ends = value.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2 else { return nil }
    switch (Int64(ends[0]), Int64(ends[1])) {
    case (let first?, let last?): return first <= last ? .closed(first, last) : nil
    case (let first?, nil): return ends[1].isEmpty ? .from(first) : nil
    case (nil, let count?): return ends[0].isEmpty ? .last(count) : nil
    case (nil, nil): return nil
    }
  }

  /// The first byte requested by `bytes=N-` or `bytes=N-M`.
  public var rangeStart: Int64? {
    switch range {
    case .from(let first), .closed(let first, _): first
    case .last, nil: nil
    }
  }
}

extension Request {
  /// Parses a head without its final blank line; nil when it is not HTTP/1.
  init?(head: some Sequence<UInt8>, connection: Int) {
    let lines = String(decoding: Array(head), as: UTF8.self).split(
      separator: "\r\n", omittingEmptySubsequences: true)
    guard let parts = lines.first?.split(separator: " "), parts.count == 3,
      parts[2].hasPrefix("HTTP/1.")
    else { return nil }
    method = String(parts[0])
    target = String(parts[1])
    fields = lines.dropFirst().compactMap { line in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      return Field(
        String(line[..<colon]), Self.trimmed(line[line.index(after: colon)...]))
    }
    self.connection = connection
    number = 0
    attempt = 0
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text
    while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return String(text)
  }

  private static func decoded(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      let digits = String(decoding: rest.prefix(2), as: UTF8.self)
      if byte == UInt8(ascii: "%"), digits.utf8.count == 2, let value = UInt8(digits, radix: 16) {
        bytes.append(value)
        rest.removeFirst(2)
      } else {
        bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
