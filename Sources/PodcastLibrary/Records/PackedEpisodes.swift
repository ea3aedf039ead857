import FoundationEssentials
import PodcastModel

/// The episodes of one folder from the index: all texts in one block of memory.
///
/// A large library has a million texts, of which a listing shows a few: creating and freeing a
/// string for each takes longer than everything else.
package final class PackedEpisodes: Sendable {
  /// The texts of an episode in the narrow table, in the order in which they are stored.
  enum Text: Int, CaseIterable {
    case key, guid, title, stem, fileExtension
  }

  /// The properties of an episode in the narrow table that are not text.
  struct Facts: Sendable {
    /// The position of its podcast.
    var podcast: Int
    var date: Date?
    var file: LocalEpisode.File
    var duration: Duration?
    var id: Int64?
  }

  let folder: RelativePath
  let podcasts: [Podcast]
  let facts: [Facts]
  private let texts: PackedTexts
  /// What the detail table has of each episode; nil if only listings are wanted.
  private let details: PackedDetails?

  init(
    folder: RelativePath, podcasts: [Podcast], facts: [Facts], texts: PackedTexts,
    details: PackedDetails?
  ) {
    self.folder = folder
    self.podcasts = podcasts
    self.facts = facts
    self.texts = texts
    self.details = details
  }

  /// A text of an episode; nil if not known.
  func text(_ text: Text, of row: Int) -> String? { texts[place(of: text, in: row)] }

  /// A text that every episode has.
  func required(_ text: Text, of row: Int) -> String { self.text(text, of: row) ?? "" }

  /// The bytes of an episode's key.
  func withKey<Result>(of row: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    texts.withBytes(at: place(of: .key, in: row), body)
  }

  /// The path of an episode below the library.
  func path(of row: Int) -> String {
    LibraryPath.join(
      folder.text, stem: required(.stem, of: row), ending: required(.fileExtension, of: row))
  }

  /// The SHA-256 of an episode, if it was computed.
  func sha256(of row: Int) -> String? { details?.text(.sha256, of: row) }

  /// The published episode, as a value of its own.
  func episode(of row: Int) -> Episode {
    let (facts, more) = (facts[row], details?.facts[row])
    func detail(_ text: PackedDetails.Text) -> String? { details?.text(text, of: row) }
    return Episode(
      id: facts.id, guid: text(.guid, of: row), title: required(.title, of: row),
      date: facts.date, duration: facts.duration,
      enclosure: Enclosure(
        url: detail(.url) ?? "", length: more?.length, mimeType: detail(.mimeType),
        fileExtension: detail(.enclosureExtension)),
      season: more?.season, number: more?.number, kind: more?.kind ?? .full,
      artworkURL: detail(.artworkURL))
  }

  /// The state of an episode, as a value of its own.
  func plan(of row: Int) -> DownloadPlan {
    DownloadPlan(
      key: EpisodeKey(checked: required(.key, of: row)), podcast: podcasts[facts[row].podcast],
      episode: episode(of: row),
      file: PlannedFile(
        folder: folder, stem: EntryName(checked: required(.stem, of: row)),
        fileExtension: required(.fileExtension, of: row)))
  }

  private func place(of text: Text, in row: Int) -> Int {
    row * Text.allCases.count + text.rawValue
  }
}

/// What the detail table of the index has of the episodes of one folder.
struct PackedDetails: Sendable {
  /// The texts of an episode, in the order in which they are stored.
  enum Text: Int, CaseIterable {
    case url, mimeType, enclosureExtension, artworkURL, sha256
  }

  /// The properties of an episode that are not text.
  struct Facts: Sendable {
    var kind: Episode.Kind
    var season: Int?
    var number: Int?
    var length: Int64?
  }

  var facts: [Facts] = []
  var texts = PackedTexts()

  /// A text of an episode; nil if not known.
  func text(_ text: Text, of row: Int) -> String? {
    texts[row * Text.allCases.count + text.rawValue]
  }
}

/// Texts one after the other, each with a number; a text may be absent.
struct PackedTexts: Sendable {
  /// Where each text ends, which is where the next one begins; negated if a text is absent.
  private var ends: [Int32] = []
  private var bytes: [UInt8] = []

  /// Adds a text, or nil for none. Returns false when it does not fit.
  mutating func append(_ text: UnsafeBufferPointer<UInt8>?) -> Bool {
    if let text { bytes.append(contentsOf: text) }
    guard let end = Int32(exactly: bytes.count) else { return false }
    ends.append(text == nil ? ~end : end)
    return true
  }

  subscript(number: Int) -> String? {
    guard ends[number] >= 0 else { return nil }
    return withBytes(at: number) { String(decoding: $0, as: UTF8.self) }
  }

  /// The bytes of a text, empty if it is absent.
  func withBytes<Result>(
    at number: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    let start = number == 0 ? 0 : Self.place(ends[number - 1])
    let end = Self.place(ends[number])
    return bytes.withUnsafeBufferPointer {
      body(UnsafeBufferPointer(rebasing: $0[start..<end]))
    }
  }

  private static func place(_ end: Int32) -> Int { Int(end < 0 ? ~end : end) }
}
