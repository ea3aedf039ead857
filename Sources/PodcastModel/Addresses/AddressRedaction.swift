/// Removes private parts from addresses, and from texts that contain them: the user name and
/// password, and for people also the query, which often contains a token.
///
/// It finds addresses by their `://`, plain or percent-encoded, and removes too much rather than
/// too little: everything before the last `@` of a host, however many there are, and in an address
/// whose port is not a number everything up to the last `@`, because a password may contain a `/`.
package enum AddressRedaction {
  /// An address, as published or typed, without user name and password; it may have no scheme.
  package static func withoutCredentials(_ address: String) -> String {
    redacted(address, isOneAddress: true, hidesQueries: false)
  }

  /// An address for people: without user name and password, and with `…` for its query.
  package static func shown(_ address: String) -> String {
    redacted(address, isOneAddress: true, hidesQueries: true)
  }

  /// A text without the user names and passwords of the addresses in it.
  package static func withoutCredentials(in text: String) -> String {
    redacted(text, isOneAddress: false, hidesQueries: false)
  }

  /// A text for people: each address in it is replaced as by ``shown(_:)``.
  package static func shown(in text: String) -> String {
    redacted(text, isOneAddress: false, hidesQueries: true)
  }
}

extension AddressRedaction {
  private static func redacted(
    _ text: String, isOneAddress: Bool, hidesQueries: Bool
  ) -> String {
    // Most texts contain no address, and then nothing is copied.
    guard text.utf8.contains(where: marks.contains) else { return text }
    let bytes = Array(text.utf8)
    var output: [UInt8] = []
    var position = 0
    let firstSeparator = separator(in: bytes[...])?.range.lowerBound
    let hasNoScheme = isOneAddress && firstSeparator == nil
    if isOneAddress {
      // `feed:user:password@host/?next=http://…` contains an address, but has no `://` of its own.
      let scheme = podcastScheme(bytes)
      let isBare =
        hasNoScheme || (!scheme.isEmpty && firstSeparator.map { $0 > scheme.count } == true)
      if isBare {
        position = endOfCredentialsWithoutScheme(bytes[..<(firstSeparator ?? bytes.endIndex)])
      }
      if position > 0 { output += scheme }
    }
    while let found = separator(in: bytes[position...]) {
      output += bytes[position..<found.range.upperBound]
      let start = found.range.upperBound
      let end =
        isOneAddress
        ? bytes.endIndex : bytes[start...].firstIndex(where: endsAddress) ?? bytes.endIndex
      position = endOfCredentials(bytes[start..<end], isEncoded: found.isEncoded)
      let next = separator(in: bytes[position..<end])?.range.lowerBound ?? end
      guard hidesQueries,
        let query = firstIndex(
          of: "?", isEncoded: found.isEncoded, in: bytes[position..<next])
      else { continue }
      output += bytes[position..<query]
      output += "?…".utf8
      // The sentence around the address continues after it.
      position = isOneAddress ? end : endOfQuery(bytes[query..<end])
    }
    if hidesQueries, hasNoScheme, let query = queryWithoutScheme(bytes[position...]) {
      output += bytes[position..<query] + "?…".utf8
      position = bytes.endIndex
    }
    output += bytes[position...]
    return String(decoding: output, as: UTF8.self)
  }

  private static let colon = UInt8(ascii: ":")
  private static let marks = Array(":%?".utf8)

  /// The first `://`, or the same percent-encoded, as in an address within another one.
  private static func separator(
    in bytes: ArraySlice<UInt8>
  ) -> (range: Range<Int>, isEncoded: Bool)? {
    for index in bytes.indices {
      let rest = bytes[index...]
      if rest.starts(with: "://".utf8) { return (index..<index + 3, false) }
      if rest.first == UInt8(ascii: "%"), lowered(rest.prefix(9)).elementsEqual("%3a%2f%2f".utf8) {
        return (index..<index + 9, true)
      }
    }
    return nil
  }

  /// Where the host begins in the text after `://`.
  private static func endOfCredentials(_ rest: ArraySlice<UInt8>, isEncoded: Bool) -> Int {
    let ends = ["/", "?", "#"].compactMap { firstIndex(of: $0, isEncoded: isEncoded, in: rest) }
    let authority = rest[..<(ends.min() ?? rest.endIndex)]
    if let end = endOfLastAt(authority) { return end }
    // `user:pass/word@host`: the text after the colon is not a port.
    guard authority.first != UInt8(ascii: "["), let mark = authority.firstIndex(of: colon),
      authority[(mark + 1)...].contains(where: { !(0x30...0x39).contains($0) })
    else { return rest.startIndex }
    return endOfLastAt(rest) ?? rest.startIndex
  }

  /// The position after the last `@`, plain or percent-encoded.
  private static func endOfLastAt(_ bytes: ArraySlice<UInt8>) -> Int? {
    let plain = bytes.lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 }
    let encoded = bytes.indices.last { bytes[$0...].starts(with: "%40".utf8) }.map { $0 + 3 }
    return [plain, encoded].compactMap { $0 }.max()
  }

  /// Where the host begins in `user:password@host/…`; 0 if there are no credentials.
  private static func endOfCredentialsWithoutScheme(_ bytes: ArraySlice<UInt8>) -> Int {
    let start = podcastScheme(bytes).count
    guard let at = bytes[start...].lastIndex(of: UInt8(ascii: "@")),
      case let before = bytes[start..<at], before.contains(colon),
      !before.contains(where: { $0 <= 0x20 })
    else { return 0 }
    return at + 1
  }

  /// Where the query of `host/path?query` or `host?name=value` begins; a title with a question has
  /// spaces before it, or neither `/` nor `=`.
  private static func queryWithoutScheme(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard let query = bytes.firstIndex(of: UInt8(ascii: "?")),
      case let before = bytes[..<query], !before.contains(where: { $0 <= 0x20 }),
      before.contains(UInt8(ascii: "/")) || bytes[query...].contains(UInt8(ascii: "="))
    else { return nil }
    return query
  }

  /// The `feed:` of an address such as `feed:host/path`; empty where there is none.
  private static func podcastScheme(_ bytes: some Collection<UInt8>) -> ArraySlice<UInt8> {
    let schemes = ["feed:", "pcast:", "itpc:", "podcast:"]
    let start = Array(bytes.prefix(8))
    let lowered = lowered(start[...])
    guard let scheme = schemes.first(where: { lowered.starts(with: $0.utf8) }) else { return [] }
    return start[..<scheme.utf8.count]
  }

  private static func firstIndex(
    of mark: String, isEncoded: Bool, in bytes: ArraySlice<UInt8>
  ) -> Int? {
    let plain = mark.utf8.first.flatMap { bytes.firstIndex(of: $0) }
    guard isEncoded else { return plain }
    let code = ["/": "%2f", "?": "%3f", "#": "%23"][mark] ?? mark
    let encoded = bytes.indices.first {
      bytes[$0] == UInt8(ascii: "%") && lowered(bytes[$0...].prefix(3)).elementsEqual(code.utf8)
    }
    return [plain, encoded].compactMap { $0 }.min()
  }

  private static func lowered(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
  }

  private static func endsAddress(_ byte: UInt8) -> Bool {
    byte <= 0x20 || byte == 0x7F || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "<")
      || byte == UInt8(ascii: ">")
  }

  /// Where a query ends in a sentence, whose punctuation does not belong to it.
  private static func endOfQuery(_ query: ArraySlice<UInt8>) -> Int {
    let last = query.lastIndex { byte in !".,;:!)'".utf8.contains(byte) }
    return (last ?? query.startIndex) + 1
  }
}
