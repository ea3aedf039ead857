import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastModel

@Suite("The order of moves") struct FileMoveTests {
  /// Moves files one after the other; no name may be in use when its turn comes.
  private func run(
    _ moves: [FileMove], on files: [RelativePath: EpisodeKey]
  ) -> [RelativePath: EpisodeKey]? {
    var files = files
    for move in moves {
      guard files[move.from] == move.key, files[move.to] == nil || move.from == move.to else {
        return nil
      }
      files[move.from] = nil
      files[move.to] = move.key
    }
    return files
  }

  @Test("random names are exchanged in chains and circles") func random() {
    for seed in 0..<200 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed)
      let names = (0..<12).compactMap { RelativePath("\($0 % 3)/\($0).mp3") }
      let keys = (0..<8).map { EpisodeKey(named: "k\($0)") }
      let before = Array(zip(keys, names.shuffled(using: &generator)))
      let after = Array(zip(keys, names.shuffled(using: &generator)))
      let moves = zip(before, after).map { FileMove(key: $0.0, from: $0.1, to: $1.1) }
        .filter { $0.from != $0.to }
      let files = Dictionary(uniqueKeysWithValues: before.map { ($0.1, $0.0) })
      let expected = Dictionary(uniqueKeysWithValues: after.map { ($0.1, $0.0) })
      let ordered = FileMove.ordered(moves)
      #expect(run(ordered, on: files) == expected, "seed \(seed)")
      #expect(
        run(FileMove.ordered(moves.map(\.reversed)), on: expected) == files, "seed \(seed), back")
      #expect(ordered.count <= moves.count + moves.count / 2)
    }
  }

  @Test("another spelling of the same name needs no temporary name") func spelling() throws {
    let move = try #require(Self.move("A/one.mp3", "A/One.mp3"))
    #expect(FileMove.ordered([move]) == [move])
  }

  @Test("a move leads neither outside the library nor to hidden files") func contained() {
    #expect(Self.move("a.mp3", "A/b/c.mp3") != nil)
    for path in ["../a.mp3", "/a.mp3", "A//b.mp3", ".podget/library.sqlite", "A/.b", "A/"] {
      #expect(Self.move("a.mp3", path) == nil)
      #expect(Self.move(path, "a.mp3") == nil)
    }
  }

  private static func move(_ from: String, _ to: String) -> FileMove? {
    guard let from = RelativePath(from), let to = RelativePath(to) else { return nil }
    return FileMove(key: "k", from: from, to: to)
  }
}
