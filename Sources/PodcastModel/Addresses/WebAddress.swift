/// The parts of an absolute address that decisions use (RFC 3986, section 3).
///
/// It keeps the text unchanged: nothing is decoded or normalized except the case of the scheme and
/// the host.
package struct WebAddress: Sendable, Hashable {
  /// The scheme in lower case.
  package var scheme: String
  /// The user name and password before the host, percent-encoded as written; nil without `@`.
  package var userinfo: Substring?
  /// The host in lower case, without user, password and port.
  package var host: String
  /// The port's digits; empty when there is none.
  package var port: Substring
  /// The path with its leading slash; may be empty.
  package var path: Substring
  /// The text between `?` and `#`; may be empty.
  package var query: Substring

  /// The longest address in bytes that is requested. It bounds the cost of searching an address for
  /// passwords.
  package static let maximumBytes = 16 * 1024

  /// Splits an address; nil without a scheme, `//` and a host.
  package init?(_ text: String) {
    // By bytes, as libcurl reads it: a combining mark does not hide the slash before it.
    let bytes = Substring(text).utf8
    guard let start = Self.endOfSeparator(bytes) else { return nil }
    let scheme = bytes[..<start].dropLast(3)
    guard Self.isScheme(scheme) else { return nil }
    let rest = bytes[start...].prefix { $0 != UInt8(ascii: "#") }
    let beforeQuery = rest.prefix { $0 != UInt8(ascii: "?") }
    let authority = beforeQuery.prefix { $0 != UInt8(ascii: "/") }
    var host = authority
    if let at = host.lastIndex(of: UInt8(ascii: "@")) {
      userinfo = Substring(host[..<at])
      host = host[host.index(after: at)...]
    }
    let hostAndPort = host
    if host.first == UInt8(ascii: "[") {
      guard let close = host.firstIndex(of: UInt8(ascii: "]")) else { return nil }
      host = host[...close]
    } else {
      host = host.prefix { $0 != UInt8(ascii: ":") }
    }
    port = Substring(Substring(hostAndPort[host.endIndex...]).unicodeScalars.dropFirst())
    guard !host.isEmpty, !Substring(host).unicodeScalars.contains(where: Self.isBlank) else {
      return nil
    }
    self.scheme = Substring(scheme).lowercased()
    self.host = Substring(host).lowercased()
    path = Substring(beforeQuery[authority.endIndex...])
    query = Substring(rest[beforeQuery.endIndex...].dropFirst())
  }

  /// Whether podget can fetch the address.
  package var isHTTP: Bool { scheme == "http" || scheme == "https" }

  /// The scheme of any absolute address (RFC 3986, section 3.1), in lower case; nil without one.
  package static func scheme(of text: String) -> String? {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), isScheme(text.utf8[..<colon])
    else { return nil }
    return text[..<colon].lowercased()
  }

  /// The first value of a query parameter, not decoded.
  package func parameter(_ name: String) -> Substring? {
    for pair in query.split(separator: "&") {
      let key = pair.prefix { $0 != "=" }
      if key == name { return pair[key.endIndex...].dropFirst() }
    }
    return nil
  }

  /// Whether a scalar is white space; asking for the properties of each ASCII one would take longer
  /// than the rest.
  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isASCII
      ? scalar == " " || (0x09...0x0D).contains(scalar.value) : scalar.properties.isWhitespace
  }

  /// Where the first `://` ends.
  private static func endOfSeparator(_ text: Substring.UTF8View) -> String.Index? {
    let separator = "://".utf8
    var rest = text
    while let colon = rest.firstIndex(of: UInt8(ascii: ":")) {
      if rest[colon...].starts(with: separator) {
        return rest.index(colon, offsetBy: separator.count)
      }
      rest = rest[rest.index(after: colon)...]
    }
    return nil
  }

  private static func isScheme(_ text: Substring.UTF8View) -> Bool {
    guard let letter = text.first, (0x61...0x7A).contains(letter | 0x20) else { return false }
    return text.allSatisfy(isSchemeByte)
  }

  private static func isSchemeByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x61...0x7A, 0x41...0x5A, 0x30...0x39, 0x2B, 0x2D, 0x2E: true
    default: false
    }
  }
}

extension WebAddress {
  /// Scheme, host and port: what counts as one host for limits. The scheme's standard port is left
  /// out.
  package var origin: String {
    let standard = scheme == "https" ? "443" : "80"
    return port.isEmpty || port == standard ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
  }

  /// The address for a request: blanks and bytes beyond ASCII are percent-encoded, and everything
  /// else, including `%2F`, reaches the server as published. A missing scheme (`//host`) means
  /// https.
  ///
  /// The host stays as it is: libcurl converts an international name to its ASCII form. An `@` in a
  /// password is encoded, because libcurl ends the password at the first one.
  package static func forRequest(_ text: String) -> String {
    let trimmed = text.trimmingWhitespace()
    let isRelative = trimmed.utf8.starts(with: "//".utf8)
    let full = Substring(isRelative ? "https:\(trimmed)" : trimmed).utf8
    let authorityStart = endOfSeparator(full) ?? full.startIndex
    let pathStart =
      full[authorityStart...].firstIndex {
        $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#")
      } ?? full.endIndex
    let at = full[authorityStart..<pathStart].lastIndex(of: UInt8(ascii: "@"))
    var result: [UInt8] = []
    result.reserveCapacity(full.count)
    result += full[..<authorityStart]
    if let at { appendEncoded(full[authorityStart..<at], besides: "@[]<>", to: &result) }
    result += full[(at ?? authorityStart)..<pathStart]
    appendEncoded(full[pathStart...], to: &result)
    return String(decoding: result, as: UTF8.self)
  }

  /// Appends bytes of a path or a query, percent-encoded where a request needs that.
  ///
  /// - Parameter more: characters that are encoded too.
  package static func appendEncoded(
    _ bytes: some Sequence<UInt8>, besides more: StaticString = "", to output: inout [UInt8]
  ) {
    for byte in bytes {
      let isPlain = byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"")
      if isPlain, more.utf8CodeUnitCount == 0 || !contains(more, byte) {
        output.append(byte)
      } else {
        output.append(UInt8(ascii: "%"))
        output.append(digit(byte >> 4))
        output.append(digit(byte & 15))
      }
    }
  }

  private static func contains(_ text: StaticString, _ byte: UInt8) -> Bool {
    UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount).contains(byte)
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }
}
