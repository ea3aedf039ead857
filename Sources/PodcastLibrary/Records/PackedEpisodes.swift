import FoundationEssentials
import PodcastModel

/// The episodes of one folder from the index: all texts in one block of memory.
///
/// A large library has a million texts, of which a listing shows a few: creating and freeing a
/// string for each takes longer than everything else.
package final class PackedEpisodes: Sendable {
  let rows: PackedRows

  /// Shares the rows of a folder.
  init(_ rows: PackedRows) { self.rows = rows }
}

/// The rows of the index about the episodes of one folder.
struct PackedRows: Sendable {
  /// The texts of an episode, in the order in which they are stored. Those from the address on are
  /// in the detail table.
  enum Text: Int {
    case key, guid, title, stem, fileExtension
    case url, mimeType, enclosureExtension, artworkURL, sha256
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

  /// The properties of an episode in the detail table that are not text.
  struct Details: Sendable {
    var kind: Episode.Kind
    var season: Int?
    var number: Int?
    var length: Int64?
  }

  let folder: RelativePath
  /// Whether the rows have the texts of the detail table too.
  let hasDetails: Bool
  var podcasts: [Podcast] = []
  var facts: [Facts] = []
  /// Empty if only listings are wanted.
  var details: [Details] = []
  var texts = PackedTexts()

  /// A text of an episode; nil if not known.
  func text(_ text: Text, of row: Int) -> String? {
    text.rawValue < textCount ? texts[row * textCount + text.rawValue] : nil
  }

  /// A text that every episode has.
  func required(_ text: Text, of row: Int) -> String { self.text(text, of: row) ?? "" }

  /// The bytes of an episode's key.
  func withKey<Result>(of row: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    texts.withBytes(at: row * textCount + Text.key.rawValue, body)
  }

  /// The path of an episode below the library.
  func path(of row: Int) -> String {
    LibraryPath.join(
      folder.text, stem: required(.stem, of: row), ending: required(.fileExtension, of: row))
  }

  /// The published episode, as a value of its own.
  func episode(of row: Int) -> Episode {
    let (facts, more) = (facts[row], hasDetails ? details[row] : nil)
    return Episode(
      id: facts.id, guid: text(.guid, of: row), title: required(.title, of: row),
      date: facts.date, duration: facts.duration,
      enclosure: Enclosure(
        url: required(.url, of: row), length: more?.length, mimeType: text(.mimeType, of: row),
        fileExtension: text(.enclosureExtension, of: row)),
      season: more?.season, number: more?.number, kind: more?.kind ?? .full,
      artworkURL: text(.artworkURL, of: row))
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

  /// How many texts each row has.
  private var textCount: Int { hasDetails ? Text.sha256.rawValue + 1 : Text.url.rawValue }
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
