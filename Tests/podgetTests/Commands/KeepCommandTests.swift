import Foundation
import TestSupport
import Testing

@Suite("podget star, remove, restore and prune") struct KeepCommandTests {
  private let run: CommandRun

  init() throws {
    run = try CommandRun()
    try run.addFinished("Psalms", date: "2024-02-16T16:00:17Z", id: 7, bytes: 3000)
    try run.addFinished("Psalms again", date: "2024-02-09T12:00:00Z", guid: "g-8", bytes: 2000)
    try run.addFinished("apple", date: "2024-02-12T12:00:00Z", podcast: "Other", bytes: 1000)
    try run.addFinished("Gone", date: "2024-02-01T12:00:00Z", podcast: "Other", isMissing: true)
  }

  private func listed(_ arguments: String...) async throws -> [String] {
    try await run.podget(["list", "--json"] + arguments).values("episode", "title")
  }

  private var trash: [String] {
    run.folder.files.filter { $0.hasPrefix("library/.podget/trash/") }
  }

  @Test("stars are added and removed, and scripts see them") func stars() async throws {
    let starred = try await run.podget(["star", "7", "apple", "--json"])
    #expect(starred.status == .exited(0) && starred.error == "")
    #expect(try starred.values("starred") == ["1", "1"])
    #expect(try await listed("--starred") == ["Psalms", "apple"])
    #expect(try await run.podget(["star", "7"]).output == "starred      Psalms\n")
    let unstarred = try await run.podget(["unstar", "-", "-q"], input: "7\nPsalms\n")
    #expect(unstarred.status == .exited(0) && unstarred.output == "" && unstarred.error == "")
    #expect(try await listed("--starred") == ["apple"])
  }

