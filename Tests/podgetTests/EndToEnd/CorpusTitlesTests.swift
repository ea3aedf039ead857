import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

/// Every title of the corpus, stored in a library, listed and found again.
@Suite(.serialized, .enabled(if: CorpusNaming.root != nil, "the corpus is not here"))
struct CorpusTitlesTests {
  /// A podcast of the directory with its records, whose episodes are on a server of ours.
  private struct Listed {
    var podcast: [String: Any]
    var episodes: [[String: Any]] = []
  }

  /// The podcasts of all lookups; one without episodes gets one with its name.
  private func lookups() throws -> [Int64: Listed] {
    var listed: [Int64: Listed] = [:]
    var episodes: [(podcast: Int64, record: [String: Any])] = []
    for file in try CorpusNaming.files(in: "lookup") {
      let answer = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
      for record in (answer as? [String: Any])?["results"] as? [[String: Any]] ?? [] {
        guard let id = (record["collectionId"] as? NSNumber)?.int64Value else { continue }
        if record["wrapperType"] as? String == "podcastEpisode" {
          episodes.append((id, record))
        } else if record["kind"] as? String == "podcast" {
          listed[id] = Listed(podcast: record)
        }
      }
    }
    for (id, record) in episodes { listed[id]?.episodes.append(record) }
    for (id, podcast) in listed where podcast.episodes.isEmpty {
      listed[id]?.episodes = [
        [
          "wrapperType": "podcastEpisode", "kind": "podcast-episode", "trackId": id + 1,
          "collectionId": id, "trackName": podcast.podcast["collectionName"] ?? "",
          "collectionName": podcast.podcast["collectionName"] ?? "",
          "releaseDate": "2024-01-01T00:00:00Z", "episodeFileExtension": "mp3",
        ]
      ]
    }
    return listed
  }

  @Test func `the lookups' titles are downloaded, listed and found`() async throws {
    let listed = try lookups()
    let server = try PodcastServer([])
    var answers: [String: String] = [:]
    var titles: [String] = []
    var served: [Int64: PodcastServer.Episode] = [:]
    for (id, podcast) in listed {
      let records = podcast.episodes.map { record in
        let track = (record["trackId"] as? NSNumber)?.int64Value ?? 0
        let title = record["trackName"] as? String ?? ""
        titles.append(title)
        let episode = PodcastServer.Episode(track, title, size: 2000)
        served[track] = episode
        return record.merging(["episodeUrl": server.origin + episode.path]) { $1 }
      }
      // All episodes of the podcast are listed, so that podget does not request its real feed.
      let whole = podcast.podcast.merging(["trackCount": records.count]) { $1 }
      let body = try JSONSerialization.data(
        withJSONObject: ["resultCount": records.count + 1, "results": [whole] + records])
      answers[String(id)] = String(decoding: body, as: UTF8.self)
    }
    server.episodes = Array(served.values)
    server.answerLookups { [answers] request in
      request.query["id"].flatMap { answers[$0] }.map { .init(status: 200, body: $0) }
    }
    #expect(titles.count > 200 && served.count == titles.count)

    let listener = try Listener(server)
    let download = ["download"] + listed.keys.map(String.init) + ["--all", "--json"]
    for outcome in ["finished", "skipped"] {
      let result = try await RunningProcess(
        .podget, download, environment: listener.variables
      ).waitForExit()
      #expect(result.status == .exited(0), "\(result.error)")
      #expect(try result.events().count { $0.name == outcome } == titles.count)
    }
    #expect(listener.files.count == titles.count)
    try await expectListed(titles, by: listener)
  }

  /// A feed's podcast and episodes; nil for what is no feed of episodes.
  private func feed(_ file: URL) throws -> (podcast: Podcast, episodes: [Episode])? {
    let object = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
    guard let feed = object as? [String: Any],
      let records = feed["episodes"] as? [[String: Any]], !records.isEmpty
    else { return nil }
    let name = file.deletingPathExtension().lastPathComponent
    let podcast = Podcast(
      title: feed["title"] as? String ?? name, feedURL: "https://feeds.example.org/\(name)")
    // Two feeds may repeat a guid; here only the titles are real.
    let episodes = records.enumerated().map { number, record in
      Episode(
        guid: "\(name)/\(number)", title: record["title"] as? String ?? "",
        date: (record["pubDate"] as? String).flatMap { Date(timestamp: $0) },
        enclosure: Enclosure(url: "https://media.example.org/\(name)/\(number).mp3"))
    }
    return (podcast, episodes)
  }

  /// Adds a feed's episodes to the library, with the names that podget plans for them.
  private func store(
    _ podcast: Podcast, _ episodes: [Episode], in library: Library, _ names: LibraryNames
  ) throws {
    let standard = FilenameTemplate.standard
    let folder = standard.components(podcast: podcast, episode: episodes[0]).folder
    let listing = PodcastListing(podcast: podcast, episodes: episodes)
    let plans = try names.plans(
      for: episodes, of: EpisodeLookup([]).identify(listing), template: standard)
    #expect(plans.count == episodes.count)
    let place = try OpenFile.folder("\(library.path)/\(folder)", creating: true)
    let facts = plans.map { plan in
      FolderFact(
        fact: "finished", key: plan.episodeKey, podcast: StoredPodcast(podcast),
        episode: StoredEpisode(plan.episode), file: EntryName("\(plan.stem).mp3"), bytes: 0)
    }
    for fact in facts {
      // A name that is taken, on whatever file system, would lose an episode.
      _ = try OpenFile.open(
        fact.file?.text ?? "", in: place, flags: O_CREAT | O_EXCL | O_WRONLY)
    }
    try FolderRecords.append(facts, in: place)
  }

  @Test func `the feeds' titles are stored, listed and found`() async throws {
    let listener = try Listener(PodcastServer([]))
    let library = try #require(try Library.open(listener.library, creating: true))
    let names = LibraryNames(library, library.reading())
    var titles: [String] = []
    for file in try CorpusNaming.files(in: "expected/feeds") {
      guard let (podcast, episodes) = try feed(file) else { continue }
      try store(podcast, episodes, in: library, names)
      titles += episodes.map(\.title)
    }
    #expect(titles.count > 10_000)
    #expect(listener.files.count == titles.count)
    try await expectListed(titles, by: listener)
  }

  /// Each title is complete in the array, and in the table as a terminal may show it.
  private func expectListed(_ titles: [String], by listener: Listener) async throws {
    let objects = try await listener.run("list", "--json").objects
    #expect(Set(objects.map { $0["status"] as? String }) == ["complete"])
    let listed = objects.compactMap { ($0["episode"] as? [String: Any])?["title"] as? String }
    #expect(listed.sorted() == titles.sorted())
    let paths = objects.compactMap { $0["path"] as? String }
    #expect(paths.sorted() == listener.files.sorted())

    // The table has the same rows in the same order; what precedes the title is ASCII.
    let lines = try await listener.run("list").lines
    #expect(lines.count > listed.count)
    let heading = try #require(lines.first?.utf8.split(separator: UInt8(ascii: "T"))[0])
    for (title, line) in zip(listed, lines.dropFirst()) {
      let cells = line.utf8.dropFirst(heading.count)
      #expect(cells.starts(with: TerminalText.safe(title).utf8), "\(title.debugDescription)")
    }
  }
}
