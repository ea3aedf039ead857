internal import PodcastModel

/// Addresses in feeds, made absolute and clean as browsers do (URL Standard, section 4.4).
enum FeedAddress {
  /// The longest base in bytes, query excluded: each short address in a feed becomes as long.
  private static let maximumBaseBytes = 2048

  /// The absolute http or https address that a text means; nil when it means none.
  ///
  /// White space at the ends and line breaks in it are dropped, bytes beyond ASCII and spaces are
  /// percent-encoded, and a `%xx` stays as it is. The host stays too: libcurl gives international names
  /// their ASCII form.
  ///
  /// - Parameter base: the absolute address to which a relative one is relative.
  static func absolute(_ bytes: some Collection<UInt8>, base: String?) -> String? {
    guard bytes.count <= WebAddress.maximumBytes * 2 else { return nil }
    if isClean(bytes) { return String(decoding: bytes, as: UTF8.self) }
    let stripped = bytes.filter { $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
    let text = String(decoding: stripped, as: UTF8.self).trimmingWhitespace()
    guard !text.isEmpty, let resolved = resolve(text, base: base) else { return nil }
    let address = WebAddress.forRequest(resolved)
    // No name of a host is nearly as long (RFC 1035, section 2.3.4), and comparing such names can take
    // very long.
    guard let url = FeedURL(address), (WebAddress(address)?.host.utf8.count ?? 0) < 1024 else {
      return nil
    }
    return url.text
  }

  /// The same for a text.
  static func absolute(_ text: String, base: String?) -> String? {
    absolute(Array(text.utf8), base: base)
  }
}

extension FeedAddress {
  /// Whether an address is absolute already, with a plain host, and has nothing to encode.
  private static func isClean(_ bytes: some Collection<UInt8>) -> Bool {
    guard bytes.count < WebAddress.maximumBytes else { return false }
    var rest = bytes[...]
    guard rest.starts(with: "http".utf8) else { return false }
    rest = rest.dropFirst(4)
    if rest.first == UInt8(ascii: "s") { rest = rest.dropFirst() }
    guard rest.starts(with: "://".utf8) else { return false }
    rest = rest.dropFirst(3)
    let host = rest.prefix { byte in
      (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte)
        || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
    }
    let path = rest[host.endIndex...]
    guard !host.isEmpty, path.first.map({ $0 == UInt8(ascii: "/") }) ?? true else { return false }
    return path.allSatisfy {
      $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
    }
  }

  private static func resolve(_ text: String, base: String?) -> String? {
    let text = withSlashes(text)
    if let scheme = scheme(of: text) {
      guard scheme == "http" || scheme == "https" else { return nil }
      // Any number of slashes stands before the host.
      let rest = text.utf8.dropFirst(scheme.utf8.count + 1).drop { $0 == UInt8(ascii: "/") }
      return "\(scheme)://\(Substring(rest))"
    }
    let base = base.flatMap { WebAddress(WebAddress.forRequest($0)) }
    if text.utf8.starts(with: "//".utf8) { return "\(base?.scheme ?? "https"):\(text)" }
    guard let base, base.isHTTP,
      base.origin.utf8.count + base.path.utf8.count <= maximumBaseBytes
    else { return nil }
    if text.utf8.first == UInt8(ascii: "#") { return nil }
    if text.utf8.first == UInt8(ascii: "?") { return base.origin + base.path + text }
    let end = text.unicodeScalars.firstIndex { $0 == "?" || $0 == "#" } ?? text.endIndex
    var path = String(text[..<end])
    if path.utf8.first != UInt8(ascii: "/") {
      let folder = base.path.lastIndex(of: "/").map { base.path[...$0] } ?? "/"
      path = folder + path
    }
    return base.origin + withoutDots(path) + text[end...]
  }

  /// The address with `/` for each `\` of its path. By bytes, since a mark that combines hides the
  /// character before it.
  private static func withSlashes(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "\\")) else { return text }
    var bytes = Array(text.utf8)
    for (index, byte) in bytes.enumerated() {
      if byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") { break }
      if byte == UInt8(ascii: "\\") { bytes[index] = UInt8(ascii: "/") }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The scheme in lower case; nil for a relative address.
  private static func scheme(of text: String) -> String? {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let scheme = text[..<colon]
    guard let first = scheme.utf8.first, (0x61...0x7A).contains(first | 0x20),
      scheme.utf8.allSatisfy({ byte in
        (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte)
          || "+-.".utf8.contains(byte)
      })
    else { return nil }
    return scheme.lowercased()
  }

  /// A path without its `.` and `..` (RFC 3986, section 5.2.4).
  private static func withoutDots(_ path: String) -> String {
    var kept: [Substring] = []
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    for (number, part) in parts.enumerated() {
      let isLast = number == parts.count - 1
      if part == ".." { _ = kept.popLast() }
      if part != "." && part != ".." { kept.append(part) } else if isLast { kept.append("") }
    }
    return "/" + kept.joined(separator: "/")
  }
}
