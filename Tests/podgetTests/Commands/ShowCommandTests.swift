import Glibc
import LoopbackServer
import TestSupport
import Testing

@Suite("podget show") struct ShowCommandTests {
  @Test("each element has every member of the contract") func json() async throws {
    let run = try CommandRun()
    let result = try await run.podget(["show", "1386867488", "--latest", "1", "--json"])
    #expect(result.status == .exited(0))
    #expect(
      result.output == """
        [
        {"podcast":{"id":1386867488,"title":"The Symbolic World","feedUrl":"https://feeds.soundcloud.com/\
        users/soundcloud:users:307491252/sounds.rss","author":"Jonathan Pageau","artworkUrl":"https://is\
        5-ssl.mzstatic.com/image/thumb/Podcasts125/v4/1a/b1/d4/1ab1d4b8-ae33-da25-d3c1-b919bbf6b9e0/mza_4\
        176360441897917495.jpg/600x600bb.jpg"},"episode":{"id":1000600017070,"guid":"tag:soundcloud,2010:\
        tracks/1447464973","title":"275 - Michael Legaspi - Subjectivity and the Psalms","date":"2023-02-\
        16T16:00:17Z","duration":3017,"url":"https://feeds.soundcloud.com/stream/1447464973-jonathan-page\
        au-307491252-275-michael-legaspi.mp3","mimeType":"audio","length":null,"season":null,"number":nul\
        l,"type":"full","artworkUrl":"https://is5-ssl.mzstatic.com/image/thumb/Podcasts125/v4/1a/b1/d4/1a\
        b1d4b8-ae33-da25-d3c1-b919bbf6b9e0/mza_4176360441897917495.jpg/600x600bb.jpg","link":null},"sta\
        tus":"remote"}
        ]

        """)
    #expect(!run.folder.contains("library"))
    #expect(run.requests.map(\.query["id"]) == ["1386867488"])
  }

  private static let newest = "275 - Michael Legaspi - Subjectivity and the Psalms"

  @Test("local states, whatever key the record has") func states() async throws {
    let run = try CommandRun()
    try run.addFinished(Self.newest, date: nil, id: 1_000_600_017_070)
    try run.addFinished(
      "gone", date: "2023-02-09T20:00:00Z", guid: "tag:soundcloud,2010:tracks/1443143848",
      isMissing: true)
    let result = try await run.podget(["show", "1386867488", "--json"])
    #expect(try result.values("status") == ["complete", "missing", "remote", "remote", "remote"])
  }

  @Test(
    "filters",
    arguments: [
      (["--all"], ["275", "274", "273", "272", "271"]), (["--latest", "2"], ["275", "274"]),
      (["--match", "plagues|venerate"], ["273", "271"]),
      (["--until", "2023-01-31", "--latest", "1"], ["272"]),
      (["--episode", "1000596968117"], ["272"]), (["--match", "nothing"], []),
    ] as [([String], [String])]) func filters(arguments: [String], numbers: [String]) async throws
  {
    let result = try await CommandRun().podget(["show", "1386867488", "--json"] + arguments)
    #expect(result.status == .exited(0))
    #expect(try result.values("episode", "title").map { String($0.prefix(3)) } == numbers)
  }

  @Test("a link to an episode shows that one") func episodeLink() async throws {
    let link = "https://podcasts.apple.com/gb/podcast/x/id1386867488?i=1000597908329"
    let run = try CommandRun()
    let result = try await run.podget(["show", link, "--json"])
    #expect(try result.values("episode", "id") == ["1000597908329"])
    #expect(run.requests.map(\.query["country"]) == ["gb"])
    let unknown = try await run.podget(["show", link + "9", "--json"])
    #expect(unknown.status == .exited(1))
    #expect(unknown.output == "")
    #expect(
      unknown.error
        == "podget: The Symbolic World lists no episode with the id 10005979083299.\n")
  }

  @Test("a terminal of 60 columns") func window() async throws {
    let run = try CommandRun()
    try run.addFinished(Self.newest, date: nil, id: 1_000_600_017_070)
    #expect(
      try await run.screen(["show", "1386867488", "--latest", "2"], columns: 60) == """
        The Symbolic World — Jonathan Pageau
        5 episodes, id 1386867488
        https://feeds.soundcloud.com/users/soundcloud:users:3074912…

           Date        Title                                Duration
        ✓  2023-02-16  275 - Michael Legaspi - Subjectivi…     50:17
           2023-02-09  274 - Spencer Klavan - How To Save…   1:17:32
        """)
  }

  @Test("episodes for subscribers are reported on stderr and are not a failure") func subscribers()
    async throws
  {
    let answer = """
      {"results": [
        {"kind": "podcast", "collectionId": 5, "collectionName": "P"},
        {"kind": "podcast-episode", "collectionId": 5, "trackId": 6, "trackName": "E"}]}
      """
    let run = try CommandRun(answer: Array(answer.utf8))
    let result = try await run.podget(["show", "5", "--json"])
    #expect(result.status == .exited(0))
    #expect(result.output == "[]\n")
    #expect(result.error == "podget: 1 episode of P is for subscribers only.\n")
    #expect(try await run.podget(["show", "5", "-q"]).error == "")
  }

  @Test("an unreadable source fails with one sentence and nothing on stdout") func failures()
    async throws
  {
    let runs = [
      try CommandRun(answer: Array(#"{"results": []}"#.utf8)),
      try CommandRun(answer: Array("<html>".utf8)),
      try CommandRun(answer: [], status: 500),
    ]
    for run in runs {
      let result = try await run.podget(["show", "5", "--json"])
      #expect(result.status == .exited(1))
      #expect(result.output == "")
      #expect(result.error.hasPrefix("podget: 5: "))
      #expect(result.error.split(separator: "\n").count == 1)
    }
    #expect(try await runs[0].podget(["show"]).status == .exited(64))
  }

  @Test("one source from stdin, not several") func standardInput() async throws {
    let run = try CommandRun()
    let one = try await run.podget(["show", "-", "--json"], input: "# mine\n1386867488\n")
    #expect(try one.objects.count == 5)
    let two = try await run.podget(["show", "-", "--json"], input: "1386867488\n5\n")
    #expect(two.status == .exited(64))
    #expect(two.output == "")
  }

  @Test("Ctrl-C during the lookup ends with 130") func interrupted() async throws {
    let server = try LoopbackServer { _, connection in connection.stall() }
    let process = try RunningProcess(
      .podget, ["show", "5"],
      environment: [
        "PODGET_ITUNES_URL": server.origin, "no_proxy": "127.0.0.1", "PODGET_LIBRARY": "/nowhere",
      ])
    try await waitUntil("the lookup is asked for") { server.log.count == 1 }
    process.signal(SIGINT)
    let result = try await process.waitForExit()
    #expect(result.status == .exited(130))
    #expect(result.output == "")
  }
}
