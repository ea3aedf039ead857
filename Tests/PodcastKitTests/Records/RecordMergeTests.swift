import Foundation
import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

/// Records of two machines that are put one behind the other.
@Suite("Merged records") struct RecordMergeTests {
  private typealias Entry = FolderContents.Entry

  private static let keys = ["a", "b", "c"].map { EpisodeKey(named: $0) }

  /// A copy of a folder's record, as lines.
  private struct Machine {
    var lines: [String]

    var facts: [FolderFact] {
      get throws {
        try lines.map { try JSONDecoder().decode(FolderFact.self, from: Data($0.utf8)) }
      }
    }

    var contents: FolderContents { get throws { FolderContents(try facts) } }

    /// What an earlier podget reads.
    var events: FolderContents {
      get throws {
        FolderContents(
          try lines.map { line in
            var fact = try JSONDecoder().decode(FolderFact.self, from: Data(line.utf8))
            fact.state = nil
            return fact
          })
      }
    }

    mutating func add(_ facts: [FolderFact]) throws {
      for fact in facts {
        lines.append(String(decoding: try RecordEncoder.data(fact, for: "test"), as: UTF8.self))
      }
    }
  }

  private static func planned(_ key: EpisodeKey) -> Entry {
    Entry(
      key: key, podcast: StoredPodcast(Podcast(title: "P")),
      episode: StoredEpisode(Episode(title: "E", enclosure: Enclosure(url: "u"))))
  }

  private static func byKey(_ contents: FolderContents) -> [EpisodeKey: Entry] {
    Dictionary(contents.entries.map { ($0.key, $0) }) { first, _ in first }
  }

