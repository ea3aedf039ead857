import TestSupport
import Testing

@Suite("podget list") struct ListCommandTests {
  /// A library with two podcasts and a file that has gone.
  private func library() throws -> CommandRun {
    let run = try CommandRun()
    try run.addFinished("Psalms", date: "2024-02-16T16:00:17Z", id: 7, bytes: 3000)
    try run.addFinished("Gone", date: "2024-02-09T12:00:00Z", guid: "g-8", isMissing: true)
    try run.addFinished("apple", date: "2024-02-12T12:00:00Z", podcast: "Other", bytes: 2000)
    try run.addFinished("Undated", date: nil, podcast: "Other")
    return run
  }

  @Test("a library that does not exist is empty, and is not created") func absent() async throws {
    let run = try CommandRun()
    let json = try await run.podget(["list", "--json"])
    #expect(json.status == .exited(0))
    #expect(json.output == "[]\n")
    let table = try await run.podget(["list"])
    #expect(table.status == .exited(0))
    #expect(table.output == "")
    #expect(table.error.contains("There is no library"))
    #expect(!run.folder.contains("library"))
    #expect(try await run.podget(["list", "-q"]).error == "")
  }

  @Test("each element has every member of the contract") func json() async throws {
    let result = try await library().podget(["list", "--json", "--match", "psalms|gone"])
    #expect(
      result.output == """
        [
        {"podcast":{"id":1386867488,"title":"The Symbolic World","feedUrl":null},\
        "episode":{"id":7,"guid":null,"title":"Psalms","date":"2024-02-16T16:00:17Z","duration":90},\
        "path":"The Symbolic World/Psalms.mp3","bytes":3000,"total":3000,"status":"complete",\
        "starred":false,"played":false,"position":null,\
        "downloadedAt":"2024-03-01T10:00:00Z","sha256":"ab12",\
        "keptUntil":null},
        {"podcast":{"id":1386867488,"title":"The Symbolic World","feedUrl":null},\
        "episode":{"id":null,"guid":"g-8","title":"Gone","date":"2024-02-09T12:00:00Z","duration":90},\
        "path":"The Symbolic World/Gone.mp3","bytes":0,"total":1000,"status":"missing",\
        "starred":false,"played":false,"position":null,\
        "downloadedAt":"2024-03-01T10:00:00Z","sha256":"ab12",\
        "keptUntil":null}
        ]

        """)
    #expect(result.error == "")
  }

  @Test(
    "orders, groups, filters and sources",
    arguments: [
      ([], ["Psalms", "apple", "Gone", "Undated"]),
      (["--reverse"], ["Gone", "apple", "Psalms", "Undated"]),
      (["--sort", "title"], ["apple", "Gone", "Psalms", "Undated"]),
      (["--sort", "size"], ["Psalms", "apple", "Undated", "Gone"]),
      (["--group-by", "podcast"], ["apple", "Undated", "Psalms", "Gone"]),
      (["--group-by", "week", "--sort", "title"], ["apple", "Psalms", "Gone", "Undated"]),
      (["--latest", "2", "--sort", "title"], ["apple", "Psalms"]),
      (["--since", "2024-02-10", "--until", "2024-02-12"], ["apple"]),
      (["--episode", "7", "--episode", "g-8"], ["Psalms", "Gone"]),
      (["other"], ["apple", "Undated"]),
      (["1386867488"], ["Psalms", "Gone"]),
      (["https://podcasts.apple.com/us/podcast/x/id1386867488?i=7"], ["Psalms"]),
      (["id1386867488", "Other", "--latest", "3"], ["Psalms", "apple", "Gone"]),
    ] as [([String], [String])]) func selection(arguments: [String], titles: [String]) async throws
  {
    let result = try await library().podget(["list", "--json"] + arguments)
    #expect(result.status == .exited(0))
    #expect(try result.values("episode", "title") == titles)
  }

  @Test("sources from stdin") func standardInput() async throws {
    let result = try await library().podget(["list", "--json", "-"], input: "# mine\n\nOther\n")
    #expect(try result.values("episode", "title") == ["apple", "Undated"])
  }

  @Test("a filter without matches is an empty list; an unknown name fails") func nothing()
    async throws
  {
    let run = try library()
    let none = try await run.podget(["list", "--json", "--match", "nothing"])
    #expect(none.status == .exited(0))
    #expect(none.output == "[]\n")
    for arguments in [["nobody"], ["1386867488", "99"], ["--episode", "99"], ["gopher://x"]] {
      let result = try await run.podget(["list", "--json"] + arguments)
      #expect(result.status == .exited(1))
      #expect(result.output == "")
      #expect(result.error.hasPrefix("podget: "))
      #expect(result.error.split(separator: "\n").count == 1)
    }
    #expect(
      try await run.podget(["list", "nobody"]).error
        == "podget: nobody: The library has no episode of this podcast; podget list shows all.\n")
  }

  @Test(
    "a wrong command line ends with 64",
    arguments: [
      ["--sort", "color"], ["--group-by", "hour"], ["--since", "soon"], ["--match", "("],
      ["--unknown"],
    ]) func usage(arguments: [String]) async throws
  {
    let result = try await library().podget(["list"] + arguments)
    #expect(result.status == .exited(64))
    #expect(result.output == "")
  }

  @Test("a library that is a file is reported in one sentence") func notAFolder() async throws {
    let run = try CommandRun()
    try run.folder.write("library", "a file")
    let result = try await run.podget(["list", "--json"])
    #expect(result.status == .exited(1))
    #expect(result.output == "")
    #expect(result.error.hasPrefix("podget: Cannot open the library "))
  }

  @Test("a terminal of 80 columns") func wideWindow() async throws {
    let run = try library()
    try run.addFinished(
      "A title that is far too long for a window of eighty columns", date: "2024-02-17T00:00:00Z")
    #expect(
      try await run.screen(["list"], columns: 80) == """
                 Date        Title                           Podcast                Size
        ✓        2024-02-17  A title that is far too long …  The Symbolic World   1000 B
        ✓        2024-02-16  Psalms                          The Symbolic World  2.9 KiB
        ✓        2024-02-12  apple                           Other               2.0 KiB
        missing  2024-02-09  Gone                            The Symbolic World
        ✓                    Undated                         Other                1000 B

        5 episodes, 6.8 KiB, 1 missing
        """)
  }

  @Test("a terminal of 40 columns, grouped") func narrowWindow() async throws {
    #expect(
      try await library().screen(["list", "--group-by", "month"], columns: 40) == """
                 Date        Title       Size

        2024-02: 3 episodes, 4.9 KiB, 1 missing
        ✓        2024-02-16  Psalms   2.9 KiB
        ✓        2024-02-12  apple    2.0 KiB
        missing  2024-02-09  Gone

        Undated: 1 episode, 1000 B
        ✓                    Undated   1000 B

        4 episodes, 5.9 KiB, 1 missing
        """)
  }

  @Test("a reader that closes early is not a failure") func closedOutput() async throws {
    let run = try library()
    for number in 0..<600 {
      try run.addFinished("Episode \(number)", date: "2020-01-01T00:00:00Z", podcast: "Long")
    }
    let command = "\"$0\" list --json | head -n 1; exit ${PIPESTATUS[0]}"
    let result = try await RunningProcess(
      "/bin/bash", ["-c", command, BuiltBinary.podget.path], environment: run.environment
    ).waitForExit()
    #expect(result.status == .exited(0))
    #expect(result.output == "[\n")
    #expect(result.error == "")
  }

  @Test("a full disk behind stdout is a failure") func fullOutput() async throws {
    let run = try library()
    let result = try await RunningProcess(
      "/bin/bash", ["-c", "\"$0\" list > /dev/full", BuiltBinary.podget.path],
      environment: run.environment
    ).waitForExit()
    #expect(result.status == .exited(1))
    #expect(result.error == "podget: Cannot write to standard output: No space left on device.\n")
  }
}
