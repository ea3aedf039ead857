@testable import PodcastFeeds
@testable import PodcastModel

/// Sources and addresses as people and publishers write them.
enum LinksFuzzing {
  static func run(_ input: inout FuzzInput) throws {
    let text = String(decoding: input.remaining(), as: UTF8.self)
    let source: Source?
    do throws(PodgetError) {
      source = try Source.parse(text)
    } catch {
      try FuzzFailure.require(!error.message.isEmpty, "An error without words.")
      source = nil
    }
    if let source { try check(source, text) }
    let sent = WebAddress.forRequest(text)
    try FuzzFailure.require(WebAddress.forRequest(sent) == sent, "Encoded twice: \(sent)")
    if let address = WebAddress(sent), address.isHTTP {
      try FuzzFailure.require(
        (String(address.path) + String(address.query)).utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F },
        "Raw bytes in \(sent)")
      try FuzzFailure.require(!address.host.isEmpty, "No host in \(sent)")
      _ = address.origin
    }
    let decoded = PercentEncoding.decoded(text)
    try FuzzFailure.require(
      decoded.utf8.count <= 3 * text.utf8.count, "Decoding makes it longer: \(text)")
    if let address = ComparableAddress(text) {
      try FuzzFailure.require(ComparableAddress(text) == address, "Not equal to itself: \(text)")
      _ = address.fileName
    }
    let ending = FileExtension.announced(for: Enclosure(url: text))
    try FuzzFailure.require(
      (1...8).contains(ending.utf8.count) && FileExtension.sanitized(ending) == ending,
      "The extension \(ending) of \(text)")
    _ = PodcastIdentity(Podcast(title: text, feedURL: FeedURL(text))).aliases
    // The request to Apple contains the term, and nothing that could be another parameter.
    let query = FormQuery([("term", text)]).description
    try FuzzFailure.require(
      query.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x26 && $0 != 0x23 }, query)
  }

  private static func check(_ source: Source, _ text: String) throws {
    switch source {
    case .apple(let id, let country, let episode):
      try FuzzFailure.require(id > 0 && (episode ?? 1) > 0, "The id \(id) of \(text)")
      try FuzzFailure.require(
        country.map { $0.utf8.count == 2 && $0.utf8.allSatisfy { (0x61...0x7A).contains($0) } }
          ?? true, "The country \(country ?? "") of \(text)")
    case .feed(let url):
      try FuzzFailure.require(WebAddress(url)?.isHTTP == true, "The feed \(url) of \(text)")
    case .file(let path): try FuzzFailure.require(!path.isEmpty, "A file without a path.")
    case .name(let name): try FuzzFailure.require(!name.isEmpty, "A source without a name.")
    case .standardInput: break
    }
  }
}