  /// One command on one machine; what it changed is expected of the merged record.
  private func command(
    on machine: inout Machine, _ random: inout SeededGenerator,
    _ expected: inout [EpisodeKey: Entry]
  ) throws {
    guard let key = Self.keys.randomElement(using: &random) else { return }
    var entry = try machine.contents.entry(key) ?? Self.planned(key)
    var wanted = expected[key] ?? Self.planned(key)
    let number = Int.random(in: 0..<1_000, using: &random)
    var facts: [FolderFact]
    switch Int.random(in: 0..<5, using: &random) {
    case 0:
      entry.file = EntryName("\(number).mp3")
      entry.bytes = Int64(number)
      facts = [FolderFact(.finished, entry, at: Date())]
      (wanted.file, wanted.bytes, wanted.removedAt) = (entry.file, entry.bytes, nil)
    case 1:
      facts = [FolderFact(entry.isStarred ? .unstarred : .starred, entry, at: Date())]
      wanted.isStarred = !entry.isStarred
    case 2:
      let date = Date(timeIntervalSince1970: Double(number))
      facts = [FolderFact(.removed, entry, at: date)]
      wanted.removedAt = date.timestamp
    case 3 where entry.file != nil:
      facts = entry.arrival(as: try #require(EntryName("\(number).ogg")), after: entry)
      (wanted.file, wanted.bytes) = (EntryName("\(number).ogg"), entry.bytes)
    default:
      // A newer podget records what this one does not know.
      let time = RecordTime.next(after: entry.parts.latest)
      entry.parts.others["mood"] = EpisodeParts.Part(.integer(Int64(number)), time)
      facts = [entry.line(.unstarred, [])]
      wanted.parts.others["mood"] = EpisodeParts.Part(.integer(Int64(number)), time)
    }
    try machine.add(facts)
    expected[key] = wanted
  }

  /// What an entry has, without times.
  private static func values(_ entry: Entry) -> [String] {
    [
      "\(entry.file?.text ?? "-")", "\(entry.bytes ?? -1)", "\(entry.isStarred)",
      entry.removedAt ?? "-", "\(String(describing: entry.parts.others["mood"]?.value))",
    ]
  }

  @Test("what later lines supersede may be forgotten, whatever follows", arguments: 0..<20)
  func superseded(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var machine = Machine(lines: [])
    var expected: [EpisodeKey: Entry] = [:]
    var kept: [EpisodeKey: [FolderFact]] = [:]
    for _ in 0..<60 {
      let count = machine.lines.count
      try command(on: &machine, &random, &expected)
      for fact in try Machine(lines: Array(machine.lines[count...])).facts {
        guard let key = fact.key else { continue }
        let facts = (kept[key] ?? []) + [fact]
        let superseded = RecordCompaction.superseded(
          facts, in: FolderContents(numbered: facts))
        kept[key] = facts.indices.filter { !superseded.contains($0) }.map { facts[$0] }
      }
      for key in Self.keys {
        #expect(FolderContents(kept[key] ?? []).entry(key) == (try machine.contents.entry(key)))
      }
    }
    #expect(kept.values.allSatisfy { $0.count < 6 }, "of \(machine.lines.count)")
  }

  @Test("in any order they say the same, and the latest of each part counts", arguments: 0..<40)
  func merged(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var machines = [Machine(lines: []), Machine(lines: [])]
    var expected: [EpisodeKey: Entry] = [:]
    for _ in 0..<10 {
      for _ in 0..<Int.random(in: 0...6, using: &random) {
        let place = Int.random(in: 0...1, using: &random)
        try command(on: &machines[place], &random, &expected)
      }
      // Each line once, as a merge leaves them.
      let all = Set(machines.flatMap(\.lines)).sorted()
      let shuffled = all.shuffled(using: &random)
      let compacted = RecordCompaction.compacted(
        Data((shuffled.joined(separator: "\n") + "\n").utf8))
      var results: [[EpisodeKey: Entry]] = []
      for lines in [all, shuffled, all.reversed(), all + shuffled] {
        results.append(Self.byKey(try Machine(lines: lines).contents))
      }
      if let compacted {
        let lines = String(decoding: compacted, as: UTF8.self).split(separator: "\n").map(
          String.init)
        results.append(Self.byKey(try Machine(lines: lines).contents))
        // An earlier podget, which reads the events, loses nothing either.
        let events = [try Machine(lines: lines).events, try Machine(lines: shuffled).events]
          .map { Self.byKey($0).mapValues(Self.values) }
        #expect(events[0] == events[1])
      }
      for result in results {
        #expect(result == results[0])
        #expect(result.mapValues(Self.values) == expected.mapValues(Self.values))
      }
      for place in machines.indices { machines[place].lines = shuffled }
    }
  }

  @Test("the title that one machine corrects and the date of the other are both kept")
  func corrections() throws {
    var machine = Machine(lines: [])
    var entry = Self.planned(Self.keys[0])
    entry.file = "a.mp3"
    try machine.add([FolderFact(.finished, entry, at: Date())])
    var others = [machine, machine]
    let date = Date(timestamp: "2019-05-06T00:00:00Z")
    for (place, word) in [EpisodeCorrection(title: "Pear"), EpisodeCorrection(date: date)]
      .enumerated()
    {
      var own = try #require(try others[place].contents.entry(Self.keys[0]))
      let isNew = own.take(.edited(word))
      #expect(isNew)
      try others[place].add([own.remark(at: Date())])
    }
    machine.lines = others[0].lines + others[1].lines.dropFirst()
    let merged = try #require(try machine.contents.entry(Self.keys[0])).marks.correction
    #expect(merged == EpisodeCorrection(title: "Pear", date: date))
    var undone = try #require(try machine.contents.entry(Self.keys[0]))
    let isUndone = undone.take(.edited(nil))
    #expect(isUndone)
    try machine.add([undone.remark(at: Date())])
    #expect(try machine.contents.entry(Self.keys[0])?.marks.correction == EpisodeCorrection())
  }

  @Test("a line of events counts after a state, unless it is older") func events() throws {
    var machine = Machine(lines: [])
    var entry = Self.planned(Self.keys[0])
    entry.file = "a.mp3"
    try machine.add([FolderFact(.finished, entry, at: Date())])
    try machine.add([
      FolderFact(.starred, try #require(try machine.contents.entry(entry.key)), at: Date())
    ])
    func event(_ kind: FolderFact.Kind, at: String?) -> FolderFact {
      FolderFact(
        fact: kind.rawValue, key: entry.key, podcast: entry.podcast, episode: entry.episode,
        file: "old.mp3", at: at)
    }
    var older = machine
    try older.add([event(.unstarred, at: "2020-01-01T00:00:00Z")])
    #expect(try older.contents.entry(entry.key)?.isStarred == true)
    var later = machine
    try later.add([event(.unstarred, at: "2199-01-01T00:00:00Z"), event(.finished, at: nil)])
    #expect(try later.contents.entry(entry.key)?.isStarred == false)
    #expect(try later.contents.entry(entry.key)?.file == "old.mp3")
    // What is written next counts again, also if the clock of the other machine was ahead.
    try later.add([
      FolderFact(.starred, try #require(try later.contents.entry(entry.key)), at: Date())
    ])
    #expect(try later.contents.entry(entry.key)?.isStarred == true)
  }

  @Test("a time after the year 2255 is none, and later lines count") func farFuture() throws {
    var machine = Machine(lines: [])
    var entry = Self.planned(Self.keys[0])
    entry.file = "a.mp3"
    try machine.add([FolderFact(.finished, entry, at: Date())])
    #expect(RecordTime("2254-12-31T00:00:00Z") != nil)
    #expect(RecordTime("9999-12-31T00:00:00Z") == nil)
    let line = try #require(machine.lines.last)
    let written = try #require(line.range(of: #""written":"[0-9]{4}"#, options: .regularExpression))
    machine.lines.append(line.replacingCharacters(in: written, with: #""written":"9999"#))
    let known = try #require(try machine.contents.entry(entry.key))
    try machine.add([FolderFact(.starred, known, at: Date())])
    #expect(try machine.contents.entry(entry.key)?.isStarred == true)
    let last = RecordTime.next(after: RecordTime(microseconds: .max))
    #expect(RecordTime(last.text) != nil)
  }
}
