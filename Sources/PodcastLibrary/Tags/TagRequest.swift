package import FoundationEssentials
package import PodcastModel

/// The tags that an episode's file should have. Texts come from feeds: they are cleaned and cut here.
package struct TagRequest: Sendable, Hashable {
  /// A chapter with its times in milliseconds.
  package struct Chapter: Sendable, Hashable {
    package var start: UInt32
    package var end: UInt32
    package var title: String
  }

  /// A picture of a format that players know.
  package struct Picture: Sendable, Hashable {
    /// The media type: JPEG or PNG.
    package var mediaType: String
    package var bytes: Data
  }

  package var title = ""
  package var podcast = ""
  package var author = ""
  /// RFC 3339, UTC, in whole seconds.
  package var date = ""
  package var number: Int?
  package var season: Int?
  package var description = ""
  package var guid = ""
  package var feed = ""
  /// The address of the episode's page.
  package var page = ""
  package private(set) var chapters: [Chapter] = []
  package private(set) var picture: Picture?
  private var isPrivate = false

  /// The longest texts in bytes of UTF-8.
  package static let longestTitle = 1_000
  package static let longestAddress = 4_000
  package static let longestDescription = 64 << 10
  package static let mostChapters = 999
  /// The table of an MP3 file has its count in one byte.
  private static let mostChaptersOfMP3 = 255
  package static let largestPicture = 4 << 20
  private static let largestNumber = 100_000

  /// Asks for each tag that only a feed knows.
  static var ofDetails: TagRequest {
    var request = TagRequest()
    request.describe("x")
    request.link("https://example.org")
    request.divide([(.zero, "x")], end: nil)
    request.illustrate(Data([0xFF, 0xD8, 0xFF]))
    return request
  }

  private init() {}

  /// The request for an episode as the library knows it.
  ///
  /// - Parameter isPrivate: whether the podcast is for one person, because its feed needs a login.
  package init(_ episode: Episode, of podcast: Podcast, isPrivate: Bool = false) {
    title = Self.line(episode.title)
    self.podcast = Self.line(podcast.shownTitle)
    author = Self.line(podcast.author ?? "")
    date = episode.date.map { String($0.timestamp.prefix(19)) + "Z" } ?? ""
    number = episode.number.flatMap { (1...Self.largestNumber).contains($0) ? $0 : nil }
    season = episode.season.flatMap { (1...Self.largestNumber).contains($0) ? $0 : nil }
    // A file may go to others: nothing in it may open a private feed.
    let guid = Self.line(episode.guid ?? "", Self.longestAddress)
    self.guid = AddressSecrets.areKnown(in: guid) || isPrivate && guid.contains("://") ? "" : guid
    feed = isPrivate ? "" : Self.address(podcast.feedURL?.text)
    self.isPrivate = isPrivate
  }

  /// Adds the words about the episode, without markup.
  package mutating func describe(_ text: String) {
    description = Self.text(AddressSecrets.removed(from: text))
  }

  /// Adds the address of the episode's page.
  package mutating func link(_ page: String) { self.page = isPrivate ? "" : Self.address(page) }

  /// Adds chapters by their beginnings. Each ends where the next one begins, the last one with the
  /// episode.
  package mutating func divide(_ chapters: [(start: Duration, title: String)], end: Duration?) {
    let starts = chapters.prefix(Self.mostChapters).compactMap { chapter in
      Self.milliseconds(chapter.start).map { (start: $0, title: Self.line(chapter.title)) }
    }.sorted { $0.start < $1.start }.filter { !$0.title.isEmpty }
    self.chapters = starts.enumerated().map { place, chapter in
      let next =
        place + 1 < starts.count ? starts[place + 1].start : end.flatMap(Self.milliseconds)
      return Chapter(
        start: chapter.start, end: max(chapter.start, next ?? chapter.start),
        title: chapter.title)
    }
  }

  /// Adds a picture; one that is too large, or of another format than JPEG and PNG, is left out.
  package mutating func illustrate(_ bytes: Data) {
    guard bytes.count <= Self.largestPicture else { return }
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
      picture = Picture(mediaType: "image/jpeg", bytes: bytes)
    } else if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      picture = Picture(mediaType: "image/png", bytes: bytes)
    }
  }
}

