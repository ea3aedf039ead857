import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Complete runs with shows whose guids, addresses, titles and lengths hardly distinguish episodes: each
/// episode is downloaded once, and none is lost.
@Suite(.serialized) struct IdentityRunTests {
  /// An episode as the directory lists it, with the fields that it has.
  private struct Item {
    var title: String
    var date: String?
    var path: String
    var guid: String?
    var id: Int64?
    var seconds: Int? = 300
  }

  private func list(_ items: [Item], on server: PodcastServer) throws {
    let podcast: [String: Any] = [
      "wrapperType": "track", "kind": "podcast", "collectionId": PodcastServer.id,
      "collectionName": "News", "trackCount": items.count,
    ]
    let origin = server.origin
    let records = items.map { item in
      var record: [String: Any] = [
        "wrapperType": "podcastEpisode", "kind": "podcast-episode",
        "collectionId": PodcastServer.id, "collectionName": "News", "trackName": item.title,
        "episodeUrl": origin + item.path, "episodeFileExtension": "mp3",
      ]
      record["releaseDate"] = item.date
      record["episodeGuid"] = item.guid
      record["trackId"] = item.id
      record["trackTimeMillis"] = item.seconds.map { $0 * 1000 }
      return record
    }
    let results = [podcast] + records
    let body = try JSONSerialization.data(
      withJSONObject: ["resultCount": results.count, "results": results])
    server.answerLookups { _ in
      Behaviour.Answer(
        status: 200, fields: [Request.Field("Content-Type", "text/javascript")],
        body: String(decoding: body, as: UTF8.self))
    }
  }

  private func listener(_ paths: [String]) throws -> Listener {
    try Listener(
      PodcastServer(
        zip(paths, 1...).map { path, number in
          var episode = PodcastServer.Episode(Int64(number), "x", size: 20_000)
          episode.path = path
          return episode
        }))
  }

  /// Downloads all that is listed; then nothing more is fetched, with and without the index.
  private func expectNew(
    _ count: Int, _ listener: Listener, location: SourceLocation = #_sourceLocation
  ) async throws {
    let requests = listener.server.downloads.count
    let files = Set(listener.files)
    let first = try await listener.run("download", listener.podcast, "--all", "--json")
    #expect(first.status == .exited(0), sourceLocation: location)
    let finished = try first.events().filter { $0.name == "finished" }
    #expect(finished.count == count, sourceLocation: location)
    #expect(listener.server.downloads.count == requests + count, sourceLocation: location)
    #expect(files.isSubset(of: listener.files), sourceLocation: location)
    #expect(listener.files.count == files.count + count, sourceLocation: location)
    let names = listener.files
    for keepsIndex in [true, false] {
      if !keepsIndex {
        try FileManager.default.removeItem(atPath: listener.library + "/.podget/library.sqlite")
      }
      let again = try await listener.run("download", listener.podcast, "--all", "--json")
      let events = Set(try again.events().map(\.name))
      #expect(events.isDisjoint(with: ["finished", "started"]), sourceLocation: location)
    }
    #expect(listener.files == names, sourceLocation: location)
    #expect(listener.server.downloads.count == requests + count, sourceLocation: location)
    let list = try await listener.run("list", "--json")
    #expect(
      try list.values("path").sorted() == names.sorted(), sourceLocation: location)
  }

  @Test func `addresses that differ only in their queries are several episodes`() async throws {
    let listener = try listener(["/play.php"])
    let items = (1...4).map {
      Item(
        title: $0 < 3 ? "Number \($0)" : "Number", date: "2024-01-0\($0)T06:00:00Z",
        path: "/play.php?id=\($0)")
    }
    try list(Array(items[1...2]), on: listener.server)
    try await expectNew(2, listener)
    try list(items.reversed(), on: listener.server)
    try await expectNew(2, listener)
    try list(
      items.map { item in
        var item = item
        item.path += "&utm_source=x&Expires=17&Signature=y"
        item.title += ", corrected"
        return item
      }, on: listener.server)
    try await expectNew(0, listener)
  }

  @Test(arguments: ["Monday", "News"])
  func `a show that has one item and one guid is fetched again each time`(
    title: String
  ) async throws {
    let listener = try listener(["/1.mp3", "/2.mp3", "/3.mp3"])
    for day in 1...3 {
      let name = title == "News" ? title : "\(title) \(day)"
      let item = Item(
        title: name, date: "2024-01-0\(day)T06:00:00Z", path: "/\(day).mp3", guid: "news", id: 7)
      try list([item], on: listener.server)
      try await expectNew(1, listener)
    }
  }

  @Test func `a guid with one more equal property is one episode`() async throws {
    let listener = try listener(["/1.mp3", "/2.mp3"])
    var item = Item(title: "One", date: "2024-01-01T06:00:00Z", path: "/1.mp3", guid: "g", id: 7)
    try list([item], on: listener.server)
    try await expectNew(1, listener)
    item.title = "One, corrected"
    try list([item], on: listener.server)
    try await expectNew(0, listener)
    (item.title, item.path) = ("One", "/2.mp3")
    try list([item], on: listener.server)
    try await expectNew(0, listener)
    (item.path, item.date) = ("/1.mp3", "2024-02-01T06:00:00Z")
    try list([item], on: listener.server)
    try await expectNew(0, listener)
  }

  @Test(arguments: [33, 45])
  func `many episodes with one guid are fetched once each`(count: Int) async throws {
    let paths = (1...count).map { "/\($0).mp3" }
    let listener = try listener(paths)
    let items = zip(paths, 1...).map { path, number in
      Item(
        title: "Talk \(number)",
        date: "2024-0\(1 + number / 28)-\(10 + number % 18)T06:00:00Z", path: path, guid: "g")
    }
    try list(items, on: listener.server)
    try await expectNew(count, listener)
  }

  @Test func `bulletins with one title, day and length are several episodes`() async throws {
    let listener = try listener(["/10/news.mp3", "/11/news.mp3", "/12/news.mp3"])
    for hour in 10...12 {
      let item = Item(
        title: "News", date: "2024-01-01T\(hour):00:00Z", path: "/\(hour)/news.mp3",
        guid: "urn:\(hour)", id: Int64(hour))
      try list([item], on: listener.server)
      try await expectNew(1, listener)
    }
  }
}
