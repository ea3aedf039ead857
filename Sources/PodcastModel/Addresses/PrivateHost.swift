extension WebAddress {
  /// Whether the host is one of this machine or of a private network: localhost, a name without a
  /// dot or under a domain that is reserved for private use, and literal addresses of RFC 1122,
  /// 1918, 3927, 4193, 4291 and 6598.
  ///
  /// Only the text decides; a public name may still lead to a private address.
  package var isPrivate: Bool {
    if host.first == "[" { return PrivateHost.isPrivate(ipv6: host) }
    let name = host.last == "." ? host.dropLast() : host[...]
    let labels = name.split(separator: ".", omittingEmptySubsequences: false)
    if let number = PrivateHost.ipv4(labels) { return PrivateHost.isPrivate(ipv4: number) }
    guard labels.count > 1, let last = labels.last else { return true }
    return ["local", "localhost", "internal", "lan"].contains(last) || name.hasSuffix(".home.arpa")
  }
}

private enum PrivateHost {
  /// The number of an IPv4 address in all forms that libcurl reads: up to four parts, the last one of
  /// which fills the rest, each decimal, octal or hexadecimal.
  static func ipv4(_ labels: [Substring]) -> UInt32? {
    guard (1...4).contains(labels.count) else { return nil }
    let parts = labels.compactMap(number)
    guard parts.count == labels.count, let last = parts.last,
      parts.dropLast().allSatisfy({ $0 <= 255 })
    else { return nil }
    let bits = UInt32(8 * (5 - labels.count))
    guard bits == 32 || last < 1 << bits else { return nil }
    var result = last
    for (index, part) in parts.dropLast().enumerated() { result |= part << UInt32(24 - 8 * index) }
    return result
  }

  static func isPrivate(ipv4 number: UInt32) -> Bool {
    let ranges: [(network: UInt32, bits: UInt32)] = [
      (0x0000_0000, 8), (0x0A00_0000, 8), (0x6440_0000, 10), (0x7F00_0000, 8), (0xA9FE_0000, 16),
      (0xAC10_0000, 12), (0xC0A8_0000, 16),
    ]
    return ranges.contains { ($0.network ^ number) >> (32 - $0.bits) == 0 }
  }

  /// Whether an address in brackets is private; one that cannot be read is.
  static func isPrivate(ipv6 host: String) -> Bool {
    let text = host.dropFirst().prefix { $0 != "]" && $0 != "%" }
    guard let groups = groups(text) else { return true }
    let first = groups[0]
    if first & 0xFE00 == 0xFC00 || first & 0xFFC0 == 0xFE80 { return true }
    guard groups.prefix(5).allSatisfy({ $0 == 0 }) else { return false }
    // `::`, `::1`, and IPv4 addresses inside.
    let low = UInt32(groups[6]) << 16 | UInt32(groups[7])
    return groups[5] == 0xFFFF || groups[5] == 0 ? isPrivate(ipv4: low) : false
  }

  /// The eight groups of an IPv6 address (RFC 4291, 2.2).
  private static func groups(_ text: Substring) -> [UInt16]? {
    guard let gap = text.firstRange(of: "::") else {
      return run(text).flatMap { $0.count == 8 ? $0 : nil }
    }
    guard let head = run(text[..<gap.lowerBound]), let tail = run(text[gap.upperBound...]),
      head.count + tail.count < 8
    else { return nil }
    return head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail
  }

  private static func run(_ text: Substring) -> [UInt16]? {
    guard !text.isEmpty else { return [] }
    var groups: [UInt16] = []
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      let labels = part.split(separator: ".", omittingEmptySubsequences: false)
      if index == parts.count - 1, labels.count == 4 {
        guard let number = ipv4(labels) else { return nil }
        groups += [UInt16(number >> 16), UInt16(number & 0xFFFF)]
      } else {
        guard part.utf8.count <= 4, part.utf8.first != UInt8(ascii: "+"),
          let group = UInt16(part, radix: 16)
        else { return nil }
        groups.append(group)
      }
    }
    return groups
  }

  private static func number(_ label: Substring) -> UInt32? {
    if label.hasPrefix("0x") {
      let digits = label.dropFirst(2)
      return digits.first == "+" || digits.first == "-" ? nil : UInt32(digits, radix: 16)
    }
    guard label.utf8.first == UInt8(ascii: "0"), label.utf8.count > 1 else {
      return UInt32(digits: label)
    }
    return UInt32(label, radix: 8)
  }
}
