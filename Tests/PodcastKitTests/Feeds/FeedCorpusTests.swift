import Foundation
import PodcastFeeds
import PodcastModel
import TestSupport
import Testing

/// Captured feeds, read and compared with what reference parsers read from them.
@Suite("Captured feeds", .enabled(if: Fixtures.corpus != nil, "the corpus is not here"))
struct FeedCorpusTests {
  @Test("are read as the reference reads them, but for the listed deviations")
  func compare() throws {
    let corpus = try #require(Fixtures.corpus)
    let listed = try Self.listedDeviations()
    var found: [CorpusComparison.Deviation] = []
    var fields = 0
    for name in Self.names {
      let comparison = CorpusComparison(
        file: name, feed: try Data(contentsOf: corpus.appending(path: "feeds/\(name)")),
        expected: try CorpusComparison.expected(of: name, in: corpus))
      found += comparison.deviations
      fields += comparison.fields
    }
    for deviation in Set(found).subtracting(listed) {
      Issue.record("This deviation is not listed: \(deviation)")
    }
    for deviation in Set(listed).subtracting(found) {
      Issue.record("This listed deviation is gone: \(deviation)")
    }
    let count = found.reduce(0) { $0 + $1.count }
    #expect(fields > 50_000)
    #expect(count * 100 <= fields * 2, "\(count) of \(fields) fields deviate")
  }

  @Test("give the same in pieces of any size", arguments: FeedCorpusTests.names)
  func pieces(name: String) throws {
    let corpus = try #require(Fixtures.corpus)
    let bytes = Array(try Data(contentsOf: corpus.appending(path: "feeds/\(name)")))
    let whole = Result { try FeedReader.read(bytes, details: true) }
    var random = SeededGenerator(seed: UInt64(bytes.count))
    // Small pieces where it takes no time, random ones in any case.
    let sizes = bytes.count < 3000 ? [1, 2, 97] : []
    for size in sizes {
      #expect(FeedPieces.read(bytes) { size } == FeedPieces.Outcome(whole), "pieces of \(size)")
    }
    let outcome = FeedPieces.read(bytes) { Int.random(in: 1...9000, using: &random) }
    #expect(outcome == FeedPieces.Outcome(whole))
  }

  @Test("truncated anywhere give the episodes before that place and an error", arguments: names)
  func cut(name: String) throws {
    let corpus = try #require(Fixtures.corpus)
    let bytes = Array(try Data(contentsOf: corpus.appending(path: "feeds/\(name)")))
    guard case .feed(let whole)? = try? FeedReader.read(bytes), !whole.isBroken else { return }
    var random = SeededGenerator(seed: UInt64(bytes.count))
    for _ in 0..<(bytes.count < 100_000 ? 3 : 1) {
      let length = Int.random(in: 0..<bytes.count, using: &random)
      FeedPieces.checkCut(bytes, at: length, whole: whole)
    }
  }

  private static func listedDeviations() throws -> [CorpusComparison.Deviation] {
    let list = Fixtures.root.appending(path: "Tests/feed-deviations.tsv")
    let lines = try String(contentsOf: list, encoding: .utf8).split(separator: "\n").dropFirst()
    return try lines.map { line in
      let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      try #require(columns.count == 6 && !columns[5].isEmpty, "\(line)")
      return CorpusComparison.Deviation(
        file: columns[0], field: columns[1], count: try #require(Int(columns[2])),
        ours: columns[3], theirs: columns[4])
    }
  }

  static let names: [String] = {
    let folder = Fixtures.corpus?.appending(path: "feeds").path
    let names = folder.flatMap { try? FileManager.default.contentsOfDirectory(atPath: $0) } ?? []
    return names.sorted()
  }()
}
