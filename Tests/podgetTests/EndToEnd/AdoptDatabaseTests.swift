import Foundation
import LoopbackServer
import TestSupport
import Testing

/// `podget adopt --from`: the databases of gPodder and AntennaPod.
@Suite(.serialized) struct AdoptDatabaseTests {
  private let follower: Follower
  /// Tables with the columns that are read, and some that are not.
  private static let gPodder = """
    CREATE TABLE podcast (id INTEGER PRIMARY KEY NOT NULL, title TEXT, url TEXT, cover_thumb BLOB,
      download_folder TEXT);
    CREATE TABLE episode (id INTEGER PRIMARY KEY NOT NULL, podcast_id INTEGER, title TEXT, url TEXT,
      published INTEGER, guid TEXT, state INTEGER, is_new INTEGER, archive INTEGER,
      download_filename TEXT, current_position INTEGER);
    INSERT INTO podcast VALUES (7, 'A', 'FEED', x'00', 'show'), (8, 'B', 'file:///b', NULL, 'other');
    """
  private static let antennaPod = """
    CREATE TABLE Feeds (id INTEGER PRIMARY KEY, title TEXT, file_url TEXT, download_url TEXT);
    CREATE TABLE FeedItems (id INTEGER PRIMARY KEY, title TEXT, pubDate INTEGER, read INTEGER,
      feed INTEGER, item_identifier TEXT);
    CREATE TABLE FeedMedia (id INTEGER PRIMARY KEY, file_url TEXT, download_url TEXT,
      downloaded INTEGER, position INTEGER, feeditem INTEGER);
    CREATE TABLE Favorites (id INTEGER PRIMARY KEY, feeditem INTEGER, feed INTEGER);
    """

  init() throws {
    follower = try Follower([
      "/a": FeedHost.Feed(title: "A", (1...3).reversed().map { FeedHost.Item($0) })
    ])
    // Names and tags that say nothing.
    for number in 1...4 {
      try follower.folder.write(
        "old/show/x\(number).mp3", MP3Maker.bytes(seed: UInt64(number), length: 20_000))
    }
  }

