import Foundation
import TestSupport
import Testing

/// `grep`: words in titles, notes and transcripts.
@Suite("Words in the library") struct GrepTests {
  private let run: CommandRun
  private var folder: TemporaryFolder { run.folder }

  init() throws {
    run = try CommandRun()
    try add("Fish and chips", date: "2024-03-05T12:00:00Z", id: 11)
    try add(
      "Policy", date: "2024-03-06T12:00:00Z", id: 12,
      files: [
        "transcript": "Policy.vtt", "notes": "Policy.md", "chapters": "Policy.chapters.json",
      ])
    try folder.write("library/News/Policy.vtt", Self.captions)
    try folder.write("library/News/Policy.md", "On Fish & bread.\nAnd salt.\n")
    try folder.write("library/News/Policy.chapters.json", "fish")
    try run.addFinished("Elsewhere", date: nil, podcast: "Other")
  }

  private static let captions = """
    WEBVTT

    00:01.000 --> 00:03.000
    <v Ann>We talk about bread.

    12:31.000 --> 12:33.000
    <v Bob>A fish
    swims against the stream.

    """

  /// Adds an episode with files beside it.
  private func add(
    _ title: String, date: String, id: Int, files: [String: String] = [:]
  ) throws {
    let all =
      [["role": "media", "path": "\(title).mp3", "bytes": 4]]
      + files.sorted { $0.key < $1.key }.map { ["role": $0.key, "path": $0.value] }
    let line: [String: Any] = [
      "fact": "finished", "version": 2, "key": CommandRun.key("News", title),
      "podcast": ["title": "News"],
      "episode": ["id": id, "title": title, "date": date, "url": "https://example.org/\(id)"],
      "files": all, "downloadedAt": "2024-03-07T10:00:00Z",
    ]
    let records = "library/News/.podget.ndjson"
    let before = folder.contains(records) ? try folder.read(records) : []
    try folder.write(records, before + JSONSerialization.data(withJSONObject: line) + [0x0A])
    try folder.write("library/News/\(title).mp3", "abcd")
  }

