import FoundationEssentials
import PodcastModel

/// The cookies of one redirect chain (RFC 6265). Some hosts set cookies and require them before
/// they send a file.
///
/// Each cookie is sent to the host that set it and to no other, whatever its `Domain` says, and
/// nothing is kept after the chain. Number and size are bounded.
struct CookieJar: Sendable, Hashable {
  private struct Cookie: Sendable, Hashable {
    var name: String
    var value: String
    var host: String
    var path: String
    var isSecure: Bool
    /// Nil for a cookie that lasts as long as the chain.
    var expiry: Date?
  }

  /// The minimum that RFC 6265, section 6.1, requires per host.
  static let countLimit = 50
  /// The maximum length of a cookie's name and value in bytes; a longer cookie is ignored.
  static let sizeLimit = 4096

  private var cookies: [Cookie] = []

  /// Stores the cookies that an answer sets.
  mutating func take(_ head: ResponseHead, from address: WebAddress, at now: Date) {
    for field in head.values("Set-Cookie") {
      guard let cookie = Self.cookie(field, from: address, at: now) else { continue }
      cookies.removeAll {
        ($0.name, $0.host, $0.path) == (cookie.name, cookie.host, cookie.path)
      }
      if cookie.expiry.map({ $0 <= now }) ?? false { continue }
      if cookies.count >= Self.countLimit { cookies.removeFirst() }
      cookies.append(cookie)
    }
  }

  /// The `Cookie` field for a request; nil when there is none.
  func field(for address: WebAddress, at now: Date) -> HTTPField? {
    let host = Self.host(address)
    let path = Self.path(address)
    let pairs = cookies.filter { cookie in
      cookie.host == host && (!cookie.isSecure || address.scheme == "https")
        && Self.path(path, isWithin: cookie.path) && cookie.expiry.map { $0 > now } ?? true
    }
    .map { "\($0.name)=\($0.value)" }
    return pairs.isEmpty ? nil : HTTPField("Cookie", pairs.joined(separator: "; "))
  }
}

extension CookieJar {
  /// Parses a `Set-Cookie` field (RFC 6265, section 5.2); nil when the cookie is ignored.
  private static func cookie(
    _ field: String, from address: WebAddress, at now: Date
  ) -> Cookie? {
    guard field.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
    let parts = field.split(separator: ";", omittingEmptySubsequences: false)
    guard let pair = parts.first, let equals = pair.firstIndex(of: "=") else { return nil }
    let name = String(pair[..<equals]).trimmingASCIIWhitespace()
    let value = String(pair[pair.index(after: equals)...]).trimmingASCIIWhitespace()
    guard !name.isEmpty, name.utf8.count + value.utf8.count <= sizeLimit else { return nil }
    var cookie = Cookie(
      name: name, value: value, host: host(address), path: defaultPath(address), isSecure: false)
    var hasMaximumAge = false
    for attribute in parts.dropFirst() {
      let equals = attribute.firstIndex(of: "=") ?? attribute.endIndex
      let text = String(attribute[equals...].dropFirst()).trimmingASCIIWhitespace()
      switch String(attribute[..<equals]).trimmingASCIIWhitespace().lowercased() {
      case "secure": cookie.isSecure = true
      case "path": cookie.path = text.hasPrefix("/") ? text : defaultPath(address)
      case "domain": if !isHost(address.host, within: text) { return nil }
      case "max-age":
        guard let seconds = seconds(text) else { continue }
        hasMaximumAge = true
        cookie.expiry = now.addingTimeInterval(seconds)
      case "expires" where !hasMaximumAge:
        // Old servers write the day as `21-Oct-2015`.
        let words = String(text.map { $0 == "-" ? " " : $0 })
        cookie.expiry = Date(httpDate: words, now: now)
      default: break
      }
    }
    let isProtected = name.hasPrefix("__Secure-") || name.hasPrefix("__Host-")
    guard cookie.isSecure ? address.scheme == "https" : !isProtected else { return nil }
    return cookie
  }

  /// A `Max-Age`; zero and less mean the past, and more than a year makes no difference.
  private static func seconds(_ text: String) -> Double? {
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    if text.hasPrefix("-") { return 0 }
    return Double(min(Int64(digits) ?? .max, 31_536_000))
  }

  /// Whether the host may set a cookie for this domain; it is still sent to this host only.
  private static func isHost(_ host: String, within domain: String) -> Bool {
    let domain = (domain.hasPrefix(".") ? String(domain.dropFirst()) : domain).lowercased()
    return domain.isEmpty || host == domain || host.hasSuffix(".\(domain)")
  }

  /// The standard ports of http and https count as one host, because a host that redirects to https
  /// needs its cookies there; another port is another host.
  private static func host(_ address: WebAddress) -> String {
    let standard = address.scheme == "https" ? "443" : "80"
    return address.port.isEmpty || address.port == standard
      ? address.host : "\(address.host):\(address.port)"
  }

  private static func path(_ address: WebAddress) -> String {
    address.path.isEmpty ? "/" : String(address.path)
  }

  /// The folder of the address (RFC 6265, section 5.1.4).
  private static func defaultPath(_ address: WebAddress) -> String {
    guard let slash = address.path.lastIndex(of: "/"), slash != address.path.startIndex else {
      return "/"
    }
    return String(address.path[..<slash])
  }

  private static func path(_ path: String, isWithin folder: String) -> Bool {
    guard path.hasPrefix(folder) else { return false }
    return folder.hasSuffix("/") || path.utf8.count == folder.utf8.count
      || path.dropFirst(folder.count).first == "/"
  }
}
