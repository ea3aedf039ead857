import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

/// What podget writes must be what it reads: a record that is refused later makes its episode fail in
/// every run.
@Suite("Records of hostile values come back equal") struct RecordRoundTripTests {
  private let folder: TemporaryFolder
  private let library: Library
  private let partials: PartialFolder

  init() throws {
    folder = try TemporaryFolder()
    library = try #require(try Library.open(folder.path("library"), creating: true))
    partials = try PartialFolder(library: library.root)
  }

  /// The bytes of a value: texts are equal in Swift in any Unicode form.
  private static func bytes(_ value: some Encodable) throws -> String {
    String(decoding: try RecordEncoder.data(value, for: "test"), as: UTF8.self)
  }

  @Test("a record of an unfinished download, whatever feed and server say", arguments: 0..<60)
  func partialRecords(seed: UInt64) throws {
    var values = HostileValues(seed: seed)
    let plan = DownloadPlan(
      key: "a", podcast: values.podcast(), episode: values.episode(), folder: values.name(),
      stem: values.name(), announcedExtension: "mp3")
    try partials.write(PartialRecord(plan), .none)
    let committer = Committer(library: library, partials: partials) { Date() }
    let opening = try PartialDownload.open(
      plan, in: library, partials, committer, isForced: false, computesChecksum: false,
      flag: CancelFlag())
    guard case .opened(var partial) = consume opening else {
      throw PodgetError(.disk, "It should be there to begin.")
    }
    var expected = PartialRecord(plan)
    for version in 1...3 {
      let head = values.head()
      let total = Int64(exactly: values.number())
      try partial.begin(head, from: values.text(), total: total)
      let url = values.text()
      try partial.move(to: url)
      let read = try #require(try partials.read(plan.key))
      expected.episode.url = url
      #expect(read.state?.generation == version)
      #expect(read.state?.validator == Validator(head) && read.state?.total == total)
      expected.state = read.state
      #expect(try Self.bytes(read) == Self.bytes(expected))
    }
    // The same as one line, with all that it may hold.
    expected.end(values.error(), at: Date(timeIntervalSince1970: Double(seed)))
    (expected.finalName, expected.replaces) = (EntryName(values.name()), RelativePath("a/b"))
    expected.overridesRemoval = values.text()
    try partials.write(expected, .whole)
    let read = try #require(try partials.read(plan.key))
    #expect(try Self.bytes(read) == Self.bytes(expected))
    #expect(partials.contents().refused.isEmpty)
  }

  @Test("lines of a folder's record", arguments: 0..<60) func folderFacts(seed: UInt64) throws {
    var values = HostileValues(seed: seed)
    let directory = try OpenFile.folder(folder.path, creating: false)
    let facts = try [
      FolderFact.Kind.podcast, .finished, .moved, .starred, .unstarred, .removed,
    ].map { kind in
      var fact = FolderFact(
        fact: kind.rawValue, key: "a", podcast: StoredPodcast(values.podcast()),
        episode: StoredEpisode(values.episode()))
      (fact.file, fact.bytes, fact.at) = (EntryName(values.name()), 7, values.text())
      (fact.sha256, fact.receivedSHA256) = (values.text(), values.text())
      fact.otherFiles = [
        EpisodeFile(
          role: values.text() + "-", path: try #require(EntryName(values.name())),
          bytes: Int64(exactly: values.number()), sha256: values.text())
      ]
      fact.downloadedAt = values.text()
      return fact
    }
    _ = try FolderRecords.log(in: directory).append(
      facts, first: nil, compactingFrom: .max, where: { _ in true })
    let reading = try FolderRecords.log(in: directory).reading()
    #expect(reading.refusal == nil && !reading.hasUnknownLines)
    #expect(try reading.lines.map(Self.bytes) == facts.map(Self.bytes))
    let place = try #require(RelativePath("P"))
    #expect(try RecordLines().facts(about: "a", in: directory, at: place) == facts)
  }

  @Test("states of feeds", arguments: 0..<60) func feedStates(seed: UInt64) throws {
    var values = HostileValues(seed: seed)
    var state = FeedState()
    let head = values.head()
    state.validators = FeedValidators(
      etag: head.first("ETag"), lastModified: head.first("Last-Modified"))
    (state.bodyDigest, state.settingsDigest) = (values.text(), values.text())
    (state.deferredOrigin, state.bodyBytes) = (values.text(), Int(exactly: values.number()))
    state.lastError = values.error()
    state.listed = ListedMemory(
      keys: (0..<5).map { _ in ListedKey(value: values.number()) }.sorted(),
      signs: (0..<5).map { _ in ListedSigns(value: values.number()) },
      days: (0..<5).map { _ in UInt16(truncatingIfNeeded: values.number() as UInt64) },
      otherwise: nil)
    let address = values.text()
    let log = try FeedStateLog(library)
    try log.append([FeedLine(address, state)])
    let read = try #require(try FeedStateLog.states(of: library)[address])
    #expect(read == state)
    #expect(try Self.bytes(FeedLine(address, read)) == Self.bytes(FeedLine(address, state)))
  }

