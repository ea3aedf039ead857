import Foundation
import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

@Suite("Querying the index for a few episodes") struct EpisodeQueryTests {
  private let folders: LibraryFolders

  init() throws { folders = try LibraryFolders() }

  /// Records an episode as finished, with its file where `bytes` says so.
  private func add(
    _ number: Int, to path: String, day: Int?, podcast: Podcast? = nil, bytes: Int? = 5,
    isRemoved: Bool = false, sha256: String? = nil
  ) throws {
    let episode = Episode(
      id: Int64(1000 + number), guid: "guid \(number)", title: "Title \(number)",
      date: day.map { Date(timeIntervalSince1970: Double($0) * 86_400) },
      enclosure: Enclosure(url: "https://a.example/\(number).mp3"))
    var fact = FolderFact(
      fact: "finished", key: EpisodeKey(named: "episode \(number)"),
      podcast: StoredPodcast(podcast ?? Podcast(id: 7, title: path)),
      episode: StoredEpisode(episode), file: EntryName(checked: "\(number).mp3"), bytes: 5)
    fact.downloadedAt = "2024-01-02T03:04:05Z"
    fact.sha256 = sha256
    var facts = [fact]
    if isRemoved {
      fact.fact = "removed"
      fact.at = "2024-02-02T03:04:05Z"
      facts.append(fact)
    }
    try FolderRecords.append(
      facts, in: OpenFile.folder(path, in: folders.library.root, creating: true))
    guard let bytes else { return }
    try folders.folder.write("\(path)/\(number).mp3", [UInt8](repeating: 1, count: bytes))
  }

  /// Plans an episode, of which some bytes have arrived.
  private func begin(_ number: Int, day: Int) throws {
    let plan = DownloadPlan(
      key: EpisodeKey(named: "episode \(number)").text, podcast: Podcast(title: "Begun"),
      episode: Episode(
        title: "Begun \(number)", date: Date(timeIntervalSince1970: Double(day) * 86_400),
        enclosure: Enclosure(url: "https://a.example/begun")),
      folder: "Begun", stem: "\(number)", announcedExtension: "mp3")
    let partials = try PartialFolder(library: folders.library.root)
    try partials.write(PartialRecord(plan), .none)
    try folders.folder.write(".podget/partial/\(plan.key).part", "some")
  }

  private func numbers(_ episodes: [LocalEpisode]) -> [String] { episodes.map(\.path) }

  /// The result of a listing of the newest ones.
  private func newest(
    _ count: Int, of episodes: [LocalEpisode], areRemoved: Bool = false
  ) -> [String] {
    let wanted = episodes.filter { ($0.status == .removed) == areRemoved && $0.date != nil }
    return numbers(
      Array(
        wanted.sorted {
          ($1.date ?? .distantPast, $0.path) < ($0.date ?? .distantPast, $1.path)
        }.prefix(count)))
  }

  /// What a listing shows of each episode.
  private func shown(_ episodes: [LocalEpisode]) -> [String] {
    episodes.map {
      "\($0.path) \($0.name ?? "-") \($0.title) \($0.podcast.title) \($0.date as Any) "
        + "\($0.duration as Any) \($0.status) \($0.bytes) \($0.total as Any) \($0.isStarred) "
        + "\($0.downloadedAt as Any)"
    }
  }

  @Test("a listing shows the episodes as they are, from the index and without it")
  func listing() throws {
    for number in 0..<20 {
      let isRemoved = number % 4 == 0
      try add(
        number, to: number < 10 ? "P" : "Q", day: number == 5 ? nil : number,
        bytes: isRemoved ? nil : 5, isRemoved: isRemoved)
    }
    try begin(30, day: 3)
    let all = shown(folders.library.episodes())
    #expect(all.count == 21)
    let listing = folders.library.listing()
    #expect(shown(listing.episodes) == all)
    #expect(listing.problems.isEmpty)
    try FileManager.default.removeItem(atPath: folders.folder.path(".podget/library.sqlite"))
    #expect(shown(folders.library.listing().episodes) == all)
  }

