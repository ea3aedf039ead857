import LoopbackServer
import TestSupport
import Testing

@Suite("podget search") struct SearchCommandTests {
  @Test("each element has every member of the contract") func json() async throws {
    let answer = """
      {"results": [
        {"kind": "podcast", "collectionId": 5, "collectionName": "Über\\u202e P", "artistName": "A",
         "feedUrl": "https://example.org/f", "artworkUrl600": "https://example.org/a.jpg",
         "trackCount": 12},
        {"kind": "podcast", "collectionId": 6, "collectionName": "Q"}]}
      """
    let run = try CommandRun(answer: Array(answer.utf8))
    let result = try await run.podget(["search", "two", "words & more", "--json"])
    #expect(result.status == .exited(0))
    #expect(
      result.output == #"""
        [
        {"id":5,"title":"Über\u202e P","author":"A","feedUrl":"https://example.org/f",\#
        "artworkUrl":"https://example.org/a.jpg","episodeCount":12},
        {"id":6,"title":"Q","author":null,"feedUrl":null,"artworkUrl":null,"episodeCount":null}
        ]

        """#)
    #expect(run.requests.map(\.query["term"]) == ["two words & more"])
    #expect(run.requests.map(\.query["limit"]) == ["20"])
    #expect(
      try await run.podget(["search", "x"]).output == """
        ID  Title   Author  Episodes
         5  Über P  A             12
         6  Q

        """)
    #expect(
      try await run.podget(["search", "x", "--limit", "1", "--json"]).values("id") == ["5"])
  }

  @Test("no result is not a failure") func nothing() async throws {
    let run = try CommandRun(answer: Array(#"{"results": []}"#.utf8))
    let json = try await run.podget(["search", "x", "--json"])
    #expect(json.status == .exited(0))
    #expect(json.output == "[]\n")
    let table = try await run.podget(["search", "x"])
    #expect(table.output == "")
    #expect(table.error == "podget: Apple's catalog has no podcast for \"x\".\n")
  }

  @Test("a directory that fails") func failure() async throws {
    let run = try CommandRun(answer: [], status: 503)
    let result = try await run.podget(["search", "x", "--json"])
    #expect(result.status == .exited(1))
    #expect(result.output == "")
    #expect(result.error.hasPrefix("podget: "))
  }

  @Test(
    "a wrong command line ends with 64",
    arguments: [
      [], [" "], ["x", "--limit", "0"], ["x", "--limit", "201"], ["x", "--country", "z"],
    ])
  func usage(arguments: [String]) async throws {
    let run = try CommandRun()
    #expect(try await run.podget(["search"] + arguments).status == .exited(64))
    #expect(run.requests.isEmpty)
  }

  @Test("a terminal of 40 columns") func window() async throws {
    #expect(
      try await CommandRun().screen(["search", "world"], columns: 40) == """
                ID  Title
        1386867488  The Symbolic World
        """)
  }
}
