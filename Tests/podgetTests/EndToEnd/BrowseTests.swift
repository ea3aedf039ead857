import Foundation
import LoopbackServer
import TestSupport
import Testing

/// What a person sees and does with `podget browse` on a terminal.
@Suite(.serialized) struct BrowseTests {
  let host: FeedHost
  let folder: TemporaryFolder

  init() throws {
    host = try FeedHost(["/feed.xml": FeedHost.Feed((1...9).reversed().map { FeedHost.Item($0) })])
    folder = try TemporaryFolder()
  }

  private func start(
    _ arguments: [String] = [], adding variables: [String: String] = [:], columns: Int = 80,
    rows: Int = 24
  ) throws -> PseudoTerminalProcess {
    try PseudoTerminalProcess(
      .podget, ["browse"] + arguments, environment: environment.merging(variables) { $1 },
      folder: folder.path,
      columns: columns, rows: rows)
  }

  private var environment: [String: String] {
    [
      "PODGET_ITUNES_URL": host.origin, "PODGET_LIBRARY": folder.path("library"),
      "PODGET_RETRY_DELAY": "0", "HOME": folder.path, "LANG": "C.UTF-8", "no_proxy": "127.0.0.1",
    ]
  }

  private var feed: String { "\(host.origin)/feed.xml" }

  /// Runs another podget to its end, which must be success; what it prints.
  @discardableResult
  private func podget(_ arguments: String...) async throws -> String {
    let done = try await RunningProcess(
      .podget, arguments, environment: environment, folder: folder.path
    ).waitForExit()
    #expect(done.status == .exited(0), "\(arguments): \(done.error)")
    return done.output
  }

  /// Writes a program for tests; its path.
  private func program(_ name: String, _ text: String) throws -> String {
    try folder.writeProgram(name, text)
  }