  @Test("a listing finds a file that somebody moved")
  func listingOfMovedFile() throws {
    let sha256 = "377a23f52c6b357696238c3318f677a082dd3430bb6691042bd550a5cda28ebb"
    try add(1, to: "P", day: 1, sha256: sha256)
    try add(2, to: "P", day: 2)
    #expect(folders.library.listing().episodes.map(\.status) == [.complete, .complete])
    try FileManager.default.moveItem(
      atPath: folders.folder.path("P/1.mp3"), toPath: folders.folder.path("P/other.mp3"))
    let record = try folders.folder.read("P/\(FolderRecords.name)")
    #expect(
      Set(folders.library.listing().episodes.map { "\($0.path) \($0.status)" })
        == ["P/other.mp3 complete", "P/2.mp3 complete"])
    // Whoever only looks may be another user, whose lines the owner could not replace.
    #expect(try folders.folder.read("P/\(FolderRecords.name)") == record)
  }

  @Test("the newest ones are the same as among all", arguments: [false, true])
  func newest(hasCopies: Bool) throws {
    for number in 0..<80 {
      let isRemoved = number % 4 == 0
      try add(
        number, to: number < 40 ? "P" : "Q", day: number == 61 ? nil : number / 2,
        bytes: isRemoved ? nil : 5, isRemoved: isRemoved)
    }
    if hasCopies {
      // Here the newest file of all has gone, and its copy has an earlier date.
      try add(50, to: "A", day: 90, bytes: nil)
      try add(50, to: "Z", day: 1)
    }
    // One that is complete, two that were removed, and one that is new.
    try begin(79, day: 19)
    try begin(76, day: 3)
    try begin(72, day: 39)
    try begin(90, day: 38)
    let all = folders.library.episodes()
    for areRemoved in [false, true] {
      for count in 1...10 {
        let reading = folders.library.reading(.newest(count, areRemoved: areRemoved))
        let found = newest(count, of: reading.episodes, areRemoved: areRemoved)
        #expect(found == newest(count, of: all, areRemoved: areRemoved), "\(count)")
        if count < 5 { #expect(reading.areAll == (hasCopies && !areRemoved), "\(count)") }
      }
    }
    // If dates do not decide, everything is read.
    #expect(folders.library.reading(.newest(60, areRemoved: false)).areAll)
    #expect(folders.library.reading(.newest(.max, areRemoved: false)).areAll)
    #expect(folders.library.reading(.newest(0, areRemoved: false)).areAll)
    #expect(folders.library.reading(.newest(.min, areRemoved: false)).areAll)
  }

  @Test(
    "episodes are found by id, guid and key, with copies and unfinished ones")
  func lookup() throws {
    for number in 0..<30 { try add(number, to: number % 2 == 0 ? "P" : "Q", day: number) }
    try add(4, to: "R", day: 4)
    try begin(70, day: 1)
    let begun = "Begun/70.mp3"
    let library = folders.library
    let named = library.reading(.named(["1003", "guid 4", "nothing", "Title 5"]))
    #expect(numbers(named.episodes) == ["R/4.mp3", "Q/3.mp3", begun])
    #expect(numbers(named.copies) == ["P/4.mp3"])
    #expect(!named.areAll)
    let keys = library.reading(.keys([EpisodeKey(named: "episode 8"), EpisodeKey(named: "none")]))
    #expect(numbers(keys.episodes) == ["P/8.mp3", begun])
    #expect(numbers(library.reading(.keys([])).episodes) == [begun])
    #expect(numbers(library.reading(.named([])).episodes) == [begun])
    #expect(library.reading(.named((0...1_000).map { "\($0)" })).areAll)
  }

  @Test("a podcast is found by its id, its feed and its title, in all its folders")
  func podcast() throws {
    let feed: FeedURL = "https://feeds.example/a"
    try add(1, to: "A", day: 1, podcast: Podcast(id: 1, title: "One", feedURL: feed))
    try add(2, to: "B", day: 2, podcast: Podcast(title: "ONE!"))
    try add(3, to: "C", day: 3, podcast: Podcast(title: "Two", feedURL: "http://FEEDS.example/a/"))
    try add(4, to: "D", day: 4, podcast: Podcast(id: 1, title: "Three"))
    try add(5, to: "E", day: 5, podcast: Podcast(id: 2, title: "Four"))
    let library = folders.library
    func found(_ podcast: Podcast) -> [String] {
      numbers(library.reading(.podcast(podcast)).episodes)
    }
    #expect(
      found(Podcast(id: 1, title: "One", feedURL: feed)) == [
        "A/1.mp3", "B/2.mp3", "C/3.mp3", "D/4.mp3",
      ])
    #expect(found(Podcast(title: "four")) == ["E/5.mp3"])
    #expect(found(Podcast(title: "Five")) == [])
  }

  @Test func `a later reading of the same moment looks only into the index`() throws {
    let (one, two) = (Podcast(title: "One"), Podcast(title: "Two"))
    try add(1, to: "A", day: 1, podcast: one)
    try add(2, to: "B", day: 2, podcast: two)
    try begin(70, day: 1)
    let library = folders.library
    let first = library.reading(.podcast(one))
    #expect(numbers(first.episodes) == ["A/1.mp3", "Begun/70.mp3"])
    var moment = try #require(first.moment)
    // However slow this machine is.
    moment.time += .seconds(3600)
    try add(3, to: "B", day: 3, podcast: two)
    try begin(71, day: 1)
    let later = library.reading(.podcast(two), at: moment)
    #expect(numbers(later.episodes) == ["B/2.mp3", "Begun/70.mp3"])
    #expect(later.unfinished.map(\.plan) == first.unfinished.map(\.plan))
    #expect(later.moment != nil)
    let inFolder = library.reading(.folders(["b", "none"]), at: moment)
    #expect(numbers(inFolder.episodes) == ["B/2.mp3", "Begun/70.mp3"])
    // Whoever looks now sees all, and so does a moment that is long ago.
    moment.time -= .seconds(7200)
    #expect(numbers(library.reading(.podcast(two), at: moment).episodes).contains("B/3.mp3"))
    #expect(numbers(library.reading(.podcast(two)).episodes).contains("B/3.mp3"))
    moment.time += .seconds(7200)
    // An index that was deleted since says nothing about the library.
    for ending in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(
        atPath: folders.folder.path(LibraryDatabase.name + ending))
    }
    #expect(numbers(library.reading(.podcast(one), at: moment).episodes).contains("A/1.mp3"))
  }

  @Test func `a condition has the same episodes as a look at all`() throws {
    for number in 0..<60 {
      let isRemoved = number % 7 == 0
      try add(
        number, to: number % 3 == 0 ? "P" : "Q", day: number == 40 ? nil : number,
        bytes: isRemoved || number % 11 == 1 ? nil : 5, isRemoved: isRemoved)
    }
    try add(8, to: "R", day: 8)
    try begin(70, day: 9)
    let library = folders.library
    let all = library.reading().episodes
    let known = { (wanted: Set<Int>) in
      all.filter { local in wanted.contains { local.title == "Title \($0)" } }
    }
    _ = try library.mark(.starred(true), of: known([3, 4, 9]), at: Date())
    _ = try library.mark(.played(true), of: known([4, 5]), at: Date())
    let now = library.reading().episodes
    typealias Condition = EpisodeQuery.Condition
    func check(
      _ set: (inout Condition) -> Void, isFew: Bool = true, _ isWanted: (LocalEpisode) -> Bool
    ) {
      var condition = Condition()
      set(&condition)
      let reading = library.reading(.matching(condition))
      #expect(reading.areAll != isFew)
      #expect(reading.episodes.filter(isWanted) == now.filter(isWanted))
      let listing = library.listing(of: .matching(condition))
      #expect(listing.episodes.filter(isWanted).map(\.path) == now.filter(isWanted).map(\.path))
    }
    let day = { (number: Int) in CivilDay(Date(timeIntervalSince1970: Double(number) * 86_400)) }
    check({ $0.isStarred = true }) { $0.isStarred }
    check({ ($0.isStarred, $0.isPlayed) = (true, true) }) { $0.isStarred && $0.isPlayed }
    check({ $0.isPlayed = false }, isFew: false) { !$0.isPlayed }
    check({ $0.statuses = [.missing] }) { $0.status == .missing }
    check({ $0.statuses = [.removed, .partial] }) { $0.status == .removed || $0.status == .partial }
    check({ $0.statuses = [] }) { $0.status == .partial }
    check({ $0.since = day(50) }) { $0.date.map { CivilDay($0) >= day(50) } ?? false }
    check({ ($0.since, $0.until) = (day(20), day(25)) }) {
      $0.date.map { (day(20)...day(25)).contains(CivilDay($0)) } ?? false
    }
    check({ _ in }, isFew: false) { _ in true }
  }

  @Test("if the result is not enough, or missing, everything is read")
  func widened() throws {
    for number in 0..<10 { try add(number, to: "P", day: number, bytes: number == 3 ? nil : 5) }
    let library = folders.library
    let some = EpisodeQuery.named(["1001"])
    #expect(library.reading(some) { _ in true }.episodes.count == 1)
    #expect(library.reading(some) { _ in false }.episodes.count == 10)
    #expect(library.locatedReading(of: some).episodes.count == 1)
    #expect(library.locatedReading(of: some) { _ in false }.episodes.count == 10)
    #expect(library.locatedReading(of: .named(["1003"])).episodes.count == 10)
    // Without an index the records answer.
    try FileManager.default.removeItem(atPath: folders.folder.path(LibraryDatabase.name))
    try folders.folder.write("\(LibraryDatabase.name)/in the way", "")
    #expect(library.reading(some).episodes.count == 10)
    #expect(library.reading(some) { _ in false }.areAll)
  }

  @Test("incomplete rows mean a damaged index")
  func torn() async throws {
    for number in 0..<3 { try add(number, to: "P", day: number) }
    for damage in [
      "DELETE FROM detail", "UPDATE episode SET folder = 99",
      "PRAGMA foreign_keys = OFF; UPDATE episode SET podcast = 99",
      "UPDATE episode SET key = 'x'", "UPDATE episode SET stem = '../x'",
      "DROP INDEX episodeByKey", "DROP TABLE detail", "PRAGMA user_version = 0",
      "PRAGMA user_version = -1",
    ] {
      #expect(folders.statuses().count == 3)
      try await folders.execute(damage)
      #expect(numbers(folders.library.reading(.named(["1001"])).episodes) == ["P/1.mp3"])
      #expect(folders.indexed == folders.recorded, "\(damage)")
    }
  }
}
