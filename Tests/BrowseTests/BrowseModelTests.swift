import BrowseScreen
import PodcastBrowse
import PodcastModel
import TestSupport
import Testing

/// Keys and events in, state and effects out.
struct BrowseModelTests {
  private func model(_ rows: Int = 5) -> BrowseModel {
    var model = BrowseModel(size: ScreenSize(columns: 80, rows: 24), source: "src")
    _ = model.reduce(.library([]))
    _ = model.reduce(
      .podcast(
        "src",
        PodcastPage(
          title: "Show", author: "Somebody",
          episodes: (0..<rows).map { RowListTests.row($0) }, isFollowed: false)))
    return model
  }

  private func press(_ model: inout BrowseModel, _ keys: String) -> [BrowseEffect] {
    keys.flatMap { model.reduce(.key(.character($0))) }
  }

  /// The model is told that changes of an episode are done.
  private func finish(_ model: inout BrowseModel, _ key: String, _ changes: EpisodeChange...) {
    for change in changes { _ = model.reduce(.changed([key], change)) }
  }

  @Test func `a source is opened at once, without one the subscriptions are shown`() {
    let size = ScreenSize(columns: 80, rows: 24)
    #expect(
      BrowseModel(size: size, source: "src").firstEffects
        == [.loadPodcast("src"), .loadSubscriptions, .loadLibrary])
    let model = BrowseModel(size: size)
    #expect(model.firstEffects == [.loadSubscriptions, .loadLibrary])
    #expect(model.podcasts != nil && model.episodes == nil)
  }

  @Test func `what is written after a pause does not end it`() {
    let paused = EpisodeState.paused(received: 5, total: 10)
    #expect(paused.written(7, of: 10) == .paused(received: 7, total: 10))
    for state in [EpisodeState.queued, .running(received: 5, total: 10), .remote] {
      #expect(state.written(7, of: 10) == .running(received: 7, total: 10))
    }
  }

  @Test func `an episode is asked for once, however often the key is pressed`() {
    var model = model()
    #expect(press(&model, "d") == [.change(["k4"], .wanted)])
    #expect(press(&model, "ddd") == [])
    #expect(press(&model, "D") == [.change(["k3", "k2", "k1", "k0"], .wanted)])
    #expect(press(&model, "D") == [])
    _ = model.reduce(.state("k4", .running(received: 1, total: 10)))
    #expect(press(&model, "d") == [])
    _ = model.reduce(.state("k4", .complete))
    #expect(press(&model, "d") == [])
    #expect(model.message == "It is complete.")
  }

  @Test func `more than 20 episodes are downloaded only after a yes`() {
    var model = model(21)
    #expect(press(&model, "D") == [])
    let keys = (0..<21).reversed().map { "k\($0)" }
    #expect(model.question == .download(keys, bytes: 210_000_000))
    #expect(
      BrowseText.text(.download(keys, bytes: 3 << 20)).contains("21 episodes (at least 3.0 MiB)"))
    // Any other key is a no, and does nothing else.
    #expect(press(&model, "d") == [])
    #expect(model.question == nil && model.episodes?.selected?.state == .remote)
    #expect(press(&model, "D") == [] && press(&model, "y") == [.change(keys, .wanted)])
    #expect(press(&model, "D") == [] && model.question == nil)
  }

  @Test func `C cancels all downloads`() {
    var model = model(3)
    #expect(press(&model, "C") == [.stopSync("Nothing is being downloaded.")])
    #expect(press(&model, "D") == [.change(["k2", "k1", "k0"], .wanted)])
    _ = model.reduce(.changed(["k2", "k1"], .wanted))
    _ = model.reduce(.state("k2", .complete))
    _ = model.reduce(.state("k1", .running(received: 1, total: 10)))
    #expect(press(&model, "C") == [.change(["k0", "k1"], .cancelled), .stopSync("")])
  }

  @Test func `X forgets what is unfinished in the list, after a yes`() {
    var model = model(3)
    #expect(press(&model, "X") == [] && model.question == nil)
    _ = press(&model, "D")
    _ = model.reduce(.changed(["k2", "k1", "k0"], .wanted))
    _ = model.reduce(.state("k2", .complete))
    _ = model.reduce(.state("k0", .queued))
    _ = model.reduce(.state("k1", .partial(received: 5, total: 10)))
    #expect(press(&model, "X") == [])
    #expect(model.question == .forget(["k1", "k0"], bytes: 5))
    #expect(press(&model, "n") == [] && model.question == nil)
    #expect(press(&model, "X") == [] && press(&model, "y") == [.change(["k1", "k0"], .forgotten)])
  }

  @Test func `a failed episode can be asked for again, and its row says so`() {
    var model = model()
    _ = press(&model, "d")
    finish(&model, "k4", .wanted)
    _ = model.reduce(.state("k4", .failed("The server has no such file.")))
    #expect(model.message == "The server has no such file.")
    #expect(model.episodes?.selected?.state == .failed("The server has no such file."))
    #expect(press(&model, "d") == [.change(["k4"], .wanted)])
    finish(&model, "k4", .wanted)
    // Bytes of it may be on the disk.
    _ = model.reduce(.state("k4", .failed("The connection broke.")))
    #expect(
      press(&model, "x") == []
        && model.question == .remove(BrowseModel.Removal(["k4"], deleted: 1, bytes: nil)))
    #expect(
      press(&model, "n") == [] && press(&model, "X") == []
        && model.question == .forget(["k4"], bytes: 0))
  }

  @Test func `what failed is complete when another podget has downloaded it`() {
    var model = model()
    _ = press(&model, "d")
    finish(&model, "k4", .wanted)
    _ = model.reduce(.state("k4", .failed("The server has no such file.")))
    _ = model.reduce(.library([RowListTests.row(4, state: .remote)]))
    #expect(model.episodes?.selected?.state == .failed("The server has no such file."))
    _ = model.reduce(.library([RowListTests.row(4, state: .complete)]))
    #expect(model.saved.row(key: "k4")?.state == .complete)
    _ = press(&model, "d")
    finish(&model, "k4", .wanted)
    _ = model.reduce(.state("k4", .failed("The connection broke.")))
    let page = PodcastPage(
      title: "P", author: "", episodes: [RowListTests.row(4, state: .complete)], isFollowed: true)
    _ = model.reduce(.podcast(model.podcast?.source ?? "", page))
    #expect(model.podcast?.list.row(key: "k4")?.state == .complete)
  }

  @Test func `without a trash x asks before it deletes a file`() {
    let row = RowListTests.row(4, state: .complete)
    for hasTrash in [true, false] {
      var model = BrowseModel(size: ScreenSize(columns: 80, rows: 24), hasTrash: hasTrash)
      _ = model.reduce(.library([row]))
      _ = model.reduce(.key(.tab))
      #expect(press(&model, "x") == (hasTrash ? [.change(["k4"], .removed)] : []))
      #expect(
        model.question
          == (hasTrash
            ? nil : .remove(BrowseModel.Removal(["k4"], deleted: 1, bytes: row.size))))
    }
  }

  @Test func `p pauses and resumes, c cancels`() {
    var model = model()
    #expect(press(&model, "pc") == [])
    _ = press(&model, "d")
    #expect(press(&model, "p") == [] && model.message.contains("c cancels it"))
    #expect(press(&model, "c") == [.change(["k4"], .cancelled)])
    finish(&model, "k4", .wanted, .cancelled)
    _ = model.reduce(.state("k4", .running(received: 1, total: 10)))
    #expect(press(&model, "p") == [.change(["k4"], .paused(true))])
    _ = model.reduce(.state("k4", .paused(received: 1, total: 10)))
    finish(&model, "k4", .paused(true))
    #expect(press(&model, "p") == [.change(["k4"], .paused(false))])
    #expect(press(&model, "c") == [.change(["k4"], .cancelled)])
    finish(&model, "k4", .paused(false), .cancelled)
    _ = model.reduce(.state("k4", .partial(received: 1, total: 10)))
    #expect(press(&model, "p") == [.change(["k4"], .wanted)])
  }

  @Test func `what was removed is restored, the last one first`() {
    var model = model()
    #expect(press(&model, "xu") == [])
    for key in ["k4", "k3"] { _ = model.reduce(.state(key, .complete)) }
    #expect(press(&model, "x") == [.change(["k4"], .removed)])
    _ = model.reduce(.changed(["k4"], .removed))
    #expect(press(&model, "jx") == [.change(["k3"], .removed)])
    #expect(model.reduce(.changed(["k3"], .removed)) == [.loadLibrary])
    // The bytes of a partial episode are not in the trash.
    _ = model.reduce(.state("k2", .partial(received: 1, total: 2)))
    #expect(press(&model, "jx") == [])
    #expect(model.question == .remove(BrowseModel.Removal(["k2"], deleted: 1, bytes: 1)))
    #expect(press(&model, "x") == [] && model.message == "Nothing is removed.")
    #expect(press(&model, "xy") == [.change(["k2"], .removed)])
    _ = model.reduce(.changed(["k2"], .removed))
    #expect(model.episodes?.selected?.state == .removed)
    // Downloading everything leaves out what was removed on purpose.
    #expect(press(&model, "D") == [.change(["k1", "k0"], .wanted)])
    // Neither the download nor the removal of k2 can be undone, and u takes back nothing else instead.
    #expect(press(&model, "u") == [] && model.message == "The last change cannot be undone.")
    #expect(press(&model, "u") == [.change(["k3"], .restored)])
    #expect(model.message == "Restoring: Episode 3")
    // It failed, and can be tried again.
    _ = model.reduce(.unchanged(["k3"], .restored, "The disk is full."))
    #expect(press(&model, "uuu") == [.change(["k3"], .restored), .change(["k4"], .restored)])
    #expect(model.message == "There is nothing to undo.")
  }

  @Test func `a filter works while it is typed, and Escape ends it`() {
    var model = model(30)
    _ = press(&model, "f")
    _ = press(&model, "episode 2q")
    #expect(model.episodes?.count == 0)
    _ = model.reduce(.key(.backspace))
    #expect(model.episodes?.count == 12)
    _ = model.reduce(.key(.enter))
    #expect(model.prompt == nil && model.filter == "episode 2")
    #expect(
      press(&model, "D").first
        == .change((20..<30).reversed().map { "k\($0)" } + ["k12", "k2"], .wanted))
    _ = model.reduce(.key(.escape))
    #expect(model.filter.isEmpty && model.podcast != nil)
    _ = model.reduce(.key(.escape))
    #expect(model.podcast == nil)
  }

  @Test func `the answer to an older search is ignored`() {
    var model = model()
    _ = press(&model, "aicons")
    #expect(model.reduce(.key(.enter)) == [.search("icons")])
    _ = press(&model, "apsalms")
    #expect(model.reduce(.key(.enter)) == [.search("psalms")])
    _ = model.reduce(.found("icons", [PodcastRow(source: "1", title: "Old")]))
    #expect(model.foundLoading == .waiting)
    _ = model.reduce(.found("psalms", [PodcastRow(source: "2", title: "New")]))
    #expect(model.podcasts?.selected?.title == "New")
    #expect(press(&model, "S") == [.subscribe("2")])
    #expect(model.reduce(.followed("2")) == [.loadSubscriptions])
    #expect(press(&model, "S") == [])
    #expect(model.reduce(.key(.enter)) == [.loadPodcast("2")])
    // The page of a podcast that was left comes too late.
    _ = model.reduce(.key(.escape))
    _ = model.reduce(
      .podcast("2", PodcastPage(title: "", author: "", episodes: [], isFollowed: true)))
    #expect(model.podcast == nil)
  }

  @Test func `what the library gets appears in it, and running states survive a reading`() {
    var model = model()
    _ = press(&model, "d")
    finish(&model, "k4", .wanted)
    #expect(model.reduce(.state("k4", .running(received: 5, total: 10))) == [.loadLibrary])
    #expect(model.reduce(.state("k4", .running(received: 6, total: 10))) == [])
    _ = model.reduce(.library([RowListTests.row(4, state: .partial(received: 1, total: 10))]))
    #expect(model.saved.selected?.state == .running(received: 6, total: 10))
    #expect(model.reduce(.state("k4", .complete)) == [.loadLibrary])
    _ = model.reduce(.library([RowListTests.row(4, state: .missing)]))
    #expect(model.saved.selected?.state == .missing)
  }

  @Test func `a star needs an episode of the library`() {
    var model = model()
    #expect(press(&model, "s") == [])
    _ = model.reduce(.library([RowListTests.row(4, state: .complete)]))
    _ = model.reduce(.key(.tab))
    #expect(press(&model, "s") == [.change(["k4"], .starred(true))])
    _ = model.reduce(.changed(["k4"], .starred(true)))
    #expect(model.saved.selected?.isStarred == true)
    #expect(press(&model, "so") == [.change(["k4"], .starred(false)), .play("k4")])
  }

  @Test func `a key acts on what the keys before it asked for, whatever is told meanwhile`() {
    var model = model()
    let old = RowList([RowListTests.row(4, state: .complete), RowListTests.row(3)])
    _ = model.reduce(.library(old))
    _ = model.reduce(.key(.tab))
    #expect(
      press(&model, "ssm") == [
        .change(["k4"], .starred(true)), .change(["k4"], .starred(false)),
        .change(["k4"], .played(true)),
      ])
    // What was read before the changes is not what is shown.
    _ = model.reduce(.library(old))
    #expect(model.saved.selected?.isStarred == false && model.saved.selected?.isPlayed == true)
    _ = model.reduce(.changed(["k4"], .starred(true)))
    #expect(model.saved.selected?.isStarred == false)
    #expect(press(&model, "s") == [.change(["k4"], .starred(true))])
    _ = model.reduce(.changed(["k4"], .starred(false)))
    #expect(model.saved.selected?.isStarred == true)
    // What fails is taken back.
    #expect(model.reduce(.unchanged(["k4"], .starred(true), "No.")) == [.loadLibrary])
    #expect(model.saved.selected?.isStarred == false && model.message == "No.")
    _ = model.reduce(.changed(["k4"], .played(true)))
    #expect(
      press(&model, "xuu") == [
        .change(["k4"], .removed), .change(["k4"], .restored), .change(["k4"], .played(false)),
      ])
    #expect(model.saved.selected?.state == .complete)
    // There is nothing to bring back of what could not be removed.
    _ = press(&model, "x")
    _ = model.reduce(.unchanged(["k4"], .removed, "It is busy."))
  }

  @Test func `downloads are asked for, paused and cancelled in one burst`() {
    var model = model()
    #expect(
      press(&model, "dcdc") == [
        .change(["k4"], .wanted), .change(["k4"], .cancelled), .change(["k4"], .wanted),
        .change(["k4"], .cancelled),
      ])
    // The first one runs for a moment.
    _ = model.reduce(.changed(["k4"], .wanted))
    _ = model.reduce(.state("k4", .running(received: 1, total: 10)))
    #expect(model.episodes?.selected?.state == .remote)
    for change in [EpisodeChange.cancelled, .wanted, .cancelled] {
      _ = model.reduce(.state("k4", .partial(received: 1, total: 10)))
      _ = model.reduce(.changed(["k4"], change))
    }
    #expect(model.episodes?.selected?.state == .partial(received: 1, total: 10))
    #expect(press(&model, "D").count == 1 && model.activity.queued == 5)
    #expect(
      press(&model, "C") == [.change(["k0", "k1", "k2", "k3", "k4"], .cancelled), .stopSync("")])
    _ = press(&model, "j")
    _ = model.reduce(.state("k3", .running(received: 2, total: 10)))
    #expect(press(&model, "d") == [.change(["k3"], .wanted)])
    for change in [EpisodeChange.wanted, .cancelled, .wanted] {
      _ = model.reduce(.changed(["k3"], change))
    }
    #expect(
      press(&model, "pp") == [
        .change(["k3"], .paused(true)), .change(["k3"], .paused(false)),
      ])
    // Progress that was made before the pause.
    _ = press(&model, "p")
    _ = model.reduce(.state("k3", .running(received: 3, total: 10)))
    #expect(model.episodes?.selected?.state == .paused(received: 3, total: 10))
  }

  @Test func `a search is where one is, and that of the catalog goes there only with words`() {
    var model = model()
    _ = model.reduce(.key(.tab))
    _ = press(&model, "/x")
    #expect(model.prompt?.purpose == .filter && model.tab == .saved)
    _ = model.reduce(.key(.escape))
    _ = press(&model, "awords")
    #expect(model.tab == .saved)
    _ = model.reduce(.key(.escape))
    #expect(model.tab == .saved && model.prompt == nil)
    _ = press(&model, "awords")
    #expect(model.reduce(.key(.enter)) == [.search("words")] && model.tab == .catalog)
  }

  @Test func `a transcript is searched, and played from what was found`() {
    var model = model()
    _ = model.reduce(.state("k4", .complete))
    _ = press(&model, "i")
    let lines = (0..<100).map {
      DetailLine("said \($0 % 10 == 7 ? "Seven" : "other") words \($0)", time: .seconds($0))
    }
    _ = model.reduce(.details("k4", .lines([DetailLine("notes")]), pages: [.notes, .transcript]))
    _ = model.reduce(.key(.tab))
    _ = model.reduce(.page("k4", .transcript, .lines(lines)))
    _ = press(&model, "jjjjjjjjj/words seven")
    #expect(page(model).count == 10)
    _ = model.reduce(.key(.down))
    _ = model.reduce(.key(.enter))
    #expect(model.prompt == nil)
    #expect(model.reduce(.key(.enter)) == [.play("k4", from: .seconds(27))])
    // All of it is shown again, at the line that was found.
    _ = model.reduce(.key(.escape))
    #expect(page(model).count == 100 && model.overlay != nil)
    #expect(model.reduce(.key(.enter)) == [.play("k4", from: .seconds(27))])
    _ = press(&model, "/nothing like this")
    #expect(page(model).map(\.text) == ["Nothing here has \"nothing like this\". Esc shows all."])
    // Nothing is played, and the place is not lost.
    _ = model.reduce(.key(.enter))
    #expect(model.reduce(.key(.enter)) == [] && model.overlay != nil)
    _ = model.reduce(.key(.escape))
    #expect(page(model).count == 100 && model.prompt == nil)
    #expect(model.reduce(.key(.enter)) == [.play("k4", from: .seconds(27))])
    // What arrives while a word is typed is searched too.
    _ = press(&model, "/seven")
    _ = model.reduce(.page("k4", .transcript, .lines(Array(lines.prefix(30)))))
    #expect(page(model).count == 3)
  }

  @Test func `a search leaves the notes where they are, and is named`() {
    var model = model()
    _ = press(&model, "i")
    let lines = (0..<100).map { DetailLine("paragraph \($0)") }
    _ = model.reduce(.details("k4", .lines(lines)))
    for _ in 0..<2 { _ = model.reduce(.key(.pageDown)) }
    let before = top(model)
    _ = press(&model, "/graph 7")
    _ = model.reduce(.key(.enter))
    #expect(page(model).count == 19 && top(model) == 0)
    let frame = BrowseView.frame(model, BrowseLook(hasColor: true, isUTF8: true))
    #expect(frame.lines[1].contains("\"graph 7\""))
    _ = model.reduce(.key(.escape))
    #expect(before > 0 && top(model) == before)
  }

  @Test func `episodes that another program downloads grow, and no others`() {
    var model = model()
    _ = model.reduce(.library(RowList((0..<5).map { RowListTests.row($0) })))
    _ = model.reduce(.state("k1", .partial(received: 1, total: 10)))
    _ = model.reduce(.state("k2", .failed("No.")))
    _ = model.reduce(.state("k3", .complete))
    #expect(model.reduce(.grown(["k1": 5, "k2": 5, "k3": 5, "k9": 5])) == [])
    #expect(model.saved.row(key: "k1")?.state == .partial(received: 5, total: 10))
    #expect(model.saved.row(key: "k2")?.state == .failed("No."))
    #expect(model.saved.row(key: "k3")?.state == .complete)
  }

  /// How many lines of the details are above the screen.
  private func top(_ model: BrowseModel) -> Int {
    if case .details(let details)? = model.overlay { details.top } else { -1 }
  }

  /// The lines of the page that is shown.
  private func page(_ model: BrowseModel) -> [DetailLine] {
    guard case .details(let details)? = model.overlay, case .lines(let lines) = details.text else {
      return []
    }
    return lines
  }

  @Test func `an address that is typed is opened, and a key that does nothing says so`() {
    var model = BrowseModel(size: ScreenSize(columns: 80, rows: 24))
    _ = press(&model, "a")
    _ = model.reduce(.key(.paste(" https://host.example/feed.xml ")))
    #expect(model.reduce(.key(.enter)) == [.loadPodcast("https://host.example/feed.xml")])
    #expect(model.podcast?.source == "https://host.example/feed.xml" && model.searched == nil)
    _ = model.reduce(.key(.escape))
    for (text, address) in [
      ("host.example/feed", "https://host.example/feed"),
      ("host.example:81/feed", "https://host.example:81/feed"), ("feed:x", "feed:x"),
      ("localhost:80/x.y", nil), ("AC/DC", nil), ("AC.DC/live", nil), ("a b.c/d", nil),
      (".c/d", nil), ("1.5/2", nil), ("a.b:c/d", nil),
    ] {
      _ = press(&model, "a\(text)")
      #expect(
        model.reduce(.key(.enter)) == [address.map { .loadPodcast($0) } ?? .search(text)])
      _ = model.reduce(.key(.escape))
    }
    #expect(press(&model, "d") == [] && model.message.hasPrefix("That is for episodes"))
    #expect(press(&model, "h") == [] && model.message == "h does nothing here; ? shows the keys.")
    #expect(press(&model, "\u{85}") == [] && !model.message.contains("\u{85}"))
    model = self.model()
    _ = press(&model, "i")
    #expect(press(&model, "T") == [] && model.message == "T does nothing here; ? shows the keys.")
  }

  @Test func `several marked episodes are played one after the other`() {
    var model = model()
    func end(_ key: String) -> [BrowseEffect] {
      _ = model.reduce(.player(nil))
      return model.reduce(.ended(key))
    }
    for number in 1...4 { _ = model.reduce(.state("k\(number)", .complete)) }
    #expect(press(&model, "vGo") == [.play("k4")])
    #expect(model.queue == ["k3", "k2", "k1"] && model.episodes?.markedRows.isEmpty == true)
    _ = model.reduce(.player(PlayedEpisode(key: "k4", title: "4", state: PlayerState())))
    let frame = BrowseView.frame(model, BrowseLook(hasColor: true, isUTF8: true))
    #expect(model.message.contains("n plays the next one"))
    #expect(frame.lines[23].contains("4 episodes are played in this order"))
    #expect(end("k4") == [.play("k3")])
    // What was removed meanwhile is left out, and a person may go on.
    _ = model.reduce(.state("k2", .removed))
    #expect(press(&model, "n") == [.play("k1")])
    #expect(end("k1") == [] && press(&model, "n") == [])
    #expect(model.message.contains("mark several episodes"))
    // The one that plays goes on, and its end by hand ends all.
    _ = model.reduce(.player(PlayedEpisode(key: "k3", title: "3", state: PlayerState())))
    #expect(press(&model, "ggvjjo") == [] && model.queue == ["k4"])
    #expect(press(&model, "O") == [.endPlaying] && model.queue.isEmpty)
  }

  @Test func `an episode that is only listed is marked as played and unplayed`() {
    var model = model()
    #expect(press(&model, "jm") == [.change(["k3"], .played(true))])
    #expect(
      BrowseView.frame(model, BrowseLook(hasColor: true, isUTF8: true)).lines[4]
        .hasSuffix("  played"))
    _ = model.reduce(.changed(["k3"], .played(true)))
    #expect(model.episodes?.selected?.state == .remote)
    #expect(press(&model, "u") == [.change(["k3"], .played(false))])
    _ = model.reduce(.changed(["k3"], .played(false)))
    #expect(model.episodes?.selected?.isPlayed == false)
  }

  @Test func `an episode of the library is marked as played and unplayed`() {
    var model = model()
    var row = RowListTests.row(4, state: .complete)
    row.position = .seconds(750)
    _ = model.reduce(.library([row]))
    _ = model.reduce(.key(.tab))
    #expect(press(&model, "m") == [.change(["k4"], .played(true))])
    _ = model.reduce(.changed(["k4"], .played(true)))
    #expect(model.saved.selected?.isPlayed == true && model.saved.selected?.position == nil)
    #expect(press(&model, "m") == [.change(["k4"], .played(false))])
  }

  @Test func `what is new is read when it is wanted, and after each change`() {
    var model = model()
    #expect(model.reduce(.key(.tab)) == [])
    // Nobody has wanted it yet.
    #expect(model.reduce(.changed(["k4"], .played(true))) == [])
    #expect(model.reduce(.key(.tab)) == [.loadNew])
    #expect(model.tab == .new && model.newLoading == .waiting)
    let rows = [RowListTests.row(4, state: .complete), RowListTests.row(3)]
    _ = model.reduce(.library([rows[0]]))
    _ = model.reduce(.new(RowList(rows), counts: ["show": 2]))
    #expect(model.episodes?.shownRows.map(\.key) == ["k4", "k3"])
    #expect(press(&model, "m") == [.change(["k4"], .played(true))])
    #expect(model.reduce(.changed(["k4"], .played(true))) == [.loadLibrary])
    #expect(press(&model, "x") == [.change(["k4"], .removed)])
    #expect(model.reduce(.changed(["k4"], .removed)) == [.loadLibrary])
    #expect(press(&model, "jd") == [.change(["k3"], .wanted)])
    #expect(model.episodes?.selected?.state == .queued)
    #expect(press(&model, "r") == [.loadNew])
    // What is there stays if it cannot be read again.
    _ = model.reduce(.newFailed("No."))
    #expect(model.newLoading == .loaded && model.message == "No.")
    #expect(model.reduce(.key(.tab)) == [] && model.tab == .downloads)
    #expect(model.reduce(.key(.tab)) == [] && model.tab == .catalog)
    #expect(model.reduce(.key(.backTab)) == [] && model.tab == .downloads)
    #expect(model.reduce(.key(.backTab)) == [] && model.tab == .new)
  }

  @Test func `keys act on all marked rows`() {
    var model = model(30)
    #expect(press(&model, "  jv") == [] && model.episodes?.selected?.key == "k26")
    #expect(press(&model, "jjk") == [])
    #expect(model.episodes?.markedRows.map(\.key) == ["k29", "k28", "k26", "k25"])
    // The marks stay on their rows.
    _ = press(&model, "t")
    #expect(model.episodes?.markedRows.map(\.key) == ["k25", "k26", "k28", "k29"])
    #expect(press(&model, "td").isEmpty == false)
    #expect(model.activity.queued == 4 && model.episodes?.markedRows.isEmpty == true)
    // Esc ends the marks, and then what it did before.
    _ = press(&model, "v")
    #expect(model.reduce(.key(.escape)) == [] && model.podcast != nil)
    #expect(model.episodes?.choosesRange == false && model.episodes?.markedRows.isEmpty == true)
    for key in (0..<30).map({ "k\($0)" }) {
      finish(&model, key, .wanted)
      _ = model.reduce(.state(key, .complete))
    }
    let stars = press(&model, "ggvjj s")
    guard case .change(let keys, .starred(true))? = stars.first else {
      Issue.record("\(stars)")
      return
    }
    #expect(keys.count == 2)
    #expect(press(&model, "u") == [.change(keys.sorted(), .starred(false))])
    // Many are removed after a question, and all come back.
    _ = press(&model, "ggvGx")
    guard case .remove(let removal)? = model.question else {
      Issue.record("\(String(describing: model.question))")
      return
    }
    let all = removal.keys
    #expect(removal.trashed == 30 && removal.unseen == 10)
    #expect(all.count == 30 && press(&model, "y") == [.change(all, .removed)])
    #expect(press(&model, "u") == [.change(all.sorted(), .restored)])
  }

  @Test func `vi's keys move in lists and pages`() {
    var model = model(60)
    #expect(press(&model, "G") == [] && model.episodes?.selected?.key == "k0")
    #expect(press(&model, "gg") == [] && model.episodes?.selected?.key == "k59")
    _ = model.reduce(.key(.control("d")))
    #expect(model.episodes?.selected?.key == "k49")
    _ = model.reduce(.key(.control("u")))
    // Another key after g does what it does.
    #expect(press(&model, "gj") == [] && model.episodes?.selected?.key == "k58")
    _ = press(&model, "i")
    _ = model.reduce(.details("k58", .lines((0..<100).map { DetailLine("\($0)") })))
    _ = press(&model, "G")
    let last = details(model)?.top ?? 0
    _ = model.reduce(.key(.control("u")))
    #expect(last > 50 && details(model)?.top == last - model.textHeight / 2)
    #expect(press(&model, "gg") == [] && details(model)?.top == 0)
  }

  @Test func `details have the next episode, and its keys`() {
    var model = model(3)
    _ = press(&model, "i")
    #expect(press(&model, "n") == [.loadDetails("k1")] && details(model)?.key == "k1")
    #expect(press(&model, "d") == [.change(["k1"], .wanted)])
    finish(&model, "k1", .wanted)
    _ = model.reduce(.state("k1", .complete))
    #expect(
      press(&model, "smo") == [
        .change(["k1"], .starred(true)), .change(["k1"], .played(true)), .play("k1"),
      ])
    #expect(press(&model, "N") == [.loadDetails("k2")])
    #expect(press(&model, "N") == [] && model.message == "It is the first one.")
    #expect(press(&model, "q") == [] && model.episodes?.selected?.key == "k2")
  }

  @Test func `Downloads has what runs, waits and failed, with speeds and a total`() {
    var model = model(4)
    _ = press(&model, "D")
    for key in 0..<4 { _ = model.reduce(.state("k\(key)", .queued)) }
    _ = model.reduce(.changed((0..<4).map { "k\($0)" }, .wanted))
    for (key, state) in [
      ("k3", EpisodeState.running(received: 1_000_000, total: 11_000_000)), ("k2", .queued),
      ("k1", .failed("No.")), ("k0", .complete),
    ] { _ = model.reduce(.state(key, state)) }
    _ = model.reduce(.speed("k3", 1_000_000))
    // The podcast is left: its rows are still known.
    _ = model.reduce(.key(.escape))
    #expect(model.reduce(.key(.backTab)) == [] && model.tab == .downloads)
    #expect(model.downloads.shownRows.map(\.key) == ["k3", "k2", "k1"])
    #expect(model.downloadTotals == (1_000_000, 12_000_000))
    let lines = BrowseView.frame(model, BrowseLook(hasColor: true, isUTF8: true)).lines
    #expect(lines[1].hasPrefix(" Downloads") && lines[1].contains("3 episodes"))
    #expect(lines[1].contains("/s, ") && lines[1].hasSuffix(" left, 0:12"))
    #expect(lines[3] == " Running (1)" && lines[5] == " Waiting (1)" && lines[7] == " Failed (1)")
    #expect(lines[4].contains("/s ") && lines[4].contains(" 0:10 "))
    // What ends goes, and what comes is there.
    _ = model.reduce(.state("k3", .complete))
    _ = model.reduce(.state("k2", .running(received: 0, total: 10)))
    #expect(model.downloads.shownRows.map(\.key) == ["k2", "k1"] && model.speeds.isEmpty)
    #expect(press(&model, "ggp") == [.change(["k2"], .paused(true))])
    #expect(press(&model, "C") == [.change(["k2"], .cancelled), .stopSync("")])
    _ = model.reduce(.changed(["k2"], .paused(true)))
    _ = model.reduce(.changed(["k2"], .cancelled))
    _ = model.reduce(.state("k2", .remote))
    #expect(press(&model, "D") == [.change(["k1"], .wanted)])
  }

  @Test func `the arrangement of lists is kept, and filters name kinds`() {
    var model = model(4)
    #expect(press(&model, "t") == [.keep(model.arrangements)])
    #expect(press(&model, "b") == [.keep(model.arrangements)])
    #expect(model.arrangements.contains("podcast oldest podcast\n"))
    var other = BrowseModel(size: ScreenSize(columns: 80, rows: 24))
    _ = other.reduce(.arrangements("what new\nnew title year\npodcast bad none\n" + "\u{0}"))
    #expect(other.new.arrangement.sort == .title && other.new.arrangement.group == .year)
    _ = other.reduce(.arrangements(model.arrangements))
    _ = other.reduce(.subscriptions([PodcastRow(source: "src", title: "Show")]))
    _ = other.reduce(.key(.enter))
    #expect(other.arrangement.sort == .oldest && other.arrangement.group == .podcast)

    var rows = (0..<4).map { RowListTests.row($0, state: .complete) }
    rows[1].isStarred = true
    (rows[2].isPlayed, rows[3].position) = (true, .seconds(5))
    _ = model.reduce(.library(RowList(rows)))
    _ = model.reduce(.key(.tab))
    for keys in [["k1"], ["k3", "k1", "k0"], ["k3"], ["k2"], ["k3", "k2", "k1", "k0"]] {
      _ = press(&model, "F")
      #expect(model.episodes?.shownRows.map(\.key) == keys)
    }
    // What no longer is of the kind goes.
    _ = press(&model, "FF")
    #expect(model.filter == "is:unplayed" && press(&model, "m").count == 1)
    #expect(model.episodes?.shownRows.map(\.key) == ["k3", "k0"])
  }

  @Test func `a podcast is followed, checked, and followed no longer`() {
    var model = model()
    #expect(press(&model, "y") == [] && model.message == "It is not followed; S subscribes to it.")
    #expect(press(&model, "U") == [] && model.question == nil)
    #expect(press(&model, "S") == [.subscribe("src")])
    _ = model.reduce(.followed("src"))
    #expect(press(&model, "Sy") == [.sync("src")])
    #expect(press(&model, "U") == [] && model.question == .unsubscribe("src", title: "Show"))
    #expect(press(&model, "n") == [] && press(&model, "Uy") == [.unsubscribe("src")])
    #expect(press(&model, "u") == [.followAgain("src")])
    #expect(press(&model, "u") == [] && model.message == "There is nothing to undo.")
    #expect(model.reduce(.followed("src", false)) == [.loadSubscriptions])
    #expect(model.podcast?.isFollowed == false)
    _ = model.reduce(.key(.tab))
    // Of all feeds it asks: y may have been meant for a question that is gone.
    #expect(press(&model, "yn") == [] && model.message == "Nothing is checked.")
    #expect(press(&model, "yy") == [.sync(nil)])
  }

  @Test func `podcasts are sorted, and have no groups`() {
    var model = BrowseModel(size: ScreenSize(columns: 80, rows: 24))
    _ = model.reduce(
      .subscriptions(["b", "a"].map { PodcastRow(source: $0, title: $0) }))
    #expect(press(&model, "b") == [] && model.message == "Podcasts have no groups; t sorts them.")
    #expect(model.podcasts?.shownRows.map(\.key) == ["b", "a"])
    #expect(press(&model, "t").count == 1 && model.podcasts?.shownRows.map(\.key) == ["a", "b"])
    #expect(press(&model, "r") == [.loadSubscriptions, .loadLibrary])
  }

  @Test func `a refresh that fails takes nothing away`() {
    var model = model()
    #expect(press(&model, "r") == [.loadPodcast("src")])
    _ = model.reduce(.podcastFailed("src", "No connection."))
    #expect(model.episodes?.rows.count == 5)
    #expect(model.message == "This is what was listed before. No connection.")
    #expect(model.podcast?.loading == .loaded && model.podcast?.age == .old)
    _ = model.reduce(.podcastIsCurrent("src"))
    #expect(model.podcast?.age == .current)
  }

  @Test func `details come for the episode that is shown`() {
    var model = model()
    #expect(model.reduce(.key(.enter)) == [.loadDetails("k4")])
    _ = model.reduce(.details("k3", .lines([DetailLine("other")])))
    #expect(details(model)?.text == .waiting)
    _ = model.reduce(.details("k4", .lines([DetailLine("these")])))
    #expect(details(model)?.key == "k4" && details(model)?.text == .lines([DetailLine("these")]))
    // They are the only page.
    #expect(model.reduce(.key(.tab)) == [] && details(model)?.shown == .notes)
    _ = press(&model, "jjj")
    #expect(details(model)?.top == 0)
    _ = model.reduce(.key(.escape))
    #expect(model.overlay == nil)
    // It closes a page, and ends the program only in a list.
    for page in ["i", "?"] {
      #expect(!press(&model, page + "q").contains(.quit) && model.overlay == nil)
    }
    #expect(press(&model, "q") == [.quit])
  }

  private func details(_ model: BrowseModel) -> EpisodeDetailPages? {
    if case .details(let details)? = model.overlay { details } else { nil }
  }

  @Test func `a page of the details is asked for when it is shown, and once`() {
    var model = model()
    _ = model.reduce(.key(.enter))
    _ = model.reduce(
      .details("k4", .lines([DetailLine("notes")]), pages: [.notes, .chapters, .transcript]))
    #expect(model.reduce(.key(.tab)) == [.loadPage("k4", .chapters)])
    #expect(details(model)?.shown == .chapters && details(model)?.text == .waiting)
    #expect(press(&model, "r") == [])
    _ = model.reduce(.page("k3", .chapters, .failed("No.")))
    #expect(details(model)?.text == .waiting)
    _ = model.reduce(.page("k4", .chapters, .failed("No connection.")))
    #expect(details(model)?.text == .failed("No connection."))
    #expect(press(&model, "r") == [.loadPage("k4", .chapters)])
    #expect(model.reduce(.key(.backTab)) == [])
    // An answer that comes while another page is shown counts.
    _ = model.reduce(.page("k4", .chapters, .lines([DetailLine("One", label: "0:00")])))
    #expect(details(model)?.text == .lines([DetailLine("notes")]))
    #expect(model.reduce(.key(.backTab)) == [.loadPage("k4", .transcript)])
    #expect(model.reduce(.key(.tab)) == [] && details(model)?.shown == .notes)
    #expect(model.reduce(.key(.tab)) == [] && details(model)?.shown == .chapters)
    #expect(details(model)?.text == .lines([DetailLine("One", label: "0:00")]))
    _ = model.reduce(.key(.escape))
    #expect(model.overlay == nil && model.tab == .catalog)
  }

  @Test func `each page of the details keeps its place`() {
    var model = model()
    _ = model.reduce(.key(.enter))
    let long = DetailText.lines((0..<100).map { DetailLine("\($0)") })
    _ = model.reduce(.details("k4", long, pages: [.notes, .transcript]))
    _ = press(&model, "jjj")
    _ = model.reduce(.key(.tab))
    _ = model.reduce(.page("k4", .transcript, long))
    #expect(details(model)?.top == 0)
    _ = model.reduce(.key(.end))
    // 24 rows, less tabs, header and line, names of pages, and status.
    #expect(details(model)?.top == 81)
    _ = model.reduce(.key(.tab))
    #expect(details(model)?.top == 3)
    _ = model.reduce(.key(.tab))
    #expect(details(model)?.top == 81)
  }

  private func point(
    _ model: inout BrowseModel, _ kind: MouseEvent.Kind, _ row: Int, _ column: Int = 5
  ) -> [BrowseEffect] {
    model.reduce(.key(.mouse(MouseEvent(kind, row: row, column: column))))
  }

  @Test func `a click selects, a second one opens, and one on a tab switches`() {
    var model = model(40)
    // The list begins below tabs, header and line.
    #expect(point(&model, .press, 5) == [])
    #expect(model.episodes?.selected?.key == "k37")
    #expect(point(&model, .press, 5) == [.loadDetails("k37")])
    _ = model.reduce(.details("k37", .lines([DetailLine("A")]), pages: [.notes, .chapters]))
    #expect(point(&model, .press, 3, 10) == [.loadPage("k37", .chapters)])
    #expect(point(&model, .press, 4, 10) == [] && point(&model, .press, 3, 70) == [])
    #expect(details(model)?.shown == .chapters)
    #expect(point(&model, .press, 0, 10) == [])
    #expect(model.tab == .saved && model.overlay == nil)
    #expect(point(&model, .press, 0, 45) == [] && model.tab == .saved)
    #expect(point(&model, .press, 5) == [] && model.overlay == nil)
    #expect(point(&model, .press, 0, 0) == [] && model.tab == .catalog)
    for row in [1, 2, 23, 9000] { #expect(point(&model, .press, row) == []) }
    #expect(model.episodes?.selected?.key == "k37" && model.overlay == nil)
    // What is being typed does not end.
    _ = press(&model, "f")
    #expect(point(&model, .press, 8) == [] && model.prompt != nil)
  }

  @Test func `the wheel scrolls lists and pages, and the selection stays on the screen`() {
    var model = model(40)
    _ = point(&model, .wheelDown, 9)
    #expect(model.episodes?.top == 3 && model.episodes?.selected?.key == "k36")
    for _ in 0..<20 { _ = point(&model, .wheelDown, 9) }
    #expect(model.episodes?.top == 20)
    _ = model.reduce(.key(.end))
    _ = point(&model, .wheelUp, 9)
    #expect(model.episodes?.top == 17 && model.episodes?.selected?.key == "k3")
    for _ in 0..<20 { _ = point(&model, .wheelUp, 9) }
    #expect(model.episodes?.top == 0)
    // A heading is no row.
    for _ in 0..<3 { _ = press(&model, "b") }
    #expect(point(&model, .press, 3) == [] && model.overlay == nil)
    _ = press(&model, "?")
    _ = model.reduce(.resized(ScreenSize(columns: 40, rows: 12)))
    _ = point(&model, .wheelDown, 9)
    #expect(model.overlay == .help(3))
  }

  @Test func `random keys and sizes break nothing`() {
    var generator = SeededGenerator(seed: 11)
    var model = model(40)
    let keys: [Key] = [
      .up, .down, .pageUp, .pageDown, .home, .end, .enter, .escape, .tab, .backspace, .left, .right,
    ]
    for _ in 0..<20_000 {
      let number = Int(generator.next() % 64)
      let letters = Array("dDpcsxuorSfgti?/jk abvnNGmCXFUy")
      if number < keys.count {
        _ = model.reduce(.key(keys[number]))
      } else if number < 60 {
        _ = model.reduce(.key(.character(letters[number % letters.count])))
      } else if number == 61 {
        let kinds: [MouseEvent.Kind] = [.press, .press, .wheelUp, .wheelDown]
        let place = Int(generator.next() % 4000)
        _ = point(&model, kinds[place % 4], place / 4 % 60, place % 90)
      } else if number == 60, let key = details(model)?.key {
        _ = model.reduce(
          .details(key, .lines([DetailLine("notes")]), pages: [.chapters, .transcript]))
      } else {
        let (columns, rows) = (Int(generator.next() % 320), Int(generator.next() % 60))
        _ = model.reduce(.resized(ScreenSize(columns: columns, rows: rows)))
        check(model, look: BrowseLook(hasColor: true, isUTF8: number % 2 == 0))
      }
    }
  }

  /// What is true of every state: the selection is a row on the screen, and so is the text of a page.
  private func check(_ model: BrowseModel, look: BrowseLook) {
    if let list = model.episodes {
      #expect((list.selection == nil) == (list.count == 0))
      #expect(list.shownRows.count == list.count && list.count <= list.rows.count)
      if let selection = list.selection {
        #expect((list.top..<list.top + model.listHeight).contains(selection))
        #expect(list.row(selection) != nil)
      }
    } else {
      #expect(model.podcasts != nil)
    }
    let lines = BrowseView.frame(model, look).lines
    #expect(lines.allSatisfy { TerminalText.width($0) <= model.size.columns })
    guard model.size.rows > 4, model.size.columns >= 8 else { return }
    if model.overlay != nil || model.episodes?.selection != nil {
      #expect(
        lines[3..<model.size.rows - 1].contains { !$0.isEmpty },
        "\(model.size) \(model.tab) \(String(describing: model.overlay)) \(lines)")
    }
    #expect(!lines[model.size.rows - 1].isEmpty)
  }
}
