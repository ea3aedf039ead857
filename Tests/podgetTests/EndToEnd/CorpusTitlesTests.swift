import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import PodcastKit

/// Every title of the corpus's lookups, stored in a library, listed and found again.
@Suite(.serialized, .enabled(if: CorpusNaming.root != nil)) struct CorpusTitlesTests {
  /// A podcast of the directory with its records, whose episodes are on a server of ours.
  private struct Listed {
    var podcast: [String: Any]
    var episodes: [[String: Any]] = []
  }

  /// The podcasts of all lookups; one without episodes gets one that bears its name.
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
      let body = try JSONSerialization.data(
        withJSONObject: ["resultCount": records.count + 1, "results": [podcast.podcast] + records])
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

  /// Each title is in the array, whole, and in the table as a terminal may show it.
  private func expectListed(_ titles: [String], by listener: Listener) async throws {
    let objects = try await listener.run("list", "--json").objects
    #expect(Set(objects.map { $0["status"] as? String }) == ["complete"])
    let listed = objects.compactMap { ($0["episode"] as? [String: Any])?["title"] as? String }
    #expect(listed.sorted() == titles.sorted())
    let paths = objects.compactMap { $0["path"] as? String }
    #expect(paths.sorted() == listener.files.sorted())

    let lines = try await listener.run("list").lines
    let table = lines.joined(separator: "\n")
    #expect(lines.count > titles.count)
    for title in Set(titles) { #expect(table.contains(TerminalText.safe(title))) }
  }
}