  /// Makes a database.
  private func database(_ sql: String) async throws -> String {
    let path = follower.folder.path("Database")
    let script = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).executescript(sys.argv[2])"
    let made = try await RunningProcess(
      "/usr/bin/env",
      ["python3", "-c", script, path, sql.replacing("FEED'", with: "\(follower.host.origin)/a'")],
      environment: ProcessInfo.processInfo.environment
    ).waitForExit()
    try #require(made.status == .exited(0), "\(made.error)")
    return path
  }

  /// The result for each file, by its name.
  private func adopt(_ arguments: String...) async throws -> [String: String] {
    let result = try await follower.start(["adopt", "old", "--json"] + arguments).waitForExit()
    let files = try result.values("file").map {
      $0.split(separator: "/").last.map(String.init) ?? ""
    }
    return Dictionary(
      zip(files, try result.values("status")), uniquingKeysWith: { first, _ in first })
  }

  private func expectAdopted(_ path: String) async throws {
    // Its feed is asked, although nothing is followed.
    #expect(
      try await adopt("--from", path) == [
        "x1.mp3": "adopted", "x2.mp3": "adopted", "x3.mp3": "adopted", "x4.mp3": "adopted",
      ])
    let list = try await follower.run("list", "--json")
    var said: [String: String] = [:]
    for object in try list.objects {
      let episode = object["episode"] as? [String: Any]
      let words = ["starred", "played"].filter { object[$0] as? Bool == true }
      let position = (object["position"] as? Int).map { ["\($0)"] } ?? []
      said[episode?["title"] as? String ?? ""] =
        (words + position + [(episode?["guid"] as? String) ?? ""]).joined(separator: " ")
    }
    #expect(
      said == [
        "Number 1": "starred played guid-1", "Number 2": "754 guid-2", "Number 3": "guid-3",
        "Gone": "played guid-gone",
      ])
    let dates = try list.values("episode", "date")
    #expect(dates.contains("2020-01-02T03:04:05Z"), "\(dates)")
    // What no feed lists any more stays, played or not.
    _ = try await follower.follow("/a", "--played")
    #expect(try await follower.run("sync").status == .exited(0))
    #expect(
      try await follower.run("list", "--match", "Gone", "--json").values("status") == ["complete"])
    #expect(try await adopt("--from", path)["x4.mp3"] == "known")
  }

  @Test func `what gPodder knows comes with the files`() async throws {
    try await expectAdopted(
      try await database(
        Self.gPodder + """
          INSERT INTO episode VALUES
            (1, 7, 'Number 1', '', 0, 'guid-1', 1, 0, 1, 'x1.mp3', 0),
            (2, 7, 'Number 2', '', 0, 'guid-2', 1, 1, 0, 'x2.mp3', 754),
            (3, 7, 'Number 3', '', 0, 'guid-3', 1, 1, 0, 'x3.mp3', 0),
            (4, 7, 'Gone', 'https://a.example/gone.mp3', 1577934245, 'guid-gone', 1, 0, 0,
              'x4.mp3', 9),
            (5, 8, 'Other', '', 0, 'guid-1', 1, 0, 0, 'x3.mp3', 0),
            (6, 7, 'Not there', '', 0, 'guid-6', 0, 1, 0, NULL, 0),
            (7, 7, 'Deleted before', '', 0, 'guid-7', 2, 0, 0, 'x3.mp3', 0);
          """))
  }

  @Test func `what AntennaPod has exported comes with the files`() async throws {
    let place = "/storage/emulated/0/Android/data/de.danoeh.antennapod/files/media/show"
    try await expectAdopted(
      try await database(
        Self.antennaPod + """
          INSERT INTO Feeds VALUES (7, 'A', NULL, 'FEED');
          INSERT INTO FeedItems VALUES (1, 'Number 1', 0, 1, 7, 'guid-1'),
            (2, 'Number 2', 0, 0, 7, 'guid-2'), (3, 'Number 3', 0, -1, 7, 'guid-3'),
            (4, 'Gone', 1577934245000, 1, 7, 'guid-gone');
          INSERT INTO FeedMedia VALUES (1, '\(place)/x1.mp3', '', 1, 0, 1),
            (2, '\(place)/x2.mp3', '', 1, 754321, 2), (3, '\(place)/x3.mp3', '', 1, 0, 3),
            (4, '\(place)/x4.mp3', 'https://a.example/gone.mp3', 1, 0, 4), (5, NULL, '', 0, 0, 4);
          INSERT INTO Favorites VALUES (1, 1, 7);
          """))
  }

  @Test func `a file of another folder, or one that is not complete, is not one of the database`()
    async throws
  {
    try follower.folder.write(
      "old/Another show/x1.mp3", MP3Maker.bytes(seed: 9, length: 20_000))
    let path = try await database(
      Self.antennaPod + """
        INSERT INTO Feeds VALUES (7, 'A', NULL, 'FEED');
        INSERT INTO FeedItems VALUES (1, 'Number 1', 0, 1, 7, 'guid-1'),
          (2, 'Number 2', 0, 1, 7, 'guid-2'), (3, 'Number 3', 0, 0, 7, 'guid-3');
        INSERT INTO FeedMedia VALUES (1, 'file:///media/Not%20there/x1.mp3', '', 1, 0, 1),
          (2, 'file:///media/sh%6fw/x2.mp3', '', 1, 0, 2), (3, '/media/show/x3.mp3', '', 0, 0, 3);
        """)
    try FileManager.default.removeItem(atPath: follower.folder.path("old/show/x1.mp3"))
    #expect(
      try await adopt("--from", path) == [
        "x1.mp3": "unmatched", "x2.mp3": "adopted", "x3.mp3": "unmatched", "x4.mp3": "unmatched",
      ])
  }

  @Test func `values of any kind do no harm, and the database stays as it is`() async throws {
    let path = try await database(
      Self.gPodder + """
        INSERT INTO episode VALUES
          (1, 7, x'ff00', 5, 'yesterday', 'guid-1', 1, 'y', -1, 'x1.mp3', 9223372036854775807),
          (2, 7, hex(zeroblob(100000)), '', 1e300, 'guid-2', 1, 1, 0, '../../../x2.mp3', -5),
          (3, 99, 'No podcast', '', 0, 'guid-3', 1, 0, 0, 'x3.mp3', 0),
          (4, 7, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '/', NULL),
          (5, 7, 'Twice', '', 0, 'guid-1', 1, 0, 0, 'show/x4.mp3', 0),
          (6, 7, 'Twice', '', 0, 'guid-2', 1, 0, 0, 'x/show/x4.mp3', 0);
        """)
    let before = try follower.folder.read("Database")
    try #require(chmod(path, 0o400) == 0)
    #expect(
      try await adopt("--from", path) == [
        "x1.mp3": "adopted", "x2.mp3": "unmatched", "x3.mp3": "unmatched",
        "x4.mp3": "unmatched",
      ])
    let list = try await follower.run("list", "--json")
    #expect(try list.values("episode", "title") == ["Number 1"])
    #expect(try follower.folder.read("Database") == before)
    #expect(!follower.folder.files.contains { $0.hasPrefix("Database-") })
  }

  @Test(arguments: ["missing", "text", "view", "long", "log", "FIFO"])
  func `what is no such database is refused`(kind: String) async throws {
    var path = follower.folder.path("Database")
    switch kind {
    case "missing": break
    case "text": try follower.folder.write("Database", "no database")
    case "view":
      path = try await database(
        """
        CREATE TABLE podcast (id INTEGER PRIMARY KEY, title TEXT, url TEXT, download_folder TEXT);
        CREATE VIEW episode AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
          SELECT i FROM n;
        """)
    case "long":
      path = try await database(
        Self.gPodder
          + "INSERT INTO episode (podcast_id, title, state, download_filename) VALUES (7, zeroblob(20000000), 1, 'x1.mp3')"
      )
    case "log":
      path = try await database(Self.gPodder)
      try follower.folder.write("Database-wal", "changes")
    default: try #require(mkfifo(path, 0o600) == 0)
    }
    let result = try await follower.run("adopt", "old", "--from", path)
    #expect(result.status == .exited(1), "\(result.error)")
    #expect(result.error.contains(path), "\(result.error)")
    #expect(result.output.isEmpty && follower.episodes.isEmpty)
  }
}
