import Foundation
import TestSupport
import Testing

@testable import PodcastFeeds

/// Captured lists, read and compared with what a reference parser read from them.
@Suite("Captured lists", .enabled(if: Fixtures.corpus != nil, "the corpus is not here"))
struct OPMLCorpusTests {
  @Test("give the listed counts, and the reference's addresses and titles")
  func counts() throws {
    let rows = try Self.rows()
    #expect(rows.map(\.file) == Self.names)
    for row in rows {
      let list = try? OPMLImport.read(try Self.bytes(row.file), name: row.file)
      let entries = list?.entries ?? []
      let feeds = entries.filter { $0.verdict == .feed }
      let invalid = entries.filter { if case .invalid = $0.verdict { true } else { false } }
      let state = list == nil ? "none" : list?.problem == nil ? "complete" : "broken"
      let found = Row(
        file: row.file, feeds: feeds.count,
        duplicates: list?.duplicates().filter { $0 != nil }.count ?? 0,
        ignored: entries.count - feeds.count - invalid.count, invalid: invalid.count, state: state,
        note: row.note)
      #expect(found == row)

      let reference = try Self.reference(row.file)
      let theirs = reference.feeds.filter { !($0.url ?? "").trimmingXMLSpace().isEmpty }
      let ours = entries.filter { entry in !Self.isIgnored(entry) }
      let isSame = ours.map(\.address) == theirs.map { $0.url?.trimmingXMLSpace() }
      #expect(isSame == row.note.isEmpty, "\(row.file)")
      // The reference drops what it cannot read from titles.
      guard isSame, reference.wellFormed else { continue }
      let titles = theirs.map { $0.title ?? $0.text }
      #expect(ours.map(\.title) == titles.map { $0.flatMap(Self.line) }, "\(row.file)")
    }
  }

  @Test("that are well formed survive reading and writing", arguments: OPMLCorpusTests.names)
  func roundTrip(name: String) throws {
    let bytes = try Self.bytes(name)
    guard let document = try? OPMLDocument(reading: bytes) else { return }
    let written = document.bytes()
    let again = try OPMLDocument(reading: written)
    #expect(again == document)
    #expect(again.bytes() == written)
    // What is imported from it is the same too, but for the lines.
    func entries(_ bytes: [UInt8]) throws -> [OPMLImport.Entry] {
      try OPMLImport.read(bytes, name: name).entries.map { entry in
        var entry = entry
        entry.line = 0
        entry.title = entry.title ?? ""
        return entry
      }
    }
    #expect(try entries(written) == entries(bytes))
  }

  @Test("that are well formed are not refused, but for what podget would lose")
  func refused() throws {
    var refused: [String] = []
    for name in Self.names where try Self.reference(name).wellFormed {
      do {
        _ = try OPMLDocument(reading: Self.bytes(name))
      } catch {
        refused.append("\(name): \(error)")
      }
    }
    #expect(
      refused == [
        "w3c__feedvalidator__closedbody.opml: line 9, column 3: <outline> does not belong here.",
        "w3c__feedvalidator__twittergram.xml: line 10, column 1: The root element is not <opml>.",
        "xgi__castero__broken_no_body.xml: line 2, column 1: The list has no <body>.",
      ])
  }

  @Test("truncated anywhere give the outlines before that place", arguments: OPMLCorpusTests.names)
  func cut(name: String) throws {
    let bytes = try Self.bytes(name)
    guard let whole = try? OPMLImport.read(bytes, name: name), whole.problem == nil else { return }
    var random = SeededGenerator(seed: UInt64(bytes.count))
    for _ in 0..<3 {
      let length = Int.random(in: 0..<bytes.count, using: &random)
      guard let part = try? OPMLImport.read(Array(bytes[..<length]), name: name) else { continue }
      #expect(part.entries.count <= whole.entries.count)
      // An outline that lost those in it looks like a leaf.
      let same = part.entries.dropLast()
      #expect(same.elementsEqual(whole.entries.prefix(same.count)), "\(length) bytes")
    }
  }
}

extension OPMLCorpusTests {
  /// A line of the table of counts.
  struct Row: Equatable {
    var file: String
    var feeds: Int
    var duplicates: Int
    var ignored: Int
    var invalid: Int
    var state: String
    /// Why podget reads other feeds than the reference; empty where it does not.
    var note: String
  }

  /// The reference's reading of a list.
  struct Reference: Decodable {
    struct Feed: Decodable {
      var url: String?
      var title: String?
      var text: String?
    }
    var wellFormed: Bool
    var feeds: [Feed]
  }

  static let names: [String] = {
    let folder = Fixtures.corpus?.appending(path: "opml").path
    let names = folder.flatMap { try? FileManager.default.contentsOfDirectory(atPath: $0) } ?? []
    return names.sorted()
  }()

  private static func rows() throws -> [Row] {
    let list = Fixtures.root.appending(path: "Tests/opml-imports.tsv")
    let lines = try String(contentsOf: list, encoding: .utf8).split(separator: "\n").dropFirst()
    return try lines.map { line in
      let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      try #require(columns.count == 7, "\(line)")
      let counts = try columns[1...4].map { try #require(Int($0)) }
      return Row(
        file: columns[0], feeds: counts[0], duplicates: counts[1], ignored: counts[2],
        invalid: counts[3], state: columns[5], note: columns[6])
    }
  }

  private static func bytes(_ name: String) throws -> [UInt8] {
    let corpus = try #require(Fixtures.corpus)
    return Array(try Data(contentsOf: corpus.appending(path: "opml/\(name)")))
  }

  private static func reference(_ name: String) throws -> Reference {
    let corpus = try #require(Fixtures.corpus)
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(
      Reference.self, from: Data(contentsOf: corpus.appending(path: "expected/opml/\(name).json")))
  }

  private static func isIgnored(_ entry: OPMLImport.Entry) -> Bool {
    if case .ignored = entry.verdict { true } else { false }
  }

  /// A title on one line, as podget keeps it.
  private static func line(_ text: String) -> String? {
    let words = text.unicodeScalars.split { $0.value <= 0x20 }.map { String($0) }
    return words.isEmpty ? nil : words.joined(separator: " ")
  }
}