  @Test(
    "a record that an earlier podget poisoned is read without the validator, as a line too",
    arguments: ["etag", "lastModified", "date"], ["\\t", "\\r\\n", "\\u007f"])
  func poisoned(member: String, control: String) throws {
    let plan = DownloadPlan(
      key: "a", podcast: Podcast(title: "P"),
      episode: Episode(title: "T", enclosure: Enclosure(url: "https://a.example/a.mp3")),
      folder: "P", stem: "T", announcedExtension: "mp3")
    var record = PartialRecord(plan)
    let line = try Self.bytes(record)
    record.state = ResumeState(
      generation: 1, validator: Validator(etag: "\"e\"", lastModified: "m", date: "d"), total: 9,
      durableLength: 5, inode: 1)
    let value = ["etag": "\\\"e\\\"", "lastModified": "m", "date": "d"][member] ?? ""
    let (old, new) = ("\"\(member)\":\"\(value)\"", "\"\(member)\":\"\(value)\(control)x\"")
    let poisoned = try Self.bytes(record).replacing(old, with: new)
    let added = try Self.bytes(PartialLine.state(#require(record.state))).replacing(old, with: new)
    for content in [poisoned, line + "\n" + added] {
      #expect(content.contains(new))
      try folder.write("library/.podget/partial/\(plan.key).json", content)
      let read = try #require(try partials.read(plan.key))
      #expect(read.state?.durableLength == 5 && read.state?.total == 9)
      #expect(member != "etag" || read.state?.validator.ifRange == nil)
      let kept = [
        read.state?.validator.etag, read.state?.validator.lastModified, read.state?.validator.date,
      ]
      #expect(!kept.contains { $0?.contains("x") == true })
    }
  }
}

/// Values as a hostile feed or server would choose them.
private struct HostileValues {
  private var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  private static let scalars: [Unicode.Scalar] = [
    "\0", "\u{1}", "\t", "\n", "\r", "\u{1F}", " ", "\"", "\\", "/", "<", "{", "}", "[", ",", ":",
    "a", "W", "0", "\u{7F}", "\u{80}", "\u{85}", "\u{A0}", "\u{FF}", "\u{301}", "\u{2028}",
    "\u{202E}", "\u{FEFF}", "\u{FFFD}", "\u{FFFF}", "\u{1F600}", "\u{10FFFF}",
  ]

  mutating func text() -> String {
    let length = [0, 1, 3, 20, 20, 20, 3000].randomElement(using: &random) ?? 0
    var text = String.UnicodeScalarView()
    for _ in 0..<length { text.append(Self.scalars.randomElement(using: &random) ?? "a") }
    return String(text)
  }

  /// A number, often one at an end.
  mutating func number() -> UInt64 {
    [0, 1, UInt64(Int64.max), .max, .random(in: 0 ... .max, using: &random)]
      .randomElement(using: &random) ?? 0
  }

  /// A name as podget makes them.
  mutating func name() -> String { FileName.component(text()) }

  mutating func podcast() -> Podcast {
    let address = "https://a.example/" + text()
    return Podcast(
      id: Int64(exactly: number()), title: text(), author: text(),
      feedURL: FeedURL(address), artworkURL: text())
  }

  mutating func episode() -> Episode {
    Episode(
      id: Int64(exactly: number()), guid: text(), title: text(),
      date: Date(timeIntervalSince1970: Double(number() % (1 << 40))),
      duration: .seconds(Double(number() % (1 << 40)) / 8),
      enclosure: Enclosure(
        url: text(), length: Int64(exactly: number()), mimeType: text(), fileExtension: text()),
      season: Int(exactly: number()), number: Int(exactly: number()), kind: .trailer,
      artworkURL: text())
  }

  mutating func error() -> PodgetError {
    PodgetError(.httpStatus, text(), httpStatus: Int(exactly: number()))
  }

  /// A head as it may arrive: libcurl passes on any field.
  mutating func head() -> ResponseHead {
    var parser = HeadParser()
    let fields = ["ETag", "Last-Modified", "Date", "Content-Type"].map { name in
      let value = text().unicodeScalars.filter { $0 != "\n" && $0 != "\r" && $0 != "\0" }
      let quote = name == "ETag" && Bool.random(using: &random) ? "\"" : ""
      return "\(name): \(quote)\(String(value))\(quote)\r\n"
    }
    for line in ["HTTP/1.1 200 OK\r\n"] + fields + ["\r\n"] {
      _ = Array(line.utf8).withUnsafeBytes { parser.take($0) }
    }
    return parser.head ?? ResponseHead(status: 200)
  }
}