  @Test("what was played is listed, kept through moves and removals, and pruned") func marks()
    async throws
  {
    func marks() async throws -> [String] {
      let objects =
        try await run.podget(["list", "--json"]).objects
        + run.podget(["list", "--removed", "--json"]).objects
      return objects.compactMap { object in
        let title = (object["episode"] as? [String: Any])?["title"] as? String
        let position = (object["position"] as? Int).map { " at \($0)" } ?? ""
        let isPlayed = object["played"] as? Bool == true
        return isPlayed || position != ""
          ? "\(title ?? "")\(isPlayed ? " played" : "")\(position)" : nil
      }
    }
    let played = try await run.podget(["mark", "--played", "7", "Gone"])
    #expect(played.output == "played       Psalms\nplayed       Gone\n")
    let at = try await run.podget(["mark", "--position", "12:30", "apple", "--json"])
    #expect(try at.values("position") == ["750"])
    #expect(
      try await run.podget(["mark", "--position", "1:02:03", "7"]).output == "at 1:02:03   Psalms\n"
    )
    #expect(try await marks() == ["Psalms at 3723", "apple at 750", "Gone played"])
    #expect(try await listed("--played") == ["Gone"])
    #expect(try await listed("--unplayed") == ["Psalms", "apple", "Psalms again"])
    #expect(try await listed("--unplayed", "--latest", "1") == ["Psalms"])
    let table = try await run.podget(["list"]).output
    #expect(table.contains("at 1:02:03") && table.contains("played"))
    // The marks are on the disk only, move along, and stay with what is removed.
    try FileManager.default.removeItem(atPath: run.folder.path("library/.podget/library.sqlite"))
    for command in [
      ["rename", "--template", "{podcast} by title/{title}.{ext}"], ["remove", "7"],
    ] {
      #expect(try await run.podget(command).status == .exited(0))
      #expect(
        try await marks().sorted() == ["Gone played", "Psalms at 3723", "apple at 750"])
    }
    #expect(try await run.podget(["mark", "--unplayed", "7"]).status == .exited(0))
    #expect(try await run.podget(["restore", "7"]).status == .exited(0))
    #expect(try await marks().sorted() == ["Gone played", "apple at 750"])
    #expect(try await run.podget(["mark", "--played", "7", "apple"]).status == .exited(0))
    #expect(try await run.podget(["star", "apple"]).status == .exited(0))
    let dry = try await run.podget(["prune", "--played", "--dry-run", "--json"])
    #expect(try dry.values("reason") == ["played", "starred", "null", "missing"])
    let pruned = try await run.podget(["prune", "--played"])
    #expect(pruned.output == "removed      Psalms  2.9 KiB\n")
    for wrong in [
      [], ["--played", "--unplayed"], ["--played", "--position", "1"], ["--position", "x"],
      ["--position", "800h"], ["--position", "-1"],
    ] {
      #expect(try await run.podget(["mark", "7"] + wrong).status == .exited(64))
    }
  }

  @Test("the trash is listed, restored as a whole, and emptied") func trashed() async throws {
    #expect(try await run.podget(["trash"]).output == "")
    #expect(try await run.podget(["remove", "7", "--trash-days", "3"]).status == .exited(0))
    #expect(try await run.podget(["remove", "g-8", "apple"]).status == .exited(0))
    let listed = try await run.podget(["trash", "--json"])
    #expect(try listed.values("episode", "title") == ["Psalms", "Psalms again", "apple"])
    #expect(try listed.values("bytes") == ["3000", "2000", "1000"])
    let terms = try listed.values("keptUntil")
    #expect(terms[0] < terms[1])
    let removed = try await run.podget(["list", "--removed", "--json"])
    #expect(try removed.values("keptUntil") == [terms[0], terms[2], terms[1]])
    let table = try await run.podget(["list", "--status", "removed"]).output
    #expect(table.contains("In the trash until") && table.contains(terms[0].prefix(10)))
    #expect(try await run.podget(["trash"]).output.hasSuffix("3 files, 5.9 KiB\n"))
    let restored = try await run.podget(["restore", "--all", "--json"])
    #expect(try restored.values("status") == ["complete", "complete", "complete"])
    #expect(trash.isEmpty)
    #expect(try await run.podget(["remove", "7", "apple"]).status == .exited(0))
    let emptied = try await run.podget(["trash", "--empty"])
    #expect(emptied.output.split(separator: "\n").count == 2 && trash.isEmpty)
    #expect(emptied.error == "2 files deleted (3.9 KiB)\n")
    #expect(try await run.podget(["restore", "--all"]).status == .exited(1))
    #expect(try await self.listed("--removed") == ["Psalms", "apple"])
  }

  @Test("a list has a status, and lines of a template") func formats() async throws {
    func lines(_ arguments: String...) async throws -> String {
      try await run.podget(["list"] + arguments).output
    }
    #expect(try await lines("--status", "missing", "--format", "{title}") == "Gone\n")
    #expect(
      try await lines(
        "--status", "complete", "--format", #"{status}\t{bytes} {path}\0"#, "--latest", "1")
        == "complete\t3000 The Symbolic World/Psalms.mp3\0")
    #expect(try await lines("--format", "{id}{sha256}", "--latest", "1") == "7ab12\n")
    for wrong in [
      ["--format", "{name}"], ["--format", "{title"], ["--format", "}"], ["--format", #"\x"#],
      ["--status", "gone"], ["--status", "removed", "--removed"],
      ["--status", "removed", "--status", "complete"], ["--format", "{title}", "--json"],
    ] {
      #expect(try await run.podget(["list"] + wrong).status == .exited(64))
    }
  }

  @Test("a podcast whose feed got another address stays one podcast") func moved() async throws {
    let run = try CommandRun()
    let record = "library/Show/.podget.ndjson"
    for number in 1...5 {
      try run.addFinished("E\(number)", date: "2024-02-0\(number)T12:00:00Z", podcast: "Show")
    }
    let podcasts: [[String: Any]] = [
      ["feedUrl": "http://a.example/feed/a"], ["feedUrl": "https://www.a.example/feed/a/"],
      ["feedUrl": "https://a.example/feed/a", "id": 7], ["id": 7],
      ["feedUrl": "https://b.example/new", "id": 7],
    ]
    let lines = try run.folder.read(record).split(separator: 0x0A)
    var data: [UInt8] = []
    for (line, podcast) in zip(lines, podcasts) {
      var fact = try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any] ?? [:]
      fact["podcast"] = podcast.merging(["title": "Show"]) { $1 }
      data += try JSONSerialization.data(withJSONObject: fact) + [0x0A]
    }
    try run.folder.write(record, data)
    let list = try await run.podget(["list", "--group-by", "podcast"])
    #expect(list.output.ranges(of: "Show: 5 episodes").count == 1, "\(list.output)")
    #expect(list.output.hasSuffix("5 episodes, 4.9 KiB\n"))
    let pruned = try await run.podget(["prune", "--keep", "2", "--json"])
    #expect(
      try pruned.values("decision") == ["keep", "keep", "remove", "remove", "remove"])
  }

  @Test("copies of a folder count for the maximum size") func copies() async throws {
    try FileManager.default.copyItem(
      atPath: run.folder.path("library/The Symbolic World"),
      toPath: run.folder.path("library/A copy"))
    #expect(try await listed().count == 4)
    let kept = try await run.podget(["prune", "--max-size", "11000", "--dry-run", "--json"])
    #expect(try Set(kept.values("decision")) == ["keep"])
    let dry = try await run.podget(["prune", "--max-size", "7000", "--dry-run", "--json"])
    #expect(try dry.values("frees") == ["0", "0", "4000", "0"])
    #expect(try await run.podget(["prune", "--max-size", "7000"]).status == .exited(0))
    #expect(try await listed() == ["Psalms", "apple", "Gone"])
  }

  @Test("a title and a date are corrected, kept through a rename, and taken back") func edited()
    async throws
  {
    func apple() async throws -> [String] {
      let list = try await run.podget(["list", "Other", "--status", "complete", "--json"])
      return try list.values("episode", "title") + list.values("episode", "date")
    }
    let before = try await apple()
    let edited = try await run.podget(["edit", "apple", "--title", "Pear", "--json"])
    #expect(try edited.values("episode", "title") == ["Pear"], "\(edited.error)")
    #expect(
      try await run.podget(["edit", "Pear", "--date", "2020-05-06"]).output
        == "edited       Pear\n")
    #expect(try await listed("--latest", "2") == ["Psalms", "Psalms again"])
    try FileManager.default.removeItem(atPath: run.folder.path("library/.podget/library.sqlite"))
    #expect(try await apple() == ["Pear", "2020-05-06T00:00:00Z"])
    #expect(try await apple() == ["Pear", "2020-05-06T00:00:00Z"])
    let renamed = try await run.podget(["rename", "--template", "Fruit/{date} {title}.{ext}"])
    #expect(renamed.status == .exited(0))
    #expect(run.folder.contains("library/Fruit/2020-05-06 Pear.mp3"))
    #expect(try await apple() == ["Pear", "2020-05-06T00:00:00Z"])
    let undone = try await run.podget(["edit", "Pear", "--undo", "--json"])
    #expect(try undone.values("episode", "title") == ["apple"])
    #expect(try await apple() == before)
    for wrong in [
      [], ["--undo", "--title", "x"], ["--title", ""], ["--title", "a\nb"], ["--date", "soon"],
      ["7", "--undo"],
    ] {
      #expect(try await run.podget(["edit", "apple"] + wrong).status == .exited(64), "\(wrong)")
    }
    let removed = try await run.podget(["remove", "apple"])
    #expect(removed.status == .exited(0))
    #expect(try await run.podget(["edit", "apple", "--title", "x"]).status == .exited(1))
  }

  @Test("an ambiguous name changes nothing") func unclear() async throws {
    for arguments in [
      ["star", "7", "psal"], ["remove", "7", "nobody"], ["restore", "nobody"],
      ["star", "psalms", "--source", "Other"], ["remove", "7", "--source", "nothing"],
    ] {
      let result = try await run.podget(arguments + ["--json"])
      #expect(result.status == .exited(1) && result.output == "")
      #expect(result.error.hasPrefix("podget: ") && result.error.split(separator: "\n").count == 1)
    }
    let result = try await run.podget(["remove", "psal"])
    #expect(
      result.error == """
        podget: "psal" matches 2 episodes; use an id: Psalms (7), Psalms again (g-8).

        """)
    #expect(try await listed().count == 4)
    #expect(try await listed("--starred").isEmpty)
  }

  @Test("an unreadable record is reported, and the rest continues") func unreadable() async throws {
    try run.folder.write("library/Odd/.podget.ndjson/file", [])
    for (arguments, done) in [
      (["star", "7"], "starred      Psalms"), (["unstar", "7"], "unstarred    Psalms"),
      (["remove", "apple"], "removed      apple"), (["restore", "apple"], "restored     apple"),
      (["prune", "--keep", "1"], "removed      Psalms again"),
      (["rename", "--template", "{title:.4}.{ext}"], "2 files renamed."), (["list"], ""),
    ] {
      let result = try await run.podget(arguments)
      let lines = result.error.split(separator: "\n")
      let results = result.output.split(separator: "\n") + lines
      #expect(result.status == .exited(1), "\(arguments)")
      #expect(
        lines.first == """
          podget: Cannot read \(run.folder.path("library"))/Odd/.podget.ndjson: Is a directory; \
          what is on record there is not known.
          """)
      #expect(done == "" ? lines.count == 1 : results.contains { $0.hasPrefix(done) })
    }
    #expect(run.folder.contains("library/Odd/.podget.ndjson/file"))
  }

  @Test("negative numbers and invalid variables get one sentence") func senseless() async throws {
    let below = try await run.podget(["prune", "--keep", "-1"])
    #expect(below.status == .exited(64))
    #expect(below.error.hasPrefix("podget: --keep takes a number that is 0 or more.\n"))
    var odd = run
    odd.more = ["PODGET_TRASH_DAYS": "soon"]
    let result = try await odd.podget(["remove", "7"])
    #expect(result.status == .exited(64))
    #expect(
      result.error == """
        podget: The variable PODGET_TRASH_DAYS is "soon", which is not a number.

        """)
    #expect(try await listed().count == 4)
  }

  @Test("restore reports episodes that were never removed") func nothingToRestore() async throws {
    let result = try await run.podget(["restore", "7"])
    #expect(result.status == .exited(0) && result.output == "is there     Psalms  2.9 KiB\n")
  }

  @Test("without a library, prune fails and names it") func noLibrary() async throws {
    let result = try await run.podget(["prune", "--keep", "1", "-d", run.folder.path("none")])
    #expect(result.status == .exited(1) && result.error.contains("There is no library"))
    #expect(!run.folder.contains("none"))
  }

  @Test("removed, listed as such, and restored") func removed() async throws {
    let result = try await run.podget(["remove", "library/Other/apple.mp3", "--json"])
    #expect(result.status == .exited(1))
    let path = run.folder.path("library/Other/apple.mp3")
    let dry = try await run.podget(["remove", path, "--dry-run"])
    #expect(dry.status == .exited(0) && dry.output == "would remove  apple  1000 B\n")
    let real = try await run.podget(["remove", path, "gone", "--json"])
    #expect(real.status == .exited(0) && real.error == "")
    #expect(try real.values("status") == ["removed", "removed"])
    #expect(try await listed() == ["Psalms", "Psalms again"])
    #expect(try await listed("--removed") == ["apple", "Gone"])
    #expect(trash.count == 1 && !run.folder.contains("library/Other/apple.mp3"))
    #expect(try await run.podget(["remove", "apple"]).output.hasPrefix("was removed  apple"))
    #expect(try await run.podget(["star", "apple"]).status == .exited(1))

    // It has never been removed.
    #expect(try await run.podget(["restore", "7"]).output.hasPrefix("is there     Psalms  "))
    #expect(
      try await run.podget(["restore", "none"]).error
        == "podget: No removed episode matches \"none\"; podget list --removed shows what was removed.\n"
    )
    #expect(try await run.podget(["restore", "app"]).output == "restored     apple  1000 B\n")
    #expect(try await listed() == ["Psalms", "apple", "Psalms again"])
    #expect(trash.isEmpty)
    let gone = try await run.podget(["restore", "gone"])
    #expect(
      gone.status == .exited(1) && gone.error.hasPrefix("podget: Gone: It is not in the trash"))
  }

  @Test("starred episodes are removed by force only") func starred() async throws {
    _ = try await run.podget(["star", "7"])
    let refused = try await run.podget(["remove", "7", "g-8"])
    #expect(refused.status == .exited(1) && refused.error.contains("Psalms is starred"))
    #expect(try await listed().count == 4)
    #expect(try await run.podget(["remove", "7", "--force", "--now"]).status == .exited(0))
    #expect(try await listed("--removed") == ["Psalms"])
    #expect(trash.isEmpty)
  }

  @Test("the trash keeps files as long as configured, and --now deletes one of them") func terms()
    async throws
  {
    var run = run
    run.more = ["PODGET_TRASH_DAYS": "0"]
    _ = try await run.podget(["remove", "7"])
    #expect(trash.isEmpty)
    _ = try await run.podget(["remove", "apple", "--trash-days", "3"])
    #expect(trash.count == 1)
    _ = try await run.podget(["remove", "apple", "--now"])
    #expect(trash.isEmpty)
    // What was due in an earlier run too is deleted by the next command that removes; the runs of
    // the last minute count as one.
    try run.folder.write("library/.podget/trash.json", "[\"2021-01-01T00:00:00Z\"]")
    try run.folder.write(
      "library/.podget/trash/20200101T000000Z-0123456789abcdef0123456789abcdef.mp3", "old")
    try run.folder.write(
      "library/.podget/trash/29990101T000000Z-0123456789abcdef0123456789abcdef.mp3", "new")
    _ = try await run.podget(["remove", "g-8", "--now"])
    #expect(
      trash == ["library/.podget/trash/29990101T000000Z-0123456789abcdef0123456789abcdef.mp3"])
  }

  @Test("a dry run of prune explains each decision") func explained() async throws {
    _ = try await run.podget(["star", "g-8"])
    let result = try await run.podget(["prune", "--older-than", "2024-02-15", "--dry-run"])
    #expect(result.status == .exited(0) && result.error == "")
    #expect(
      result.output == """
                Date        Title            Size  Why

        Other: 1 of 2 episodes would be removed (1000 B), 0 B would stay
        remove  2024-02-12  apple          1000 B  from before 2024-02-15
        keep    2024-02-01  Gone                   missing: no file is there

        The Symbolic World: Nothing would be removed.
        keep    2024-02-16  Psalms        2.9 KiB  not from before 2024-02-15
        keep    2024-02-09  Psalms again  2.0 KiB  starred

        1 of 4 episodes would be removed (1000 B), 4.9 KiB would stay

        """)
    #expect(try await listed().count == 4)
  }

  @Test("prune removes what its rules say and gives scripts the reasons") func pruned() async throws
  {
    let result = try await run.podget([
      "prune", "--keep", "1", "--max-size", "3500", "--json", "--trash-days", "1",
    ])
    #expect(result.status == .exited(0))
    #expect(try result.values("episode", "title") == ["Psalms", "apple", "Psalms again", "Gone"])
    #expect(try result.values("decision") == ["keep", "remove", "remove", "keep"])
    #expect(try result.values("reason") == ["null", "maxSize", "keep", "missing"])
    #expect(try result.values("frees") == ["0", "1000", "2000", "0"])
    #expect(try result.values("error") == ["null", "null", "null", "null"])
    #expect(try await listed() == ["Psalms", "Gone"])
    #expect(trash.count == 2)
    let again = try await run.podget(["prune", "other", "--keep", "0"])
    #expect(again.error == "There was nothing to remove.\n")
    let tooMuch = try await run.podget(["prune", "--max-size", "1", "--dry-run"])
    #expect(tooMuch.error == "")
    _ = try await run.podget(["star", "7"])
    let held = try await run.podget(["prune", "--max-size", "1K", "--dry-run", "--json"])
    #expect(held.error.contains("take 2.9 KiB, more than 1.0 KiB"))
  }

  @Test(
    "a wrong command line ends with 64 and changes nothing",
    arguments: [
      ["prune"], ["prune", "--keep", "-1"], ["prune", "--older-than", "soon"],
      ["prune", "--max-size", "much"], ["remove"], ["star"], ["restore"],
      ["remove", "7", "--now", "--trash-days", "1"], ["remove", "7", "--trash-days", "many"],
      ["prune", "--keep", "0", "--trash-days=-1"],
    ])
  func usage(arguments: [String]) async throws {
    let result = try await run.podget(arguments)
    #expect(result.status == .exited(64) && result.output == "")
    #expect(try await listed().count == 4)
  }

  @Test("without a library nothing is created") func absent() async throws {
    let run = try CommandRun()
    for command in [["star"], ["unstar"], ["mark", "--played"], ["remove"], ["restore"]] {
      let result = try await run.podget(command + ["7"])
      #expect(result.status == .exited(1) && result.error.contains("There is no library"))
    }
    let pruned = try await run.podget(["prune", "--keep", "1", "--json"])
    #expect(pruned.status == .exited(1) && pruned.output == "")
    #expect(!run.folder.contains("library"))
  }
}