extension TagRequest {
  /// The request in the form that podget-tag reads (Sources/podget-tag/Request.h).
  ///
  /// - Parameters:
  ///   - format: the file's own format.
  ///   - writes: whether the file is changed; otherwise only what is missing is reported.
  package func bytes(for format: TaggedFormat, writes: Bool) -> Data {
    var data = Data("podget-tag 1\n".utf8)
    func add(_ letter: Unicode.Scalar, _ bytes: some Collection<UInt8>) {
      data.append(UInt8(ascii: letter))
      data.append(contentsOf: Self.bigEndian(UInt32(clamping: bytes.count)))
      data.append(contentsOf: bytes)
    }
    if writes { add("w", []) }
    add("k", format.rawValue.utf8)
    for (letter, text) in [
      ("t", title), ("p", podcast), ("a", author), ("d", date), ("e", description), ("g", guid),
      ("f", feed), ("l", page),
    ] as [(Unicode.Scalar, String)] where !text.isEmpty {
      add(letter, text.utf8)
    }
    if let number { add("n", Self.bigEndian(UInt32(clamping: number))) }
    if let season { add("s", Self.bigEndian(UInt32(clamping: season))) }
    for chapter in takesChapters(format) ? chapters : [] {
      add(
        "c", Self.bigEndian(chapter.start) + Self.bigEndian(chapter.end) + Array(chapter.title.utf8)
      )
    }
    if let picture { add("i", Array("\(picture.mediaType)\n".utf8) + Array(picture.bytes)) }
    add(".", [])
    return data
  }

  /// What a file of a format does not get, in a sentence.
  func omission(for format: TaggedFormat) -> String? {
    guard format.takesChapters, !takesChapters(format) else { return nil }
    return "It has \(chapters.count) chapters, and an MP3 file can have 255, so it gets none."
  }

  /// Whether a file of a format gets the chapters: all or none.
  private func takesChapters(_ format: TaggedFormat) -> Bool {
    format.takesChapters && (format != .mp3 || chapters.count <= Self.mostChaptersOfMP3)
  }

  private static func bigEndian(_ number: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> UInt32($0)) }
  }

  private static func milliseconds(_ time: Duration) -> UInt32? {
    let (seconds, rest) = time.components
    guard (0...4_000_000).contains(seconds), rest >= 0 else { return nil }
    return UInt32(exactly: seconds * 1000 + rest / 1_000_000_000_000_000)
  }

  /// An http address without a secret; empty for anything else.
  private static func address(_ text: String?) -> String {
    guard let text, text.hasPrefix("http://") || text.hasPrefix("https://"),
      text.utf8.count <= longestAddress, !AddressSecrets.areKnown(in: text)
    else { return "" }
    return line(text, longestAddress)
  }

  /// A text of one line.
  private static func line(_ text: String, _ longest: Int = longestTitle) -> String {
    cut(text.unicodeScalars.map { isControl($0) ? " " : $0 }, longest)
  }

  /// A text of several lines, with line feeds only.
  private static func text(_ text: String) -> String {
    cut(
      text.unicodeScalars.compactMap { scalar in
        scalar == "\n" || scalar == "\t" ? scalar : isControl(scalar) ? nil : scalar
      }, longestDescription)
  }

  /// Control characters, NUL among them, and what turns the direction of the text that follows.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .control
      || (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
  }

  /// As many complete characters as fit, without blanks around them.
  private static func cut(_ scalars: [Unicode.Scalar], _ longest: Int) -> String {
    let isBlank = { (scalar: Unicode.Scalar) in scalar == " " || scalar == "\n" || scalar == "\t" }
    var rest = scalars.drop(while: isBlank)
    var length = 0
    if let end = rest.firstIndex(where: { scalar in
      length += UTF8.width(scalar)
      return length > longest
    }) {
      rest = rest[..<end]
    }
    while let last = rest.last, isBlank(last) { rest.removeLast() }
    var text = String.UnicodeScalarView()
    text.append(contentsOf: rest)
    return String(text)
  }
}
