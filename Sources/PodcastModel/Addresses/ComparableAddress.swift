/// An address in a form in which equal values mean the same file: without its scheme, its host's
/// case, its scheme's standard port, its fragment, download-counting services, and parameters that
/// sign or track a request.
package struct ComparableAddress: Sendable, Hashable {
  /// Host, port and path, percent-encoding decoded.
  package let place: String
  /// The query without its ``PassingParameters``: it often names the episode.
  package let query: String

  /// Parses an enclosure's address; nil when there is none. A text that is not an address is
  /// compared unchanged.
  package init?(_ text: String) {
    let trimmed = text.trimmingWhitespace()
    guard !trimmed.isEmpty else { return nil }
    let full = trimmed.hasPrefix("//") ? "https:\(trimmed)" : trimmed
    guard var address = WebAddress(full) else {
      place = String(trimmed.prefix { $0 != "?" && $0 != "#" })
      query = ""
      return
    }
    // Six services in a row have been seen; the limit bounds the cost of an absurd address.
    for _ in 0..<10 {
      guard let behind = Self.behindService(address) else { break }
      address = behind
    }
    place = Self.place(address)
    query = PassingParameters.removed(from: address.query)
  }

  /// The last part of the path, without its extension, if it can identify the episode.
  package var fileName: String? {
    guard let name = place.split(separator: "/").dropFirst().last else { return nil }
    let stem = FileName.stem(of: String(name)).lowercased()
    return stem.utf8.count < 4 || Self.isCommonName(stem) ? nil : stem
  }

  /// Whether a file's name without its extension is a name that hosts give to the file of every
  /// episode.
  package static func isCommonName(_ stem: String) -> Bool {
    commonNames.contains(stem.lowercased())
  }

  /// Host, port and path of an address in comparable form.
  package static func place(_ address: WebAddress) -> String {
    let standard =
      switch address.scheme {
      case "http": "80"
      case "https": "443"
      default: ""
      }
    let hasPort = !address.port.isEmpty && address.port != standard
    let host = hasPort ? "\(address.host):\(address.port)" : address.host
    return host + PercentEncoding.decoded(address.path)
  }

  private static let commonNames: Set<String> = [
    "default", "audio", "media", "episode", "podcast", "stream", "download", "index", "play",
    "file", "redirect", "latest", "news", "show", "final", "output", "track",
  ]
}

extension ComparableAddress {
  /// The address inside the path of another one: complete, plain or percent-encoded, on any host;
  /// without its scheme after a service.
  private static func behindService(_ address: WebAddress) -> WebAddress? {
    let own = TrackingServices.ownSegments(of: address.host)
    // By bytes: an address may have thousands of segments.
    var rest = address.path.utf8.dropFirst()
    var number = 0
    while true {
      let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
      let segment = rest[..<end]
      if segment.last == UInt8(ascii: ":"), isScheme(Substring(segment)) {
        return nested(String(Substring(rest)), of: address)
      }
      if segment.contains(UInt8(ascii: "%")) {
        let decoded = PercentEncoding.decoded(Substring(segment))
        if decoded.utf8.count != segment.count, WebAddress(decoded)?.isHTTP == true {
          return nested(decoded + Substring(rest[end...]), of: address)
        }
      }
      if let own, number <= own, end < rest.endIndex, isHost(Substring(segment)) {
        return nested("https://\(Substring(rest))", of: address)
      }
      guard end < rest.endIndex else { return nil }
      rest = rest[rest.index(after: end)...]
      number += 1
    }
  }

  private static func nested(_ text: String, of address: WebAddress) -> WebAddress? {
    guard var inner = WebAddress(text) else { return nil }
    if inner.query.isEmpty { inner.query = address.query }
    return inner
  }

  private static func isScheme(_ segment: Substring) -> Bool {
    let scheme = segment.lowercased()
    return scheme == "http:" || scheme == "https:"
  }

  /// Whether a path segment is a host's name and not a file's.
  private static func isHost(_ segment: Substring) -> Bool {
    let name = segment.prefix { $0 != ":" }
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return false }
    let end = name[dot...].dropFirst().lowercased()
    return end.utf8.count >= 2 && end.utf8.allSatisfy { (0x61...0x7A).contains($0) }
      && !["aac", "flac", "ogg", "oga", "opus", "wav", "mov", "wma", "webm"].contains(end)
      && name.utf8.allSatisfy {
        $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") || (0x30...0x39).contains($0)
          || (0x61...0x7A).contains($0 | 0x20)
      }
  }
}
