import BrowseScreen
import PodcastBrowse
import PodcastModel
import Testing

/// Keys and colors that a person has chosen.
struct BrowseKeyMapTests {
  private func model(_ keys: String = "") throws -> BrowseModel {
    var model = BrowseModel(
      size: ScreenSize(columns: 80, rows: 24), source: "src", keys: try BrowseKeyMap(keys))
    _ = model.reduce(.library([]))
    _ = model.reduce(
      .podcast(
        "src",
        PodcastPage(
          title: "Show", author: "", episodes: (0..<3).map { RowListTests.row($0) },
          isFollowed: false)))
    return model
  }

  private func press(_ model: inout BrowseModel, _ keys: String) -> [BrowseEffect] {
    keys.flatMap { model.reduce(.key(.character($0))) }
  }

  private func lines(_ model: BrowseModel) -> [String] {
    BrowseView.frame(model, BrowseLook(hasColor: true, isUTF8: true)).lines
  }

  private func problem(_ text: String) -> String? {
    do throws(BrowseChoiceProblem) {
      _ = try BrowseKeyMap(text)
      return nil
    } catch {
      return error.sentence
    }
  }

  @Test func `each action has one usual key, and each key one action`() {
    #expect(Set(BrowseKeyMap.actions.map(\.key)).count == BrowseKeyMap.actions.count)
    #expect(Set(BrowseKeyMap.actions.map(\.name)).count == BrowseKeyMap.actions.count)
    // The help has each of them.
    let labels = BrowseText.keys.map(\.key).joined(separator: " ")
    let names = Set(labels.split { $0 == " " }.map { $0.count > 1 ? $0.trimmed : String($0) })
    for (name, key) in BrowseKeyMap.actions {
      #expect(names.contains(BrowseKeyMap().name(of: key)), "\(name)")
    }
  }

  @Test func `a given key does what the usual one did, which does nothing any more`() throws {
    var model = try model("download = Space, mark=M ,half-down=Delete,")
    #expect(press(&model, "d") == [] && model.message == "d does nothing here; ? shows the keys.")
    #expect(press(&model, " ") == [.change(["k2"], .wanted)])
    #expect(press(&model, "M") == [] && model.episodes?.markedRows.map(\.key) == ["k2"])
    // Two actions can have each other's keys.
    var other = try self.model("play=d, download=o")
    #expect(press(&other, "o") == [.change(["k2"], .wanted)])
    #expect(press(&other, "jd") == [] && other.message == "Only complete episodes can be played.")
    // What is typed is not a key.
    _ = press(&model, "f")
    _ = press(&model, "d M")
    #expect(model.prompt?.text == "d M")
  }

  @Test func `the help, the hints and sentences name the keys as they are`() throws {
    var model = try model("download=Space, mark=M, help=h, cancel=K, quit=Ctrl-X")
    #expect(lines(model)[23].hasPrefix(" h help  Ctrl-X quit  space download "))
    _ = press(&model, " K")
    _ = press(&model, "h")
    let help = lines(model)
    #expect(help.contains { $0.hasPrefix(" space           download the episode") })
    #expect(help.contains { $0.hasPrefix(" M               mark the episode:") })
    #expect(help.contains { $0.hasPrefix(" K, C            cancel the download") })
    #expect(model.reduce(.key(.control("x"))).isEmpty)
    #expect(model.overlay == nil)
    _ = model.reduce(.state("k1", .queued))
    _ = press(&model, "jp")
    #expect(model.message.hasSuffix("K cancels it."))
  }

  @Test func `the help is searched while a text is typed`() throws {
    var model = try model()
    _ = press(&model, "?/trash")
    #expect(lines(model)[3].hasPrefix(" T               the trash"))
    #expect(lines(model)[5].hasPrefix(" R, x, X         in the trash") && lines(model)[7].isEmpty)
    #expect(lines(model)[23].hasPrefix(" Search: trash"))
    _ = model.reduce(.key(.enter))
    #expect(lines(model)[1].hasSuffix("\"trash\"") && !lines(model)[5].isEmpty)
    // Esc shows all of it again, and then closes it.
    _ = model.reduce(.key(.escape))
    #expect(lines(model)[3].hasPrefix(" j k, arrows") && model.overlay != nil)
    // A letter is a key.
    _ = press(&model, "/y")
    #expect(lines(model)[3].hasPrefix(" y               sync") && lines(model)[5].isEmpty)
    _ = press(&model, "zzz")
    #expect(lines(model)[3] == " No key does this. Esc shows all.")
    _ = model.reduce(.key(.escape))
    #expect(model.prompt == nil && lines(model)[3].hasPrefix(" j k, arrows"))
    _ = press(&model, "q?")
    #expect(model.helpFilter.isEmpty)
  }

  @Test(arguments: [
    ("plai=x", "there is no action \"plai\"; did you mean play?"),
    ("play=d", "d is the key of download and of play; give one of them another key."),
    ("play=z, sort=z", "z is the key of sort and of play; give one of them another key."),
    ("play=z, play=w", "play is there twice."),
    (
      "remove=y, sync=l",
      "y cannot be the key of remove: it answers the question that remove asks."
    ),
    ("play", "\"play\" is not an action and its key, such as play=l."),
    ("play=", "\"play=\" is not an action and its key, such as play=l."),
    ("play=Ctrl-C", "Ctrl-C has another meaning for terminals."),
    ("play=1", "1 cannot be given: gg is the first row, and digits are the numbers of links."),
    ("play=g", "g cannot be given: gg is the first row, and digits are the numbers of links."),
    ("play=\u{1B}", nil), ("play=xy", nil), ("play=F1", nil),
  ]) func `a mistake is said in a sentence`(text: String, sentence: String?) {
    #expect(problem(text) == sentence ?? problem(text) && problem(text) != nil)
    #expect(problem(text)?.contains("\u{1B}") == false)
  }

  @Test func `commas and equal signs have names`() {
    #expect(problem("slower=Comma, back=Equals, usual-speed=Delete") == nil)
    #expect(problem("") == nil && problem(" , ") == nil)
    let long = (0..<10_000).map { "a\($0)=b" }.joined(separator: ",")
    #expect(problem(long)?.utf8.count ?? 1000 < 600)
  }

  @Test func `things look as a person wants`() throws {
    let theme = try BrowseTheme("complete=bold blue, heading=plain, error=magenta underline")
    var look = BrowseLook(hasColor: true, isUTF8: true)
    look.theme = theme
    var model = try model()
    _ = model.reduce(.state("k2", .complete))
    let usual = BrowseLook(hasColor: true, isUTF8: true)
    #expect(BrowseView.frame(model, look) != BrowseView.frame(model, usual))
    #expect(BrowseView.frame(model, look).lines == BrowseView.frame(model, usual).lines)
    #expect(CellStyle([.bold, .blue]).sequence() == "\u{1B}[0;1;34m")
    #expect(CellStyle.magenta.sequence(.dark) == "\u{1B}[0;38;5;90m")
    #expect(CellStyle([.dim, .magenta]).withoutColor == .dim)
    for (text, sentence) in [
      ("complet=red", "there is no role \"complet\"; did you mean complete?"),
      ("complete=reed", "there is no look \"reed\"; did you mean red?"),
      (
        "complete",
        "\"complete\" is not a role and its look, such as complete=blue or heading=bold red."
      ),
    ] {
      #expect(throws: BrowseChoiceProblem(sentence)) { try BrowseTheme(text) }
    }
  }
}

extension Substring {
  /// Without the comma after it.
  fileprivate var trimmed: String { hasSuffix(",") ? String(dropLast()) : String(self) }
}
