import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Files of episodes that their podcast does not list any more.
@Suite struct AdoptUnlistedTests {
  private let listener: Listener

  init() throws {
    listener = try Listener(
      PodcastServer((1...2).map { PodcastServer.Episode(Int64($0), "Number \($0)") }))
    let folder = listener.folder
    let podcast = "old/The Symbolic World"
    func write(_ name: String, _ seed: UInt64, _ meta: String? = nil) throws {
      try folder.write("\(name).mp3", MP3Maker.bytes(seed: seed, length: 9000))
      if let meta { try folder.write("\(name).meta.json", meta) }
    }
    try write(
      "\(podcast)/gone", 51,
      """
      {"title": "Gone", "guid": "g-gone", "isoDate": "2019-03-04T05:06:07.000Z",
       "pubDate": "Mon, 04 Mar 2019 05:06:07 GMT",
       "enclosure": {"url": "https://media.example/gone.mp3", "length": "9000"}}
      """)
    try write("\(podcast)/2018-01-02 - Only a name", 52)
    try write("\(podcast)/untold", 53, #"{"title": "No guid and no day"}"#)
    // A listed episode on another day: it may be the same one.
    try write("\(podcast)/listed", 54, #"{"title": "Number 1", "isoDate": "1999-03-04T05:06:07Z"}"#)
    try write("elsewhere", 55)
    try folder.write("old/foreign/elsewhere.mp3", MP3Maker.bytes(seed: 56, length: 9000))
    try folder.write(
      "old/foreign/elsewhere.meta.json",
      #"{"title": "Elsewhere", "guid": "g-5", "isoDate": "2019-03-04T05:06:07Z"}"#)
  }

  private func adopt(_ options: String...) async throws -> [String: String] {
    let arguments = ["adopt", "old", listener.podcast, "--json"] + options
    let result = try await RunningProcess(
      .podget, arguments, environment: listener.variables, folder: listener.folder.path
    ).waitForExit()
    return try result.objects.reduce(into: [:]) { outcomes, object in
      let file = (object["file"] as? String ?? "").split(separator: "/").last ?? ""
      outcomes[String(file)] = object["status"] as? String
    }
  }

  @Test func `an episode that is no longer listed is adopted by what is beside it`() async throws {
    #expect(
      try await adopt() == [
        "gone.mp3": "adopted", "2018-01-02 - Only a name.mp3": "unmatched",
        "untold.mp3": "unmatched", "listed.mp3": "unmatched", "elsewhere.mp3": "unmatched",
      ])
    let list = try await listener.run("list", "--json")
    #expect(try list.values("path") == ["The Symbolic World/2019-03-04 - Gone.mp3"])
    #expect(try list.values("episode", "guid") == ["g-gone"])
    #expect(try list.values("episode", "date") == ["2019-03-04T05:06:07Z"])
    #expect(
      try await adopt("--unlisted") == [
        "gone.mp3": "known", "2018-01-02 - Only a name.mp3": "adopted", "untold.mp3": "adopted",
        "listed.mp3": "unmatched", "elsewhere.mp3": "unmatched",
      ])
    #expect(
      try await adopt("--unlisted") == [
        "gone.mp3": "known", "2018-01-02 - Only a name.mp3": "known", "untold.mp3": "known",
        "listed.mp3": "unmatched", "elsewhere.mp3": "unmatched",
      ])
    let paths = Set(try await listener.run("list", "--json").values("path"))
    #expect(
      paths == [
        "The Symbolic World/2019-03-04 - Gone.mp3",
        "The Symbolic World/2018-01-02 - Only a name.mp3",
        "The Symbolic World/No guid and no day.mp3",
      ])
    #expect(try await listener.run("verify").status == .exited(0))
    // What is listed is downloaded all the same, and nothing of it twice.
    #expect(try await listener.run("download", listener.podcast, "--all").status == .exited(0))
    #expect(listener.server.downloads.count == 2)
  }

  @Test func `what was removed or has only a title is no second episode`() async throws {
    let podcast = "old/The Symbolic World"
    for (season, seed) in [("s1", 61), ("s2", 62)] {
      try listener.folder.write(
        "\(podcast)/\(season)/Intro.mp3",
        MP3Maker.bytes(seed: UInt64(seed), length: seed == 61 ? 9000 : 12000))
    }
    try listener.folder.write("\(podcast)/long.mp3", MP3Maker.bytes(seed: 63, length: 9000))
    try listener.folder.write(
      "\(podcast)/long.meta.json",
      "{\"title\": \"\(String(repeating: "\u{E9}", count: 90_000))\", \"guid\": \"g-long\"}")
    for _ in 1...2 {
      let result = try await listener.run("adopt", "old", listener.podcast, "--unlisted")
      #expect(result.status == .exited(1))
      #expect(
        (result.output + result.error).contains("Another one has the same title"),
        "\(result.output)\(result.error)")
      #expect(!result.output.contains("same episode"), "\(result.output)")
    }
    let titles = try await listener.run("list", "--json").values("episode", "title")
    #expect(titles.count == 5)
    #expect(titles.map(\.utf8.count).max() == 1000)
    for title in ["Gone", "No guid and no day"] {
      #expect(try await listener.run("remove", title).status == .exited(0))
    }
    try listener.folder.write(
      "\(podcast)/copy/GONE.mp3", MP3Maker.bytes(seed: 51, length: 9000))
    let again = try await adopt("--unlisted")
    #expect(again["GONE.mp3"] == "unmatched" && again["gone.mp3"] == "unmatched")
    #expect(again["untold.mp3"] == "unmatched")
    #expect(try await listener.run("list", "--json").values("path").count == 3)
    // As the episode that it was.
    #expect(try await adopt("--unlisted", "--force")["untold.mp3"] == "adopted")
    #expect(try await listener.run("list", "--removed", "--json").values("path").isEmpty)
    #expect(try await listener.run("list", "--json").values("path").count == 5)
  }
}
