internal import PodcastModel

/// Addresses in feeds, made absolute and clean as browsers do (URL Standard, section 4.4).
enum FeedAddress {
  /// The absolute http or https address that a text means; nil when it means none.
  ///
  /// White space at the ends and line breaks in it are dropped, bytes beyond ASCII and spaces are
  /// percent-encoded, and a `%xx` stays as it is. The host stays too: libcurl gives international names
  /// their ASCII form.
  ///
  /// - Parameter base: the absolute address to which a relative one is relative.
  static func absolute(_ bytes: some Collection<UInt8>, base: BaseAddress?) -> String? {
    guard bytes.count <= WebAddress.maximumBytes * 2 else { return nil }
    if isClean(bytes) { return String(decoding: bytes, as: UTF8.self) }
    switch form(bytes, base) {
    case .absolute(let text): return checked(text)
    case .relative(let text): return base?.absolute(text)
    case nil: return nil
    }
  }

  /// The base that a text means; nil when it is no address.
  static func base(_ bytes: some Collection<UInt8>, base: BaseAddress?) -> BaseAddress? {
    guard bytes.count <= WebAddress.maximumBytes * 2 else { return nil }
    switch form(bytes, base) {
    case .absolute(let text): return checked(text).flatMap(BaseAddress.init)
    case .relative(let text): return base?.base(text)
    case nil: return nil
    }
  }

  /// The same for a text.
  static func absolute(_ text: String, base: BaseAddress?) -> String? {
    absolute(Array(text.utf8), base: base)
  }

  /// Whether a host's name is short enough. None is nearly as long (RFC 1035, section 2.3.4), and
  /// comparing such names can take very long.
  static func isUsable(host: String) -> Bool { host.utf8.count < 1024 }
}

extension FeedAddress {
  private enum Form {
    /// With a scheme and a host, not yet encoded.
    case absolute(String)
    /// To be put behind a base; not empty.
    case relative([UInt8])
  }

  private static func form(_ bytes: some Collection<UInt8>, _ base: BaseAddress?) -> Form? {
    let stripped = bytes.filter { $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
    let text = withSlashes(String(decoding: stripped, as: UTF8.self).trimmingWhitespace())
    if let scheme = scheme(of: text) {
      guard scheme == "http" || scheme == "https" else { return nil }
      // Any number of slashes stands before the host.
      let rest = text.utf8.dropFirst(scheme.utf8.count + 1).drop { $0 == UInt8(ascii: "/") }
      return .absolute("\(scheme)://\(Substring(rest))")
    }
    if text.utf8.starts(with: "//".utf8) {
      return .absolute("\(base?.scheme ?? "https"):\(text)")
    }
    return text.isEmpty ? nil : .relative(Array(text.utf8))
  }

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

  /// An address that has a scheme and a host, as it is requested; nil if it cannot be.
  private static func checked(_ text: String) -> String? {
    let address = WebAddress.forRequest(text)
    guard let parts = FeedURL.parts(of: address), isUsable(host: parts.host) else { return nil }
    return address
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
}