  @Test func `titles, notes and transcripts with times and speakers are found`() async throws {
    let result = try await run.podget(["grep", "FISH"])
    #expect(
      result.output == """
        2024-03-06  News: Policy
          notes     On Fish & bread.
          12:31     Bob: A fish swims against the stream.

        2024-03-05  News: Fish and chips

        """)
    #expect(result.error == "")
    #expect(result.status == .exited(0))
    let more = try await run.podget(["grep", "fish", "-v", "--latest", "1"])
    #expect(more.output.contains("    12  News/Policy.mp3\n"))
    #expect(!more.output.contains("chips"))
  }

  @Test func `JSON has the text, the match, the time in seconds and the speaker`() async throws {
    let result = try await run.podget(["grep", "f[a-z]+h", "--json"])
    #expect(try result.values("in") == ["notes", "transcript", "title"])
    #expect(try result.values("match") == ["Fish", "fish", "Fish"])
    #expect(try result.values("start") == ["null", "751", "null"])
    #expect(try result.values("speaker") == ["null", "Bob", "null"])
    #expect(try result.values("text")[1] == "A fish swims against the stream.")
    #expect(try result.values("episode", "id") == ["12", "12", "11"])
    let none = try await run.podget(["grep", "nowhere", "--json"])
    #expect(none.output == "[]\n")
    #expect(none.status == .exited(1))
  }

  @Test func `parts, podcasts and filters limit the search`() async throws {
    func found(_ arguments: String...) async throws -> [String] {
      let result = try await run.podget(["grep", "--json"] + arguments)
      return try result.values("episode", "title")
    }
    #expect(try await found("fish", "--in", "title") == ["Fish and chips"])
    #expect(
      try await found("bread", "--in", "notes", "--in", "transcript") == ["Policy", "Policy"])
    #expect(try await found("bread", "--in", "transcript") == ["Policy"])
    #expect(try await found("e", "Other") == ["Elsewhere"])
    #expect(try await found("fish", "--until", "2024-03-05") == ["Fish and chips"])
    #expect(try await found("fish", "--episode", "12") == ["Policy", "Policy"])
    // Chapters are no text of the episode.
    #expect(try await found("^fish$").isEmpty)
  }

  @Test(arguments: [
    ("{Explicit} We talk about salt.\n", "salt", "{Explicit} We talk about salt."),
    ("0:00 --> 1:30 Intro\nand salt", "intro", "0:00 --> 1:30 Intro"),
    ("WEBVTT has salt.\n\nAnd more.\n", "salt", "WEBVTT has salt."),
    ("\\<html> has\r\n  salt.\r\n", "^salt", "salt."),
    ("Use \\`podget\\` if a \\< b\\\\c.\n", "`podget` if a < b", "Use `podget` if a < b\\c."),
    ("See [this]\\(/a) \\![b].\n", "this..?/a. !", "See [this](/a) ![b]."),
  ])
  func `notes are lines as a person reads them`(
    notes: String, expression: String, line: String
  ) async throws {
    try folder.write("library/News/Policy.md", notes)
    let result = try await run.podget(["grep", expression, "--in", "notes", "--json"])
    #expect(try result.values("text") == [line])
    #expect(try result.values("start") == ["null"])
  }

  @Test(arguments: [
    ("warning", ["Warning: Climate changes."], ["Warning"]),
    ("^question: w", ["Question: What is an icon?"], ["Question: W"]),
    (
      "question", ["Question: What is an icon?", "Question: It is a window."],
      ["Question", "Question"]
    ),
    ("^climate", ["Climate changes."], ["Climate"]),
    ("n: w", ["Question: What is an icon?"], ["n: W"]),
    ("window", ["It is a window."], ["window"]),
    ("(ing|on): C", ["Warning: Climate changes."], ["ing: C"]),
  ])
  func `words before a colon are found, which may be names`(
    expression: String, texts: [String], matches: [String]
  ) async throws {
    try add("Icons", date: "2024-03-07T12:00:00Z", id: 13, files: ["transcript": "Icons.srt"])
    try folder.write(
      "library/News/Icons.srt",
      """
      1
      00:00:01,000 --> 00:00:03,000
      Warning: Climate changes.

      2
      00:00:09,000 --> 00:00:11,000
      Question: What is an icon?

      3
      00:00:15,000 --> 00:00:16,000
      It is a window.
      """)
    let options = ["--in", "transcript", "--episode", "13"]
    let result = try await run.podget(["grep", expression, "--json"] + options)
    #expect(try result.values("text") == texts)
    #expect(try result.values("match") == matches)
    let speakers = texts.map { $0.contains("Climate") ? "Warning" : "Question" }
    #expect(try result.values("speaker") == speakers)
    let shown = try await run.podget(["grep", expression] + options).output
    for (speaker, text) in zip(speakers, texts) {
      let line = text.hasPrefix(speaker) ? text : "\(speaker): \(text)"
      #expect(shown.contains("  \(line)\n"))
    }
  }

  @Test func `nothing found is status 1 with a note`() async throws {
    let result = try await run.podget(["grep", "nowhere", "--in", "notes"])
    #expect(result.output == "")
    #expect(result.error == "podget: Nothing matches in 3 episodes.\n")
    #expect(result.status == .exited(1))
  }

  @Test(arguments: [["grep"], ["grep", ""], ["grep", "a("], ["grep", "a", "--in", "chapters"]])
  func `a wrong expression is a wrong command line`(arguments: [String]) async throws {
    #expect(try await run.podget(arguments).status == .exited(64))
  }

  @Test func `a file that is gone is not missed`() async throws {
    try FileManager.default.removeItem(atPath: folder.path("library/News/Policy.vtt"))
    let result = try await run.podget(["grep", "fish", "--in", "transcript"])
    #expect(result.output == "")
    #expect(result.error == "podget: Nothing matches in 3 episodes.\n")
    #expect(result.status == .exited(1))
  }

  @Test func `a window shows the match within a long text`() async throws {
    let words = String(repeating: "word ", count: 60)
    try folder.write("library/News/Policy.md", "\(words)fish \(words)\n")
    let screen = try await run.screen(["grep", "fish", "--in", "notes"], columns: 60)
    let lines = screen.split(separator: "\r\n").map(String.init)
    let line = try #require(lines.last { $0.contains("fish") })
    #expect(line.contains("…"))
    #expect(!line.contains(words))
  }
}