  private func requireRestored(_ process: PseudoTerminalProcess) {
    #expect(process.echoes && process.readsLines && process.screen.isCursorVisible)
    // The alternate screen was entered, and left after that.
    let output = process.output
    let entered = output.ranges(of: "\u{1B}[?1049h").last?.upperBound
    let left = output.ranges(of: "\u{1B}[?1049l").last?.lowerBound
    #expect(
      entered != nil && left != nil && (entered ?? output.endIndex) < (left ?? output.startIndex))
  }

  @Test func `an episode is downloaded, and the terminal is as it was`() async throws {
    host.isMediaHeld = true
    let process = try start([feed])
    try await process.waitForScreen("the episodes are listed") { screen in
      screen.lines.count { $0.contains("Number ") } == 9
    }
    #expect(process.screen.lines[1].hasPrefix(" The Feed"))
    #expect(!process.echoes && !process.readsLines && !process.screen.isCursorVisible)
    process.type("jd")
    try await process.waitForScreen("it runs") { $0.lines[0].contains("1 running") }
    process.type("dd")
    process.type("\u{1B}[A")
    host.isMediaHeld = false
    try await process.waitForScreen("it is complete") { screen in
      screen.lines.contains { $0.contains("Number 8") && $0.hasSuffix("complete") }
    }
    #expect(host.mediaRequests == [8])
    process.type("\t")
    try await process.waitForScreen("the library has it") { screen in
      screen.lines[1].contains(" 1 episode") && screen.lines[3].contains("Number 8")
    }
    process.type("q")
    #expect(try await process.waitForExit() == .exited(0))
    requireRestored(process)
    #expect(folder.files.contains("library/The Feed/2024-01-08 - Number 8.mp3"))
  }

  @Test func `a command follows each download, and nothing of it is on the screen`() async throws {
    let log = folder.path("log")
    let hook = try program(
      "hook",
      "#!/bin/sh\necho seen; echo seen >&2\n"
        + "echo \"$PODGET_TITLE\" >> '\(log)'\n[ \"$PODGET_TITLE\" != 'Number 8' ]\n")
    let process = try start([feed], adding: ["PODGET_AFTER_DOWNLOAD": hook])
    try await process.waitForScreen("the episodes are listed") { $0.text.contains("Number 9") }
    process.type("d")
    try await waitUntil("the command", seen: { process.screen.text }) {
      (try? folder.read("log")) == Array("Number 9\n".utf8)
    }
    process.type("jd")
    try await process.waitForScreen("the failure is said") {
      // The rest of the line depends on the path of the command.
      $0.text.contains("after-download: Number 8: The command")
    }
    process.type("q")
    #expect(try await process.waitForExit() == .exited(0))
    requireRestored(process)
    #expect(!process.output.contains("seen"))
    #expect(try folder.read("log") == Array("Number 9\nNumber 8\n".utf8))
  }

  @Test func `remove, undo and star change the library`() async throws {
    let process = try start([feed])
    try await process.waitForScreen("the episodes are listed") { $0.text.contains("Number 9") }
    process.type("d")
    try await process.waitForScreen("it is complete") { $0.lines[3].hasSuffix("complete") }
    process.type("x")
    try await process.waitForScreen("it is removed") { screen in
      screen.lines[3].hasSuffix("removed") && screen.lines[23].contains("u restores it")
    }
    #expect(!folder.files.contains("library/The Feed/2024-01-09 - Number 9.mp3"))
    process.type("u")
    try await process.waitForScreen("it is back") { screen in
      screen.lines[3].hasSuffix("complete") && screen.lines[23] == " Restored: Number 9"
    }
    #expect(folder.files.contains("library/The Feed/2024-01-09 - Number 9.mp3"))
    process.type("s")
    try await process.waitForScreen("it is starred") { $0.lines[3].contains("★") }
    process.type("S")
    try await process.waitForScreen("it is followed") { $0.lines[1].contains("[subscribed]") }
    process.type("\u{1B}")
    try await process.waitForScreen("the subscriptions are shown") {
      $0.lines[1].hasPrefix(" Subscriptions") && $0.lines[3].contains("The Feed")
    }
    process.type("q")
    #expect(try await process.waitForExit() == .exited(0))
    let starred = try await RunningProcess(
      .podget, ["list", "--starred"], environment: environment, folder: folder.path
    ).waitForExit()
    #expect(starred.output.contains("Number 9"))
  }

  @Test func `a library that cannot be opened is the answer to everything`() async throws {
    try folder.write("library", "a file")
    let process = try start()
    let reason = "Cannot open the library"
    try await process.waitForScreen("it is said") { $0.lines[3].contains(reason) }
    process.type("awords\r")
    try await process.waitForScreen("the search ends") { screen in
      screen.lines[1].contains("Search: words") && screen.lines[3].contains(reason)
    }
    process.type("q")
    #expect(try await process.waitForExit() == .exited(0))
  }

  @Test func `the player gets an absolute path`() async throws {
    _ = try program(
      "bin/mpv", "#!/bin/sh\nfor word; do last=$word; done\necho \"$last\" >played\n")
    let process = try PseudoTerminalProcess(
      .podget, ["browse", feed, "--library", "my: library"],
      environment: environment.merging(["PATH": "\(folder.path("bin")):/usr/bin:/bin"]) { $1 },
      folder: folder.path)
    try await process.waitForScreen("the episodes are listed") { $0.text.contains("Number 9") }
    process.type("d")
    try await process.waitForScreen("it is complete") { $0.lines[3].hasSuffix("complete") }
    process.type("o")
    let path = folder.path("my: library/The Feed/2024-01-09 - Number 9.mp3")
    try await waitUntil("it is played") {
      (try? String(contentsOfFile: folder.path("played"), encoding: .utf8)) == path + "\n"
    }
    process.type("q")
    #expect(try await process.waitForExit() == .exited(0))
  }

  @Test func `the bytes of a partial episode are deleted, and cannot be restored`() async throws {
    host.mediaRate = 2000
    let process = try start([feed])
    try await process.waitForScreen("the episodes are listed") { $0.text.contains("Number 9") }
    process.type("d")
    try await process.waitForScreen("some of it has arrived") { screen in
      screen.lines[3].hasSuffix("%") && !screen.lines[3].hasSuffix(" 0%")
    }
    process.type("c")
    try await process.waitForScreen("it is partial") { $0.lines[3].contains("partial ") }
    process.type("x")
    try await process.waitForScreen("it asks") { $0.text.contains("Remove it and delete the ") }
    #expect(folder.files.contains { $0.hasPrefix("library/.podget/partial/") })
    process.type("y")
    try await process.waitForScreen("it is removed") { screen in
      screen.lines[3].hasSuffix("removed") && screen.lines[23] == " Deleted."
    }
    process.type("u")
    try await process.waitForScreen("it says so") {
      $0.lines[23] == " The last change cannot be undone."
    }
    #expect(!folder.files.contains { $0.hasPrefix("library/.podget/partial/") })
    process.type("q")
    #expect(try await process.waitForExit() == .exited(0))
  }

  @Test func `what has failed for good is so in the next screen, and a key tries it again`()
    async throws
  {
    host.missingMedia = [9]
    var process = try start([feed, "--images", "none"])
    try await process.waitForScreen("the episodes are listed") { $0.text.contains("Number 9") }
    process.type("d")
    try await process.waitForScreen("it has failed") { $0.lines[3].hasSuffix("failed") }
    process.type("q")
    #expect(try await process.waitForExit() == .exited(0))
    process = try start(["--images", "none"])
    process.type("\t\t\t")
    try await process.waitForScreen("it is there as failed") { screen in
      screen.lines.contains { $0.contains("Number 9") && $0.hasSuffix("failed") }
    }
    host.missingMedia = []
    process.type("jd")
    try await process.waitForScreen("it has not failed") { !$0.text.contains("failed") }
    process.type("\u{1B}[Z\u{1B}[Z")
    try await process.waitForScreen("it is complete") { screen in
      screen.lines.contains { $0.contains("Number 9") && $0.hasSuffix("complete") }
    }
    process.type("q")
    #expect(try await process.waitForExit() == .exited(0))
  }

  @Test func `the downloads of a sync are seen as they grow, and it can be stopped`() async throws {
    try await podget("subscribe", feed, "--name", "radio", "--latest", "1")
    host.mediaRate = 1000
    let process = try start(["--images", "none"])
    try await process.waitForScreen("the podcast is there") { $0.lines[3].contains("The Feed") }
    process.type("C")
    try await process.waitForScreen("nothing runs") {
      $0.lines[23] == " Nothing is being downloaded."
    }
    process.type("y\t\t\t")
    var seen: Set<String> = []
    try await process.waitForScreen("it grows") { screen in
      let row = screen.lines.first { $0.contains("Number 9") && $0.contains("partial ") }
      if let row { seen.insert(row) }
      return seen.count > 2
    }
    process.type("C")
    try await process.waitForScreen("it is stopped") {
      $0.lines[23] == " The check is stopped; what arrived is kept."
    }
    #expect(!folder.files.contains { $0.hasSuffix(".mp3") })
    process.type("q")
    #expect(try await process.waitForExit() == .exited(0))
  }

  @Test func `a feed that wants a login says how to give one`() async throws {
    host["/feed.xml"] = .error(401)
    let process = try start([feed], columns: 120)
    try await process.waitForScreen("it is said") {
      $0.text.contains("podget subscribe with --user and --password-command")
    }
    process.type("q")
    #expect(try await process.waitForExit() == .exited(0))
  }

  @Test func `a subscription's settings hold as in a sync`() async throws {
    var items = (1...9).reversed().map { FeedHost.Item($0) }
    items[0].extra =
      "<podcast:chapters url=\"\(host.origin)/chapters.json\" type=\"application/json+chapters\"/>"
    host["/feed.xml"] = FeedHost.Feed(items)
    host["/chapters.json"].body =
      #"{"version": "1.2.0", "chapters": [{"startTime": 0, "title": "Intro"}]}"#
    let settings = [
      "--user-agent", "Agent/7", "--folder", "Late Radio", "--template", "{podcast}/{title}.{ext}",
    ]
    let followed = try await RunningProcess(
      .podget, ["subscribe", feed, "--name", "radio"] + settings, environment: environment,
      folder: folder.path
    ).waitForExit()
    #expect(followed.status == .exited(0))
    let others = ["--user-agent", "Other/1", "--template", "{podcast}/{date}.{ext}"]
    for (arguments, number, agent, file) in [
      ([], 9, "Agent/7", "Late Radio/Number 9.mp3"),
      (others, 8, "Other/1", "Late Radio/2024-01-08.mp3"),
    ] {
      let begin = host.log.count
      let process = try start(["radio"] + arguments)
      // What the library has is there before the feed has answered.
      try await process.waitForScreen("the episodes are listed") {
        $0.lines[1].hasSuffix(" 9 episodes")
      }
      process.type(number == 9 ? "d" : "jd")
      try await process.waitForScreen("it is complete") {
        $0.lines[12 - number].hasSuffix("complete")
      }
      process.type("\u{1B}[Hi")
      try await process.waitForScreen("it has chapters") { $0.text.contains("Notes  Chapters") }
      process.type("\t")
      try await process.waitForScreen("they are read") { $0.text.contains("Intro") }
      process.type("qq")
      #expect(try await process.waitForExit() == .exited(0))
      let asked = host.log[begin...]
      #expect(asked.count >= 3 && asked.allSatisfy { $0.request.first("User-Agent") == agent })
      #expect(folder.files.contains("library/" + file))
    }
  }

  @Test(arguments: [true, false])
  func `what belongs beside an episode is stored as by a download`(isFollowed: Bool) async throws {
    var item = FeedHost.Item(1)
    item.extra = "<description>Words of the feed.</description>"
    host["/feed.xml"] = FeedHost.Feed([item])
    if isFollowed { try await podget("subscribe", feed, "--name", "radio", "--with", "notes") }
    let process = try start(
      [isFollowed ? "radio" : feed], adding: isFollowed ? [:] : ["PODGET_WITH": "notes"])
    try await process.waitForScreen("the episode is listed") { $0.text.contains("Number 1") }
    process.type("d")
    try await process.waitForScreen("it is complete") { $0.lines[3].hasSuffix("complete") }
    process.type("q")
    #expect(try await process.waitForExit() == .exited(0))
    let notes = try folder.read("library/The Feed/2024-01-01 - Number 1.md")
    #expect(String(decoding: notes, as: UTF8.self) == "Words of the feed.\n")
  }

  @Test func `keys for an episode do not wait for a server that is asked for another thing`()
    async throws
  {
    let process = try start([feed])
    try await process.waitForScreen("the episodes are listed") { $0.text.contains("Number 9") }
    host["/feed.xml"].isHeld = true
    let asked = host.feedRequests.count
    process.type("S")
    try await waitUntil("the feed is asked") { host.feedRequests.count > asked }
    process.type("d")
    try await process.waitForScreen("it is complete") { $0.lines[3].hasSuffix("complete") }
    process.type("ss")
    process.type("s")
    try await process.waitForScreen("it is starred") { $0.lines[3].contains("★") }
    #expect(!process.screen.lines[1].contains("[subscribed]"))
    host["/feed.xml"].isHeld = false
    try await process.waitForScreen("it is followed") { $0.lines[1].contains("[subscribed]") }
    process.type("q")
    #expect(try await process.waitForExit() == .exited(0))
  }

  @Test func `keys of one burst act one after the other, and before the end`() async throws {
    let process = try start([feed])
    try await process.waitForScreen("the episodes are listed") { $0.text.contains("Number 9") }
    process.type("d")
    try await process.waitForScreen("it is complete") { $0.lines[3].hasSuffix("complete") }
    process.type("ssmmssxum")
    try await process.waitForScreen("it is there, and played") { screen in
      screen.lines[3].hasSuffix("played") && !screen.lines[3].contains("★")
    }
    process.type("sxxuxuq")
    #expect(try await process.waitForExit() == .exited(0))
    #expect(folder.files.contains("library/The Feed/2024-01-09 - Number 9.mp3"))
    let list = try await RunningProcess(
      .podget, ["list", "--starred", "--json"], environment: environment, folder: folder.path
    ).waitForExit()
    #expect(list.output.contains("Number 9") && list.output.contains("\"played\":true"))
  }

  @Test func `what other podgets change is shown without a key`() async throws {
    try await podget("subscribe", feed, "--name", "radio", "--latest", "3")
    try await podget("sync")
    let process = try start(["--images", "none"])
    try await process.waitForScreen("the podcast is there") { $0.lines[3].contains("The Feed") }
    process.type("\t\t")
    try await process.waitForScreen("what is new") { $0.lines[1].hasSuffix(" 3 episodes") }
    try await podget("mark", "--played", "Number 9")
    try await process.waitForScreen("one is played") { $0.lines[1].hasSuffix(" 2 episodes") }
    process.type("\t\t")
    try await process.waitForScreen("the podcast has two") { $0.lines[3].hasSuffix(" 2 new") }
    host["/other.xml"] = FeedHost.Feed(title: "Other", [FeedHost.Item(21)])
    try await podget("subscribe", "\(host.origin)/other.xml", "--name", "other")
    try await process.waitForScreen("it is listed") { $0.lines[1].hasSuffix(" 2 podcasts") }
    try await podget("sync", "other")
    try await process.waitForScreen("it has a new one") { screen in
      screen.lines.contains { $0.contains("Other") && $0.hasSuffix(" 1 new") }
    }
    process.type("\t")
    try await process.waitForScreen("the library has it") { $0.text.contains("Number 21") }
    // Its folder is known by now.
    try await podget("remove", "--source", "other", "--all")
    try await process.waitForScreen("it is gone") { !$0.text.contains("Number 21") }
    process.type("q")
    #expect(try await process.waitForExit() == .exited(0))
  }

  @Test func `one request runs and one waits, however often a key is pressed`() async throws {
    let process = try start([feed])
    try await process.waitForScreen("the episodes are listed") { $0.text.contains("Number 9") }
    host["/feed.xml"].isHeld = true
    let asked = host.feedRequests.count
    process.type("rrrrr")
    try await waitUntil("the feed is asked") { host.feedRequests.count > asked }
    process.type("rrS")
    try await waitUntil("it is asked for the subscription") { host.feedRequests.count > asked + 1 }
    host["/feed.xml"].isHeld = false
    try await process.waitForScreen("it is followed") { $0.lines[1].contains("[subscribed]") }
    process.type("j")
    process.type("d")
    try await process.waitForScreen("it is complete") { $0.lines[4].hasSuffix("complete") }
    // The first one, the one that waited, and that of the subscription.
    #expect(host.feedRequests.count - asked == 3)
    process.type("q")
    #expect(try await process.waitForExit() == .exited(0))
  }

  @Test func `details of the library's episodes read a feed once`() async throws {
    var items = (1...9).reversed().map { FeedHost.Item($0) }
    for place in items.indices {
      items[place].extra = "<description>Words of \(items[place].number)</description>"
    }
    host["/feed.xml"] = FeedHost.Feed(items)
    try await podget("subscribe", feed, "--latest", "2")
    try await podget("sync")
    let process = try start()
    process.type("\t")
    try await process.waitForScreen("the library") { $0.lines[1].hasSuffix(" 2 episodes") }
    let asked = host.feedRequests.count
    for (key, words) in [("i", "Words of 9"), ("qji", "Words of 8"), ("qki", "Words of 9")] {
      process.type(key)
      try await process.waitForScreen("its details") { $0.text.contains(words) }
    }
    #expect(host.feedRequests.count == asked + 1)
    // The open podcast is asked with the version that was read.
    process.type("q\t\t\t\r")
    try await process.waitForScreen("the podcast is current") {
      $0.lines[1].hasSuffix(" 9 episodes")
    }
    #expect(host.feedRequests.last?.status == 304)
    process.type("q")
    #expect(try await process.waitForExit() == .exited(0))
  }

  @Test func `an open podcast shows what was listed before, and its feed is not read again`()
    async throws
  {
    let steps = [["subscribe", feed, "--name", "radio"], ["sync", "--latest", "1"]]
    for arguments in steps {
      let done = try await RunningProcess(
        .podget, arguments, environment: environment, folder: folder.path
      ).waitForExit()
      #expect(done.status == .exited(0))
    }
    // While the server does not answer, the list is there, and episodes of it can be downloaded.
    host["/feed.xml"].isHeld = true
    var process = try start(["radio"])
    try await process.waitForScreen("the episodes are listed") { screen in
      screen.lines.count { $0.contains("Number ") } == 9
        && screen.lines[1].hasSuffix("9 episodes, asking the feed")
    }
    #expect(process.screen.lines[3].hasSuffix("complete"))
    process.type("jd")
    try await process.waitForScreen("it is complete") { $0.lines[4].hasSuffix("complete") }
    host["/feed.xml"].isHeld = false
    try await process.waitForScreen("the feed has answered") {
      $0.lines[1].hasSuffix(" 9 episodes")
    }
    #expect(host.feedRequests.last?.status == 304)
    // In the same run, what is new is read.
    host["/feed.xml"] = FeedHost.Feed((1...10).reversed().map { FeedHost.Item($0) })
    process.type("r")
    try await process.waitForScreen("the new one is there") { $0.lines[3].contains("Number 10") }
    process.type("r")
    try await waitUntil("it is unchanged") { host.feedRequests.last?.status == 304 }
    process.type("q")
    #expect(try await process.waitForExit() == .exited(0))
    host.stop()
    process = try start(["radio", "--retries", "0"])
    try await process.waitForScreen("the list is there, and why it is old") { screen in
      screen.lines.count { $0.contains("Number ") } == 9
        && screen.lines[1].hasSuffix("as listed before")
        && screen.text.contains("This is what was listed before.")
    }
    process.type("q")
    #expect(try await process.waitForExit() == .exited(0))
  }

  @Test func `u follows again what U has ended, with its settings`() async throws {
    try await podget("subscribe", feed, "--name", "radio", "--latest", "3", "--folder", "Mine")
    let before = try await podget("subscriptions", "--json")
    let process = try start(["--images", "none"])
    try await process.waitForScreen("the podcast is there") { $0.lines[3].contains("The Feed") }
    process.type("Uy")
    try await process.waitForScreen("it is gone") { $0.text.contains("is no longer followed") }
    #expect(try await podget("subscriptions", "--json") == "[]\n")
    process.type("u")
    try await process.waitForScreen("it is there again") { screen in
      screen.text.contains("The Feed is followed again, with its settings.")
        && screen.lines[3].contains("The Feed")
    }
    #expect(try await podget("subscriptions", "--json") == before)
    process.type("q")
    #expect(try await process.waitForExit() == .exited(0))
  }

  @Test func `a name that another podcast has by now shows that podcast`() async throws {
    host["/other.xml"] = FeedHost.Feed(
      title: "Other", (21...22).reversed().map { FeedHost.Item($0) })
    try await podget("subscribe", feed, "--name", "radio")
    let process = try start(["--images", "none"])
    try await process.waitForScreen("the podcast is there") { $0.lines[3].contains("The Feed") }
    process.type("\r")
    try await process.waitForScreen("its episodes are listed") { $0.text.contains("Number 9") }
    process.type("\u{1B}")
    try await process.waitForScreen("the podcasts are listed") { $0.lines[1].contains("1 podcast") }
    try await podget("unsubscribe", "radio")
    try await podget("subscribe", "\(host.origin)/other.xml", "--name", "radio")
    process.type("r")
    try await process.waitForScreen("the other one is there") { $0.lines[3].contains("Other") }
    process.type("\r")
    try await process.waitForScreen("its episodes are listed") {
      $0.lines[3].contains("Number 22") && $0.lines[1].hasSuffix(" 2 episodes")
    }
    #expect(!process.screen.text.contains("Number 9"))
    let request = host.feedRequests.last { $0.path == "/other.xml" }?.request
    #expect(request != nil && request?.first("If-None-Match") == nil)
    process.type("q")
    #expect(try await process.waitForExit() == .exited(0))
  }

  @Test func `the tab New has what podget new lists, and its keys work`() async throws {
    host["/feed.xml"] = FeedHost.Feed((1...7).reversed().map { FeedHost.Item($0) })
    try await podget("subscribe", feed, "--name", "radio", "--latest", "1", "--max-new", "1")
    try await podget("sync")
    host["/feed.xml"] = FeedHost.Feed((1...9).reversed().map { FeedHost.Item($0) })
    // Both new ones wait.
    try await podget("sync")
    let process = try start(["--images", "none"])
    try await process.waitForScreen("the podcast is there") { $0.lines[3].contains("The Feed") }
    process.type("\t\t")
    try await process.waitForScreen("what is new") { screen in
      screen.lines[1].hasPrefix(" New ") && screen.lines[1].hasSuffix(" 3 episodes")
    }
    let listed = try await podget("new")
    let titles = ["Number 9", "Number 8", "Number 7"]
    #expect(titles.allSatisfy { listed.contains($0) })
    for (place, title) in titles.enumerated() {
      #expect(process.screen.lines[3 + place].contains(title))
    }
    process.type("jd")
    try await process.waitForScreen("it is complete") { $0.lines[4].hasSuffix("complete") }
    process.type("m")
    try await process.waitForScreen("it is no longer new") { screen in
      screen.lines[1].hasSuffix(" 2 episodes") && !screen.text.contains("Number 8")
    }
    process.type("\u{1B}[B\u{1B}[Bx")
    try await process.waitForScreen("the removed one is not either") { screen in
      screen.lines[1].hasSuffix(" 1 episode") && screen.text.contains("Number 9")
    }
    process.type("\t\t")
    try await process.waitForScreen("its podcast has the number") { $0.text.contains("1 new") }
    process.type("q")
    #expect(try await process.waitForExit() == .exited(0))
    let rest = try await podget("new")
    #expect(rest.contains("Number 9") && !rest.contains("Number 8") && !rest.contains("Number 7"))
  }

  @Test func `a paused episode is resumed`() async throws {
    let server = try PodcastServer([PodcastServer.Episode(1, "One", size: 400_000)])
    server.hold = 100_000
    let process = try start(
      ["\(PodcastServer.id)", "--images", "none"], adding: ["PODGET_ITUNES_URL": server.origin])
    try await process.waitForScreen("the episode is listed") { $0.text.contains("One") }
    process.type("d")
    try await process.waitForScreen("it runs") { $0.lines[0].contains("1 running") }
    process.type("p")
    try await process.waitForScreen("it is paused") { $0.lines[0].contains("1 paused") }
    server.hold = nil
    process.type("p")
    try await process.waitForScreen("it is complete") { $0.lines[3].hasSuffix("complete") }
    process.type("q")
    #expect(try await process.waitForExit() == .exited(0))
  }

  @Test func `what was removed is listed, restored and deleted`() async throws {
    let process = try start([feed, "--images", "none"])
    try await process.waitForScreen("the episodes are listed") { $0.text.contains("Number 9") }
    process.type("djdjd")
    try await process.waitForScreen("they are complete") { screen in
      screen.lines[3...5].allSatisfy { $0.hasSuffix("complete") }
    }
    process.type("v\u{1B}[A\u{1B}[Axy")
    try await process.waitForScreen("they are removed") {
      $0.text.contains("3 episodes are removed")
    }
    process.type("T")
    try await process.waitForScreen("the trash has them") { screen in
      screen.lines[1].hasPrefix(" Trash") && screen.lines[1].contains(" 3 files, ")
    }
    process.type("fNumber 8\rR")
    try await process.waitForScreen("one is restored") { screen in
      screen.text.contains("Restored: Number 8") && screen.lines[1].contains(" 0 of 2")
    }
    #expect(folder.files.contains("library/The Feed/2024-01-08 - Number 8.mp3"))
    process.type("u")
    try await process.waitForScreen("it is there again") { $0.lines[1].contains(" 1 of 3") }
    process.type("xy")
    try await process.waitForScreen("it is deleted") { screen in
      screen.text.contains("1 file deleted") && screen.lines[1].contains(" 0 of 2")
    }
    process.type("\u{1B}")
    try await process.waitForScreen("the others are there") { $0.lines[1].contains(" 2 files, ") }
    process.type("X")
    try await process.waitForScreen("it asks") { $0.text.contains("Delete 2 files (") }
    process.type("y")
    try await process.waitForScreen("it is empty") { $0.lines[3].contains("The trash is empty.") }
    process.type("q")
    #expect(try await process.waitForExit() == .exited(0))
    #expect(!folder.files.contains { $0.hasPrefix("library/.podget/trash/") })
  }

  @Test func `settings of a podcast are those of podget subscribe`() async throws {
    try await podget("subscribe", feed, "--name", "radio", "--all")
    let process = try start(["--images", "none"])
    try await process.waitForScreen("the podcast is there") { $0.lines[3].contains("The Feed") }
    process.type("e")
    try await process.waitForScreen("its settings") { screen in
      screen.lines[1] == " Settings of The Feed" && screen.lines[3].contains("Not checked yet")
        && screen.lines[4].contains("latest") && screen.lines[5].contains("true")
    }
    // A number takes the place of all, as in podget subscribe.
    process.type("\r7\r")
    try await process.waitForScreen("it is changed") { screen in
      screen.text.contains("latest is now 7; u takes that back.") && screen.lines[4].hasSuffix(" 7")
        && !screen.lines[5].contains("true")
    }
    process.type("\rx\r")
    try await process.waitForScreen("a wrong one is refused") { screen in
      screen.text.contains("latest is not changed. \"7x\" is not a number")
        && screen.lines[4].hasSuffix(" 7")
    }
    process.type("u")
    try await process.waitForScreen("it is taken back, with what it changed besides") { screen in
      screen.text.contains("all is now true, latest is not set any more.")
        && screen.lines[5].contains("true")
    }
    // Another podget changes a setting after this one has.
    process.type("\r8\r")
    try await process.waitForScreen("it is changed again") { $0.lines[4].hasSuffix(" 8") }
    try await podget("subscribe", "radio", "--latest", "9")
    try await process.waitForScreen("the page shows that") { $0.lines[4].hasSuffix(" 9") }
    process.type("u")
    try await process.waitForScreen("what the other one said stays") { screen in
      screen.text.contains("latest was changed elsewhere: it is 9. Nothing is changed.")
        && screen.lines[4].hasSuffix(" 9")
    }
    process.type("G\u{1B}[Hq")
    try await process.waitForScreen("the list is back") { $0.lines[1].hasPrefix(" Subscriptions") }
    process.type("e")
    try await process.waitForScreen("the settings again") { $0.lines[4].contains("latest") }
    process.type(String(repeating: "j", count: 20))
    try await process.waitForScreen("paused is selected") {
      $0.text.contains("whether podget sync")
    }
    process.type("\r")
    try await process.waitForScreen("it rests") { $0.text.contains("paused is now true") }
    process.type("qq")
    #expect(try await process.waitForExit() == .exited(0))
    let list = try await podget("subscriptions", "--json")
    #expect(list.contains("paused") && !list.contains("\"latest\":\"7\""))
  }

  @Test func `without a trash a removed episode is gone`() async throws {
    let process = try start([feed, "--trash-days", "0"])
    try await process.waitForScreen("the episodes are listed") { $0.text.contains("Number 9") }
    process.type("d")
    try await process.waitForScreen("it is complete") { $0.lines[3].hasSuffix("complete") }
    process.type("x")
    try await process.waitForScreen("it asks") { $0.text.contains("Remove it and delete the ") }
    process.type("y")
    try await process.waitForScreen("it is deleted") { $0.lines[23] == " Deleted." }
    process.type("u")
    try await process.waitForScreen("it says so") {
      $0.lines[23] == " The last change cannot be undone."
    }
    process.type("q")
    #expect(try await process.waitForExit() == .exited(0))
  }

  @Test func `what the trash has lost is not tried for ever`() async throws {
    let process = try start([feed])
    try await process.waitForScreen("the episodes are listed") { $0.text.contains("Number 9") }
    process.type("d")
    try await process.waitForScreen("it is complete") { $0.lines[3].hasSuffix("complete") }
    process.type("x")
    try await process.waitForScreen("it is removed") { $0.lines[23].contains("u restores it") }
    try FileManager.default.removeItem(atPath: folder.path("library/.podget/trash"))
    process.type("u")
    try await process.waitForScreen("it is not there") { $0.text.contains("not in the trash") }
    process.type("u")
    try await process.waitForScreen("it is not tried again") {
      $0.lines[23] == " The last change cannot be undone."
    }
    process.type("q")
    #expect(try await process.waitForExit() == .exited(0))
  }

  @Test func `Esc is a key while downloads report progress`() async throws {
    // So many that there is hardly a moment without an event.
    host["/feed.xml"] = FeedHost.Feed((1...30).reversed().map { FeedHost.Item($0) })
    host.mediaRate = 1000
    let process = try start([feed, "--jobs", "30"], rows: 40)
    try await process.waitForScreen("the episodes are listed") { $0.text.contains("Number 9") }
    process.type("D")
    try await process.waitForScreen("it asks") { $0.text.contains("Download 30 episodes") }
    process.type("y")
    try await process.waitForScreen("they run") { $0.lines[0].contains("30 running") }
    process.type("\u{1B}")
    try await process.waitForScreen("the podcast is left") { $0.lines[1].hasPrefix(" Subscript") }
    #expect(process.screen.lines[0].contains("30 running"))
    process.type("q")
    #expect(try await process.waitForExit() == .exited(0))
  }

  @Test func `a paste that halts is one paste, whatever happens meanwhile`() async throws {
    let process = try start([feed])
    try await process.waitForScreen("the episodes are listed") { $0.text.contains("Number 9") }
    process.type("a\u{1B}[200~one ")
    for columns in 81...95 {
      process.resize(columns: columns, rows: 24)
      try await process.waitForScreen("it is drawn again") { screen in
        screen.lines[2] == String(repeating: "─", count: columns)
      }
    }
    process.type("two\u{1B}[201~")
    try await process.waitForScreen("it is complete") { $0.lines[23].hasSuffix("two") }
    #expect(process.screen.lines[23] == " Search: one two")
    process.type("\u{1B}")
    try await process.waitForScreen("the prompt is closed") { !$0.lines[23].contains("two") }
    process.type("q")
    #expect(try await process.waitForExit() == .exited(0))
  }

  @Test func `a terminal that takes no output is restored all the same`() async throws {
    let process = try start([feed], columns: 200, rows: 50)
    try await process.waitForScreen("the episodes are listed") { $0.text.contains("Number 9") }
    process.takesOutput = false
    var columns = 200
    try await waitUntil("the terminal is full") {
      // Each size is a frame from nothing.
      columns = columns == 200 ? 199 : 200
      process.resize(columns: columns, rows: 50)
      process.type("?")
      return process.isFull
    }
    process.signal(SIGTERM)
    try await waitUntil("podget has ended") { !process.isRunning }
    process.takesOutput = true
    #expect(try await process.waitForExit() == .exited(143))
    requireRestored(process)
  }

  @Test func `one check of feeds runs, and ends with the screen`() async throws {
    try await podget("subscribe", feed, "--latest", "1")
    host.isMediaHeld = true
    let process = try start(["--images", "none"])
    try await process.waitForScreen("the podcast is there") { $0.lines[3].contains("The Feed") }
    process.type("y")
    try await process.waitForScreen("it says what it does") {
      $0.lines[23] == " Checking the feed; new episodes are downloaded."
    }
    process.type("y")
    try await process.waitForScreen("one is enough") {
      $0.lines[23] == " A check is running; C stops it."
    }
    try await waitUntil("the check runs") { isSyncing }
    process.type("q")
    #expect(try await process.waitForExit() == .exited(0))
    try await waitUntil("the check has ended") { !isSyncing }
    host.isMediaHeld = false
  }

  /// Whether `podget sync` runs for the library.
  private var isSyncing: Bool {
    let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return processes.contains { process in
      guard let words = FileManager.default.contents(atPath: "/proc/\(process)/cmdline")
      else { return false }
      let text = String(decoding: words, as: UTF8.self).split(separator: "\0")
      return text.contains("sync") && text.contains { $0 == folder.path("library") }
    }
  }

  @Test func `SIGHUP for all processes ends it once, as one does`() async throws {
    host.isMediaHeld = true
    let process = try start([feed])
    try await process.waitForScreen("the episodes are listed") { $0.text.contains("Number 9") }
    process.type("D")
    try await process.waitForScreen("two run") { $0.lines[0].contains("2 running") }
    // podget sends it to the program again.
    kill(-process.pid, SIGHUP)
    #expect(try await process.waitForExit() == .exited(129))
    requireRestored(process)
    // If the signal had killed the program, podget would have restored the screen once more.
    #expect(process.output.ranges(of: "\u{1B}[?1049l").count == 1)
    host.isMediaHeld = false
  }

  @Test func `keys are answered while downloads and feeds wait`() async throws {
    host.isMediaHeld = true
    let process = try start([feed])
    try await process.waitForScreen("the episodes are listed") { $0.text.contains("Number 9") }
    process.type("D")
    try await process.waitForScreen("two run, the others wait") {
      $0.lines[0].contains("2 running, 7 queued")
    }
    host["/feed.xml"].isHeld = true
    process.type("r")
    process.type("f5")
    try await process.waitForScreen("the filter is applied") { screen in
      screen.lines.count { $0.contains("Number ") } == 1
    }
    process.type("\rc")
    try await process.waitForScreen("one is cancelled") { $0.lines[0].contains("6 queued") }
    process.resize(columns: 40, rows: 12)
    try await process.waitForScreen("it is drawn again") { screen in
      screen.lines.count == 12 && screen.lines[11].hasPrefix(" ? help")
    }
    process.type("\u{03}")
    #expect(try await process.waitForExit() == .exited(130))
    requireRestored(process)
    host["/feed.xml"].isHeld = false
    host.isMediaHeld = false
  }

  @Test(arguments: [(SIGKILL, 1), (SIGSEGV, 1), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)])
  func `the terminal is usable whatever the program died of`(
    signal: Int32, status: Int32
  ) async throws {
    let process = try start([feed])
    try await process.waitForScreen("the episodes are listed") { $0.text.contains("Number 9") }
    kill(try process.startedProgram(), signal)
    #expect(try await process.waitForExit() == .exited(status))
    requireRestored(process)
  }

  @Test func `Ctrl-Z gives the terminal to the shell, and fg takes it back`() async throws {
    let shell = try PseudoTerminalProcess(
      "/bin/bash", ["--norc", "--noprofile", "-i"], environment: environment, folder: folder.path)
    shell.type("'\(BuiltBinary.podget.path)' browse '\(feed)'\r")
    try await shell.waitForScreen("the episodes are listed") { $0.text.contains("Number 9") }
    for round in 1...3 {
      shell.type("\u{1A}")
      try await waitUntil("the shell says so") {
        shell.output.ranges(of: "Stopped  ").count == round
      }
      shell.type("fg\r")
      try await waitUntil("the screen is used again") {
        let output = shell.output
        let stopped = output.ranges(of: "Stopped  ").last?.upperBound ?? output.startIndex
        return output[stopped...].contains("\u{1B}[?1000h\u{1B}[?1006h")
      }
      let parts = shell.output.split(separator: "Stopped  ")
      #expect(parts[round - 1].contains("\u{1B}[?1000l"))
      shell.type("\t")
      try await shell.waitForScreen("keys work") {
        $0.lines[1].hasPrefix([" Library", " New", " Downloads"][round - 1])
      }
    }
    shell.type("q")
    try await waitUntil("the screen is left") {
      shell.output.split(separator: "\u{1B}[?1049h").last?.contains("\u{1B}[?1049l") == true
    }
  }

  @Test func `a private feed is read with the login of its subscription`() async throws {
    host.authorization = "Basic \(Data("ann:secret".utf8).base64EncodedString())"
    let script = try program(
      "password",
      """
      #!/bin/sh
      echo run >>"$HOME/runs"
      echo "the key is locked" >&2
      { echo "the key is locked" >/dev/tty; } 2>/dev/null && echo tty >>"$HOME/runs"
      read -r line && echo input >>"$HOME/runs"
      echo secret
      """)
    let subscribed = try await RunningProcess(
      .podget,
      ["subscribe", feed, "--name", "private", "--user", "ann", "--password-command", script],
      environment: environment, folder: folder.path
    ).waitForExit()
    #expect(subscribed.status == .exited(0))
    try FileManager.default.removeItem(atPath: folder.path("runs"))

    let process = try start()
    try await process.waitForScreen("it is listed") { $0.lines[3].contains("The Feed") }
    process.type("\r")
    try await process.waitForScreen("the episodes are listed") { $0.text.contains("Number 9") }
    process.type("d")
    try await process.waitForScreen("it is complete") { $0.lines[3].hasSuffix("complete") }
    #expect(!process.output.contains("locked"))
    #expect(try String(contentsOfFile: folder.path("runs"), encoding: .utf8) == "run\n")
    process.type("q")
    #expect(try await process.waitForExit() == .exited(0))
  }

  @Test func `an episode of a private feed is continued from the library`() async throws {
    host.authorization = "Basic \(Data("ann:secret".utf8).base64EncodedString())"
    let script = try program("password", "#!/bin/sh\necho secret\n")
    for arguments in [
      ["subscribe", feed, "--user", "ann", "--password-command", script],
      ["download", feed, "--latest", "1", "--user", "ann", "--password-command", script],
    ] {
      host.isMediaHeld = true
      let process = try RunningProcess(
        .podget, arguments, environment: environment, folder: folder.path)
      if arguments[0] == "download" {
        try await waitUntil("it is asked for") { host.mediaRequests == [9] }
        process.signal(SIGTERM)
      }
      _ = try await process.waitForExit()
      host.isMediaHeld = false
    }
    let process = try start()
    process.type("\t")
    try await process.waitForScreen("the library is shown") { $0.lines[3].contains("Number 9") }
    process.type("d")
    try await process.waitForScreen("it is complete") { $0.lines[3].hasSuffix("complete") }
    process.type("q")
    #expect(try await process.waitForExit() == .exited(0))
  }

  @Test func `chapters and transcript come with the login of the feed`() async throws {
    host.authorization = "Basic \(Data("ann:secret".utf8).base64EncodedString())"
    let other = try FeedHost(["/words.vtt": Self.document("WEBVTT\n\n00:01.000 --> 00:02.000\nHi")])
    var item = FeedHost.Item(1)
    item.extra = """
      <podcast:chapters url="/chapters.json" type="application/json+chapters"/>
      <podcast:transcript url="\(other.origin)/words.vtt" type="text/vtt"/>
      """
    host["/feed.xml"] = FeedHost.Feed([item])
    host["/chapters.json"] = Self.document("<html>")
    let address = feed.replacing("http://", with: "http://ann:secret@")
    let process = try start([address])
    try await process.waitForScreen("the episode is listed") { $0.text.contains("Number 1") }
    process.type("\r")
    try await process.waitForScreen("its pages are named") { screen in
      screen.lines[3] == "  Notes  Chapters  Transcript"
        && screen.text.contains("Chapters: \(host.origin)/chapters.json")
    }
    process.type("\t")
    try await process.waitForScreen("the failure is named") { screen in
      screen.lines[4] == " There is a web page instead of the chapters."
    }
    host["/chapters.json"] = Self.document(
      "{\"chapters\":[{\"startTime\":0,\"title\":\"Intro\"},{\"startTime\":65,\"title\":\"B\"}]}")
    host["/chapters.json"].isHeld = true
    process.type("r")
    try await process.waitForScreen("they are awaited") { $0.lines[4].hasPrefix(" Reading") }
    // A key does not wait for them.
    process.type("\t")
    try await process.waitForScreen("the transcript is there") { $0.lines[4] == " 0:01  Hi" }
    host["/chapters.json"].isHeld = false
    process.type("\u{1B}[Z")
    try await process.waitForScreen("the chapters are there") { screen in
      screen.lines[4] == " 0:00  Intro" && screen.lines[5] == " 1:05  B"
    }
    // Read again, the feed names other addresses.
    item.title = "Number 2"
    item.extra = """
      <podcast:chapters url="/new.json" type="application/json+chapters"/>
      """
    host["/feed.xml"] = FeedHost.Feed([item])
    host["/new.json"] = Self.document("{\"chapters\":[{\"startTime\":0,\"title\":\"New\"}]}")
    process.type("\u{1B}")
    try await process.waitForScreen("the list is shown") { !$0.text.contains("Chapters") }
    process.type("r")
    try await process.waitForScreen("the feed is read again") { $0.text.contains("Number 2") }
    process.type("\r")
    try await process.waitForScreen("its pages are named") { $0.text.contains("Chapters") }
    process.type("\t")
    try await process.waitForScreen("the new chapters are there") { $0.lines[4] == " 0:00  New" }
    // The login is not for another host.
    #expect(other.log.count == 1 && other.log.first?.request.first("Authorization") == nil)
    // The first one closes the details.
    process.type("qq")
    #expect(try await process.waitForExit() == .exited(0))
  }

  private static func document(_ text: String) -> FeedHost.Feed {
    var document = FeedHost.Feed()
    document.body = text
    return document
  }

  @Test func `a planned episode without bytes is removed, and nothing downloads it`() async throws {
    host.isMediaHeld = true
    let download = try RunningProcess(
      .podget, ["download", feed, "--latest", "1"], environment: environment, folder: folder.path)
    try await waitUntil("it is asked for") { host.mediaRequests == [9] }
    download.signal(SIGTERM)
    _ = try await download.waitForExit()
    host.isMediaHeld = false
    let process = try start()
    process.type("\t")
    try await process.waitForScreen("the library is shown") { $0.lines[3].contains("Number 9") }
    process.type("x")
    try await process.waitForScreen("it is deleted") { $0.lines[23] == " Deleted." }
    try await process.waitForScreen("it is not listed") { !$0.text.contains("Number 9") }
    process.type("q")
    #expect(try await process.waitForExit() == .exited(0))
    #expect(!folder.files.contains { $0.hasPrefix("library/.podget/partial/") })
    for arguments in [["resume"], ["download", feed, "--latest", "1"]] {
      let later = try await RunningProcess(
        .podget, arguments, environment: environment, folder: folder.path
      ).waitForExit()
      #expect(later.status == .exited(0))
    }
    #expect(host.mediaRequests == [9])
  }

  @Test func `in Saved an episode has its own artwork`() async throws {
    var item = FeedHost.Item(1)
    item.extra = "<itunes:image href=\"/own.png\"/>"
    host["/feed.xml"] = FeedHost.Feed([item])
    host["/feed.xml"].head = "<itunes:image href=\"/show.png\"/>"
    try await podget("download", feed)
    let process = try start(["--images", "kitty"])
    process.type("\t")
    try await process.waitForScreen("the library is shown") { $0.lines[3].contains("Number 1") }
    process.type("i")
    try await waitUntil("its artwork is asked for") {
      host.feedRequests.contains { $0.path == "/own.png" }
    }
    #expect(!host.feedRequests.contains { $0.path == "/show.png" })
    process.type("\u{7F}q")
    #expect(try await process.waitForExit() == .exited(0))
  }

  @Test func `details say that the feed of Apple's podcast cannot be read`() async throws {
    var lookup = FeedHost.Feed()
    lookup.body = """
      {"resultCount":2,"results":[
      {"wrapperType":"track","kind":"podcast","collectionId":7,"collectionName":"The Show",
      "feedUrl":"\(host.origin)/gone.xml","trackCount":1},
      {"wrapperType":"podcastEpisode","kind":"podcast-episode","collectionId":7,"trackId":8,
      "trackName":"Number 1","releaseDate":"2024-01-01T06:00:00Z","trackTimeMillis":61000,
      "episodeUrl":"\(host.origin)/media/1.mp3"}]}
      """
    host["/lookup"] = lookup
    host["/gone.xml"] = .error(404)
    let process = try start(["7"])
    try await process.waitForScreen("the episode is listed") { $0.lines[3].contains("Number 1") }
    process.type("i")
    try await process.waitForScreen("what is known is shown, and the problem") { screen in
      Array(screen.lines[3...6]) == [" Number 1", " The Show", " 2024-01-01, 1:01", ""]
        && screen.lines[7].hasPrefix(" The podcast's feed cannot be read: ")
    }
    process.type("\u{7F}q")
    #expect(try await process.waitForExit() == .exited(0))
  }

  @Test func `the mouse is used while the screen is, unless the user wants it`() async throws {
    let process = try start([feed])
    try await process.waitForScreen("the episodes are listed") { $0.text.contains("Number 9") }
    process.type("\u{1B}[<0;9;6M\u{1B}[<0;9;6m\u{1B}[<0;9;6M")
    try await process.waitForScreen("the third one is open") { $0.lines[3] == " Number 7" }
    process.type("\u{1B}[<0;12;1M")
    try await process.waitForScreen("the library is shown") { $0.lines[1].hasPrefix(" Library") }
    process.type("q")
    #expect(try await process.waitForExit() == .exited(0))
    let output = process.output
    let on = try #require(output.ranges(of: "\u{1B}[?1000h\u{1B}[?1006h").last)
    #expect(output[on.upperBound...].contains("\u{1B}[?1000l"))

    let other = try start([feed, "--no-mouse"])
    try await other.waitForScreen("the episodes are listed") { $0.text.contains("Number 9") }
    other.type("q")
    #expect(try await other.waitForExit() == .exited(0))
    #expect(!other.output.contains("\u{1B}[?1000h"))
  }

  @Test func `without a terminal it says so and exits with 64`() async throws {
    let result = try await RunningProcess(
      .podget, ["browse"], environment: environment, folder: folder.path
    ).waitForExit()
    #expect(result.status == .exited(64))
    #expect(result.output.isEmpty)
    #expect(result.error.split(separator: "\n").count == 1)
  }

  @Test func `wrong options are found before the screen is used`() async throws {
    for arguments in [["--images", "ascii"], ["--template", "{nothing}"], ["-"], [""]] {
      let process = try start(arguments)
      #expect(try await process.waitForExit() == .exited(64))
      #expect(!process.output.contains("\u{1B}[?1049h"))
    }
  }
}
