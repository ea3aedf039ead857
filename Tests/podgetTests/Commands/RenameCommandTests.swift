import Foundation
import TestSupport
import Testing

@Suite("podget rename") struct RenameCommandTests {
  private func library() throws -> CommandRun {
    let run = try CommandRun()
    try run.addFinished("One", date: "2024-02-16T16:00:17Z", id: 7, bytes: 3000)
    try run.addFinished("Two", date: "2023-02-16T16:00:17Z", id: 8, bytes: 3001)
    try run.addFinished("Gone", date: "2024-02-09T12:00:00Z", isMissing: true)
    try run.addFinished("One", date: "2024-02-16T12:00:00Z", podcast: "Other", bytes: 2000)
    return run
  }

  private func audio(_ run: CommandRun) -> [String] {
    run.folder.files.filter { $0.hasPrefix("library/") && !$0.contains("/.") }
      .map { String($0.dropFirst("library/".count)) }
  }

  /// The file that a run named for undoing it.
  private func undoFile(_ result: RunningProcess.Result) -> String {
    String(result.error.split(separator: "--undo ").last?.split(separator: "\n").first ?? "")
  }

  @Test("a dry run prints each move, ordered by path, and moves nothing") func dryRun() async throws
  {
    let run = try library()
    let before = audio(run)
    let result = try await run.podget(
      ["rename", "--template", "{date:%Y}/{podcast} - {title}.{ext}", "--dry-run"])
    #expect(result.status == .exited(0))
    #expect(
      result.lines == [
        "Other/One.mp3 → 2024/Other - One.mp3",
        "The Symbolic World/One.mp3 → 2024/The Symbolic World - One.mp3",
        "The Symbolic World/Two.mp3 → 2023/The Symbolic World - Two.mp3",
      ])
    #expect(result.error == "3 files would be renamed.\n")
    #expect(audio(run) == before && !run.folder.contains("library/.podget/renames"))
  }

  @Test("a library is renamed and back, and keeps all its records") func thereAndBack()
    async throws
  {
    let run = try library()
    let before = audio(run)
    let known = try await run.podget(["list", "--json"])
    let renamed = try await run.podget(
      ["rename", "--template", "{date:%Y}/{podcast} - {title}.{ext}"])
    #expect(renamed.status == .exited(0))
    #expect(
      audio(run) == [
        "2023/The Symbolic World - Two.mp3", "2024/Other - One.mp3",
        "2024/The Symbolic World - One.mp3",
      ])
    // An emptied podcast folder is deleted; a missing episode keeps its record.
    #expect(!run.folder.contains("library/Other"))
    #expect(run.folder.contains("library/The Symbolic World/.podget.ndjson"))
    let now = try await run.podget(["list", "--json"])
    #expect(try now.values("status") == known.values("status"))
    #expect(try now.values("downloadedAt") == known.values("downloadedAt"))
    #expect(try now.values("episode", "title") == known.values("episode", "title"))

    let again = try await run.podget(
      ["rename", "--template", "{date:%Y}/{podcast} - {title}.{ext}"])
    #expect(again.error == "There is nothing to rename.\n" && again.status == .exited(0))

    let undone = try await run.podget(["rename", "--undo", undoFile(renamed)])
    #expect(undone.status == .exited(0))
    #expect(audio(run) == before)
    #expect(!run.folder.contains("library/2024") && !run.folder.contains("library/2023"))
    #expect(try await run.podget(["list", "--json"]).values("path") == known.values("path"))
    let twice = try await run.podget(["rename", "--undo", undoFile(renamed)])
    #expect(twice.status == .exited(1) && twice.output.isEmpty)
    #expect(twice.error.contains("3 files not where the rename put them: skipped."))
    #expect(twice.error.contains("Nothing is undone"))
    // What was undone can be done again.
    _ = try await run.podget(["rename", "--undo", undoFile(undone)])
    #expect(audio(run).contains("2024/Other - One.mp3"))
  }

  @Test("the command that is printed undoes, wherever and with whatever library it is run")
  func printedUndo() async throws {
    var run = try library()
    let before = audio(run)
    run.more["PODGET_LIBRARY"] = run.folder.path("other")
    try run.folder.write("other/.podget/ours", "")
    // A path from the folder that podget runs in.
    let renamed = try await RunningProcess(
      .podget, ["rename", "-d", "./library", "--template", "{title} {id|0}.{ext}"],
      environment: run.environment, folder: run.folder.path
    ).waitForExit()
    #expect(renamed.status == .exited(0))
    #expect(audio(run) != before)
    let printed = undoFile(renamed)
    #expect(printed.hasPrefix("/"))
    let wrong = try await run.podget(["rename", "-d", run.folder.path("other"), "--undo", printed])
    #expect(wrong.status == .exited(64) && audio(run) != before)

    let undone = try await run.podget(["rename", "--undo", printed])
    #expect(undone.status == .exited(0))
    #expect(audio(run) == before)
    // Nothing undone is a failure, a dry run included.
    let twice = try await run.podget(["rename", "--undo", printed, "--dry-run"])
    #expect(twice.status == .exited(1))
  }

  @Test("conflicting names get suffixes, and a foreign file is not changed") func clashes()
    async throws
  {
    let run = try library()
    try run.folder.write("library/Two.mp3", "mine")
    let result = try await run.podget(["rename", "--template", "{title}.{ext}", "--json"])
    #expect(result.status == .exited(0))
    #expect(try result.values("status") == ["moved", "moved", "moved"])
    let names = audio(run)
    #expect(names.count == 4 && names.contains("Two.mp3"))
    #expect(names.filter { $0.hasPrefix("One [") }.count == 2)
    #expect(try run.folder.read("library/Two.mp3") == Array("mine".utf8))
  }

  @Test("an episode that is downloaded again keeps its name, and a note names it") func unfinished()
    async throws
  {
    let run = try library()
    let key = CommandRun.key("Other", "One")
    let record: [String: Any] = [
      "version": 1, "key": key, "podcast": ["title": "Other"],
      "episode": ["title": "One", "url": "https://example.org/Other/One"],
      "folder": "Other", "stem": "One", "announcedExtension": "mp3", "replaces": "Other/One.mp3",
    ]
    try run.folder.write(
      "library/.podget/partial/\(key).json",
      Array(try JSONSerialization.data(withJSONObject: record)))
    let result = try await run.podget(["rename", "--template", "{podcast}/New {title}.{ext}"])
    #expect(result.status == .exited(0))
    #expect(
      result.error.contains(
        "1 episode that is not finished keeps its name; rename again when podget resume has "
          + "finished it."))
    #expect(
      audio(run) == [
        "Other/One.mp3", "The Symbolic World/New One.mp3", "The Symbolic World/New Two.mp3",
      ])
  }

  @Test("only the named podcasts' files move") func sources() async throws {
    let run = try library()
    let result = try await run.podget(["rename", "other", "--template", "{title} 2.{ext}"])
    #expect(result.output == "Other/One.mp3 → One 2.mp3\n")
    let unknown = try await run.podget(["rename", "nobody", "--template", "{title} 2.{ext}"])
    #expect(unknown.status == .exited(1) && unknown.output.isEmpty)
  }

  @Test("a blocked undo is reported, and the rest is undone") func blocked() async throws {
    let run = try library()
    let renamed = try await run.podget(["rename", "--template", "{podcast}/{id|x} {title}.{ext}"])
    try run.folder.write("library/The Symbolic World/Two.mp3", "mine")
    let undone = try await run.podget(["rename", "--undo", undoFile(renamed), "--json"])
    #expect(undone.status == .exited(1))
    #expect(try undone.values("status").sorted() == ["failed", "moved", "moved"])
    #expect(undone.error.contains("The Symbolic World/8 Two.mp3 was not renamed"))
    #expect(try run.folder.read("library/The Symbolic World/Two.mp3") == Array("mine".utf8))
    #expect(audio(run).contains("The Symbolic World/8 Two.mp3"))
    #expect(audio(run).contains("Other/One.mp3"))
  }

  @Test(
    "a wrong command line ends with 64",
    arguments: [
      [], ["--undo", "x", "--template", "{title}.{ext}"], ["--undo", "x", "Other"],
      ["--template", "{title}"],
    ]) func usage(arguments: [String]) async throws
  {
    let result = try await library().podget(["rename"] + arguments)
    #expect(result.status == .exited(64) && result.output.isEmpty && !result.error.isEmpty)
  }

  @Test("a file that lists no moves changes nothing") func wrongFile() async throws {
    let run = try library()
    let before = audio(run)
    for text in [
      "rubbish\n",
      #"{"key":"0123456789abcdef0123456789abcdef","from":"../out.mp3","to":"Other/One.mp3"}"#
        + "\n",
    ] {
      let file = try run.folder.write("moves", text)
      let result = try await run.podget(["rename", "--undo", file])
      #expect(result.status == .exited(1))
      #expect(result.error.contains("is not a list of renamed files"))
    }
    // Where a relative path leads is no library because of its name.
    for options in [[], ["-d", run.folder.path("library")]] {
      for file in ["nowhere", ".podget/renames/20240101T000000Z.ndjson"] {
        let missing = try await run.podget(["rename", "--undo", file] + options)
        #expect(missing.status == .exited(1))
        let folder = FileManager.default.currentDirectoryPath
        #expect(missing.error == "podget: There is no file \(file) in \(folder).\n")
      }
    }
    #expect(audio(run) == before)
  }
}
