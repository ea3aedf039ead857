/// Whether a text, such as a guid, may have a password or a token of an address in it: for what others
/// get, where nothing of it can be replaced by `…` since two episodes would become one.
///
/// A token that is a part of a path may look like any other part: only what looks random is found there.
package enum AddressSecrets {
  /// Parts of names that parameters with secrets have.
  private static let words = [
    "token", "auth", "pass", "pwd", "secret", "sig", "sess", "jwt", "login", "user", "cred", "key",
    "access", "code", "hash", "mac", "member", "mail", "account", "expire", "policy", "subscriber",
    "ticket",
  ]
  /// Their names that are parts of harmless ones.
  private static let wholeNames: Set<String> = ["pw", "sid", "uid", "uuid"]
  /// Parts of paths after which a token is likely one of a person.
  private static let privateParts: Set<String> = [
    "private", "premium", "member", "members", "patron", "patrons", "subscriber", "subscribers",
    "secret", "personal",
  ]
  /// Parts of paths after which everybody gets what looks random: the ids of large services.
  private static let publicParts: Set<String> = [
    "album", "article", "articles", "artist", "channel", "episode", "episodes", "playlist",
    "playlists", "s", "show", "shows", "track", "video", "videos",
  ]
  private static let images: Set<String> = ["gif", "jpeg", "jpg", "png", "webp"]
  /// Parameters whose UUIDs everybody gets: shows, episodes and lists of hosts such as Simplecast and Omny.
  private static let publicNames: Set<String> = [
    "awcollectionid", "awepisodeid", "inplaylist", "playlistid", "collectionid", "podcastid",
    "showid", "seriesid", "programid", "episodeid", "clipid",
  ]
  /// Parameters whose values are words and not secrets.
  private static let plainNames: Set<String> = ["post_type", "type", "format", "lang", "feed"]
  private static let longestNumber = 12
  /// A token has at least so many bytes.
  private static let shortestToken = 16
  private static let shortestBareToken = 6
  private static let shortestRandom = 20

  /// Whether the address of a feed or an enclosure likely has a secret: in its query, or in its path behind
  /// a part like `private` or where a part looks random.
  package static func areLikely(in address: WebAddress) -> Bool {
    areLikely(in: String(address.query)) || areLikely(inPath: String(address.path))
  }

  /// Whether a query likely has a secret: a parameter with a name like `token`, a long value, or one without
  /// a name that is neither a word nor a number. Many addresses that everybody may know have short words.
  package static func areLikely(in query: String) -> Bool {
    parts(of: query, at: "?&;").contains { pair in
      let parts = pair.split(separator: "=", maxSplits: 1)
      guard let value = parts.last.map(String.init) else { return false }
      if parts.count == 1 { return isBareToken(value) }
      let name = parts[0].lowercased()
      if isPublic(name, value) { return false }
      return value.utf8.count >= shortestToken || isName(name)
    }
  }

  private static func areLikely(inPath path: String) -> Bool {
    var isPrivate = false
    var before = ""
    return parts(of: path, at: "/;").contains { part in
      let isPublic = publicParts.contains(before)
      before = part.lowercased()
      if isPrivate, isToken(part.prefix { $0 != "." }) { return true }
      if isJSON(part) || !isPublic && isRandom(part) { return true }
      isPrivate = isPrivate || privateParts.contains(part.lowercased())
      let pair = part.split(separator: "=", maxSplits: 1)
      return pair.count == 2 && isName(pair[0].lowercased())
    }
  }

  /// The parts of a text; addresses may be in parameters of other ones.
  private static func parts(of text: String, at signs: String) -> [Substring] {
    let plain = PercentEncoding.decoded(PercentEncoding.decoded(text))
    return plain.replacing("&amp;", with: "&").split { signs.contains($0) }
  }

  /// Whether a text may have a secret: a user name before a host, a parameter with a name like `token`,
  /// or a parameter of a query whose value is more than a number. It is wrong rather too often than too
  /// rarely.
  package static func mayBe(in text: String) -> Bool {
    guard text.utf8.contains(where: "@=?%".utf8.contains) else { return false }
    // Addresses are in parameters of other ones.
    let plain = PercentEncoding.decoded(PercentEncoding.decoded(text))
    if [text, plain].contains(where: {
      AddressRedaction.withoutCredentials($0) != $0
        || AddressRedaction.withoutCredentials(in: $0) != $0
    }) {
      return true
    }
    var isInQuery = false
    var part: [UInt8] = []
    for byte in Array(plain.utf8) + [0x20] {
      guard byte <= 0x20 || "?&;#/".utf8.contains(byte) else {
        part.append(byte)
        continue
      }
      if isSecret(part, isInQuery: isInQuery) { return true }
      part = []
      if byte == UInt8(ascii: "?") { isInQuery = true }
      if byte <= 0x20 || byte == UInt8(ascii: "#") { isInQuery = false }
    }
    return false
  }

  private static func isSecret(_ part: [UInt8], isInQuery: Bool) -> Bool {
    let text = String(decoding: part, as: UTF8.self).lowercased()
    guard let sign = text.firstIndex(of: "=") else { return isInQuery && !isNumber(text) }
    let (name, value) = (String(text[..<sign]), String(text[text.index(after: sign)...]))
    guard !value.isEmpty else { return false }
    if isName(name) { return true }
    return isInQuery && !isNumber(value) && !isPublic(name, value)
      && !(plainNames.contains(name) && isWord(value))
  }

  private static func isName(_ name: String) -> Bool {
    let plain = name.filter { $0 != "-" && $0 != "_" }
    return wholeNames.contains(plain) || words.contains(where: plain.contains)
  }

  private static func isPublic(_ name: String, _ value: String) -> Bool {
    publicNames.contains(name.filter { $0 != "-" && $0 != "_" }) && isUUID(value)
  }

  private static func isUUID(_ text: some StringProtocol) -> Bool {
    text.utf8.count == 36
      && text.utf8.enumerated().allSatisfy { place, byte in
        [8, 13, 18, 23].contains(place) ? byte == 0x2D : isHexadecimal(byte)
      }
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
  }

  /// Whether a part of a path is a UUID, or long with a digit and no sign between words.
  private static func isToken(_ text: Substring) -> Bool {
    isUUID(text)
      || text.utf8.count >= shortestToken && text.contains(where: \.isNumber)
        && !text.contains(where: "-_ +".contains)
  }

  /// Whether a part of a path is base64 of JSON, as tokens are.
  private static func isJSON(_ part: Substring) -> Bool {
    part.hasPrefix("eyJ") && part.prefix { $0 != "." }.utf8.count >= shortestToken
  }

  /// Whether a part of a path changes often between capital letters, small ones and digits. Names of files
  /// look so too, and open one file at most.
  private static func isRandom(_ part: Substring) -> Bool {
    let text = part.prefix { $0 != "." }
    guard text.utf8.count >= shortestRandom else { return false }
    var kinds: [Int] = []
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39: kinds.append(0)
      case 0x41...0x5A: kinds.append(1)
      case 0x61...0x7A: kinds.append(2)
      default: return false
      }
    }
    let changes = zip(kinds, kinds.dropFirst()).count { $0 != $1 }
    let ending = part.split(separator: ".").last.map { $0.lowercased() } ?? ""
    return Set(kinds).count == 3 && changes * 5 >= kinds.count * 2
      && !images.contains(ending) && !FileExtension.isAudioOrVideo(ending)
  }

  /// Whether a parameter without a name is more than a word, a number or a date.
  private static func isBareToken(_ text: String) -> Bool {
    guard text.utf8.count < shortestToken else { return true }
    let plain = text.lowercased()
    let isPlain = text == plain || text == text.uppercased()
    let isDate = text.utf8.allSatisfy { (0x2B...0x3A).contains($0) || $0 == 0x5F }
    return text.utf8.count >= shortestBareToken && !isDate
      && !(isPlain && isWord(plain.filter { $0 != "-" }))
  }

  private static func isNumber(_ text: String) -> Bool {
    text.utf8.count <= longestNumber && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }

  private static func isWord(_ text: String) -> Bool {
    text.utf8.count <= 20 && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x5F }
  }
}
