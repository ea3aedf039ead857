internal import PodcastModel

/// An absolute address to which others are relative, taken apart once (RFC 3986, section 5.2).
struct BaseAddress {
  /// The longest base in bytes, query excluded: each short address in a feed becomes as long.
  private static let maximumBytes = 2048

  /// The scheme, which an address that begins with `//` gets too.
  let scheme: String
  /// The address without user name, password, query and fragment.
  private let bytes: [UInt8]
  /// How many of the bytes are scheme, host and port.
  private let originCount: Int
  /// The origin and the path to its last slash, without that slash, and without `.` and `..`.
  private let folder: [UInt8]
  /// Whether relative addresses mean something; they do not if this one is too long.
  private let isUsable: Bool

  /// The length in bytes.
  var count: Int { bytes.count }

  /// Takes an address apart; nil for a text that is none.
  init?(_ text: String) {
    guard let address = WebAddress(WebAddress.forRequest(text)) else { return nil }
    let origin = Array(address.origin.utf8)
    self.init(
      scheme: address.scheme, bytes: origin + Array(address.path.utf8), originCount: origin.count,
      isUsable: address.isHTTP && FeedAddress.isUsable(host: address.host))
  }

  private init(scheme: String, bytes: [UInt8], originCount: Int, isUsable: Bool) {
    self.scheme = scheme
    self.bytes = bytes
    self.originCount = originCount
    self.isUsable = isUsable && bytes.count <= Self.maximumBytes
    let path = bytes[originCount...]
    guard self.isUsable, let last = path.lastIndex(of: UInt8(ascii: "/")) else {
      folder = Array(bytes[..<originCount])
      return
    }
    var folder = Array(bytes[..<last])
    if Self.hasDots(bytes[originCount..<last]) {
      folder.removeSubrange(originCount...)
      let parts = bytes[originCount..<last].split(
        separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      for part in parts.dropFirst() { Self.add(part, to: &folder, from: originCount) }
    }
    self.folder = folder
  }

  /// The absolute address that a relative one means; nil if it means none.
  ///
  /// - Parameter text: the address, with `/` for each `\`, and not empty.
  func absolute(_ text: [UInt8]) -> String? {
    resolved(text).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The same as a base, which is not taken apart again.
  func base(_ text: [UInt8]) -> BaseAddress? {
    guard let address = resolved(text) else { return nil }
    let end = address[originCount...].firstIndex(where: Self.endsPath) ?? address.count
    return BaseAddress(
      scheme: scheme, bytes: Array(address[..<end]), originCount: originCount, isUsable: true)
  }

  private func resolved(_ text: [UInt8]) -> [UInt8]? {
    let end = text.firstIndex(where: Self.endsPath) ?? text.count
    guard isUsable, text.first != UInt8(ascii: "#") else { return nil }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + text.count + 16)
    if end == 0 {
      result += bytes
    } else {
      let isFromRoot = text[0] == UInt8(ascii: "/")
      result += isFromRoot ? bytes[..<originCount] : folder[...]
      addPath(text[(isFromRoot ? 1 : 0)..<end], to: &result)
    }
    WebAddress.appendEncoded(text[end...], to: &result)
    return result.count <= WebAddress.maximumBytes ? result : nil
  }

  private static func endsPath(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }

  /// Whether a part of the path may be `.` or `..`.
  private static func hasDots(_ path: ArraySlice<UInt8>) -> Bool {
    zip(path, path.dropFirst()).contains { $0 == UInt8(ascii: "/") && $1 == UInt8(ascii: ".") }
  }

  private func addPath(_ path: ArraySlice<UInt8>, to result: inout [UInt8]) {
    var rest = path
    while let slash = rest.firstIndex(of: UInt8(ascii: "/")) {
      Self.add(rest[..<slash], to: &result, from: originCount)
      rest = rest[(slash + 1)...]
    }
    Self.add(rest, to: &result, from: originCount)
    // A folder ends with a slash.
    if Self.dots(rest) > 0 { result.append(UInt8(ascii: "/")) }
  }

  /// Adds a part of a path; `..` takes the last one away, but nothing of the origin.
  private static func add(
    _ part: ArraySlice<UInt8>, to result: inout [UInt8], from start: Int
  ) {
    switch dots(part) {
    case 1: break
    case 2:
      if let slash = result[start...].lastIndex(of: UInt8(ascii: "/")) {
        result.removeSubrange(slash...)
      }
    default:
      result.append(UInt8(ascii: "/"))
      WebAddress.appendEncoded(part, to: &result)
    }
  }

  /// 1 for `.`, 2 for `..`, 0 for anything else.
  private static func dots(_ part: ArraySlice<UInt8>) -> Int {
    part.count <= 2 && part.allSatisfy { $0 == UInt8(ascii: ".") } ? part.count : 0
  }
}
