import PodcastBrowse
import PodcastModel
import Testing

@testable import BrowseScreen

/// What keys ask the player for, and what is seen of it.
struct BrowsePlayerTests {
  /// The library with three complete episodes, of which the first one is selected.
  private func model() -> BrowseModel {
    var model = BrowseModel(size: ScreenSize(columns: 80, rows: 24))
    _ = model.reduce(.library(RowList((0..<3).map { RowListTests.row($0, state: .complete) })))
    _ = model.reduce(.key(.tab))
    return model
  }

  private func press(_ model: inout BrowseModel, _ keys: String) -> [BrowseEffect] {
    keys.flatMap { model.reduce(.key(.character($0))) }
  }

  private func playing(
    _ key: String, at seconds: Int = 750, isPaused: Bool = false, speed: Double = 1,
    isControlled: Bool = true
  ) -> BrowseEvent {
    var state = PlayerState()
    (state.position, state.duration) = (.seconds(seconds), .seconds(3000))
    (state.isPaused, state.speed, state.isControlled) = (isPaused, speed, isControlled)
    return .player(PlayedEpisode(key: key, title: "The \u{1B}title", state: state))
  }

  private func lines(_ model: BrowseModel, isUTF8: Bool = true) -> [String] {
    BrowseView.frame(model, BrowseLook(hasColor: true, isUTF8: isUTF8)).lines
  }

  @Test func `keys ask the player, in lists and in pages`() {
    var model = model()
    #expect(press(&model, "P,.<>[]=-+O") == [])
    #expect(model.message == "Nothing is being played; o plays an episode.")
    #expect(press(&model, "o") == [.play("k2")])
    _ = model.reduce(playing("k2"))
    let asked: [BrowseEffect] = [
      .control(.pause), .control(.move(-10)), .control(.move(10)), .control(.move(-60)),
      .control(.move(60)), .control(.faster(-0.1)), .control(.faster(0.1)), .control(.speed(1)),
      .control(.louder(-5)), .control(.louder(5)), .endPlaying,
    ]
    #expect(press(&model, "P,.<>[]=-+O") == asked)
    // The same episode pauses, another one is played instead.
    #expect(press(&model, "ojo") == [.control(.pause), .play("k1")])
    #expect(press(&model, "i") == [.loadDetails("k1")])
    #expect(press(&model, "P,.<>[]=-+O") == asked)
    #expect(press(&model, "?P") == [.control(.pause)])
    // What is typed is not for the player.
    #expect(press(&model, "f,.") == [] && model.filter == ",.")
    _ = model.reduce(.key(.escape))
    _ = model.reduce(playing("k2", speed: 4))
    #expect(press(&model, "]") == [] && model.message == "It is not played faster.")
    _ = model.reduce(playing("k2", isControlled: false))
    #expect(press(&model, "P") == [])
    #expect(model.message == "The player cannot be asked for this; O ends it.")
    #expect(press(&model, "O") == [.endPlaying])
    #expect(press(&model, "Q") == [.leavePlaying, .quit])
    _ = model.reduce(.player(nil))
    #expect(press(&model, "Q") == [.quit])
  }

  @Test func `what is played is seen in the last row and beside its title`() {
    var model = model()
    _ = model.reduce(playing("k1"))
    #expect(lines(model)[23].hasPrefix(" ► 12:30/50:00 The \u{FFFD}title  ? help  q quit"))
    #expect(lines(model)[4].hasPrefix(" ►  "))
    #expect(lines(model, isUTF8: false)[23].hasPrefix(" > 12:30/50:00 The ?title  ? help"))
    _ = model.reduce(playing("k1", isPaused: true, speed: 1.2))
    #expect(lines(model)[23].hasPrefix(" = 12:30/50:00 1.2× The"))
    #expect(lines(model, isUTF8: false)[23].hasPrefix(" = 12:30/50:00 1.2x The"))
    #expect(press(&model, "j") == [])
    #expect(lines(model)[23].contains("o go on"))
    _ = model.reduce(playing("k1", speed: 2))
    #expect(lines(model)[23].contains(" 2× ") && lines(model)[23].contains("o pause"))
    // A message is said all the same, and a narrow window has what there is room for.
    _ = model.reduce(.message("Said."))
    #expect(lines(model)[23] == " Said.")
    _ = press(&model, "k")
    for columns in 1...30 {
      _ = model.reduce(.resized(ScreenSize(columns: columns, rows: 5)))
      #expect(lines(model).count == 5)
    }
    _ = model.reduce(.player(nil))
    #expect(!lines(model).joined().contains("►"))
  }

  @Test func `the record is shown when it changes`() {
    var model = model()
    #expect(model.reduce(.marked("k2", isPlayed: false, position: .seconds(90))) == [])
    #expect(model.saved.selected?.position == .seconds(90))
    #expect(lines(model)[3].contains("at 1:30"))
    // A mark that was asked for and has no answer yet is later.
    #expect(press(&model, "m") == [.change(["k2"], .played(true))])
    _ = model.reduce(.marked("k2", isPlayed: false, position: .seconds(120)))
    #expect(model.saved.selected?.isPlayed == true && model.saved.selected?.position == nil)
    _ = model.reduce(.unchanged(["k2"], .played(true), "No."))
    #expect(model.saved.selected?.position == .seconds(120))
    #expect(model.reduce(.marked("k2", isPlayed: true, position: nil)) == [])
    #expect(model.saved.selected?.isPlayed == true)
    _ = model.reduce(.key(.tab))
    #expect(model.reduce(.marked("k2", isPlayed: true, position: nil)) == [.loadLibrary])
  }

  /// The chapters of the first episode, some of them long.
  private func chapters(_ count: Int, rows: Int = 12) -> BrowseModel {
    var model = model()
    _ = model.reduce(.resized(ScreenSize(columns: 40, rows: rows)))
    _ = press(&model, "i")
    _ = model.reduce(.details("k2", .lines([DetailLine("Notes")]), pages: [.notes, .chapters]))
    #expect(model.reduce(.key(.tab)) == [.loadPage("k2", .chapters)])
    let lines = (0..<count).map { number in
      DetailLine(
        "Chapter \(number)" + (number == 3 ? (0..<60).map { " word\($0)" }.joined() : ""),
        label: "\(number):00", time: .seconds(number * 60))
    }
    _ = model.reduce(.page("k2", .chapters, .lines(lines)))
    return model
  }

  private func selection(_ model: BrowseModel) -> Int? {
    guard case .details(let details)? = model.overlay else { return nil }
    return details.selection
  }

  @Test func `a chapter is played from`() {
    var model = chapters(9)
    #expect(model.reduce(.key(.enter)) == [.play("k2", from: .zero)])
    #expect(lines(model)[11].contains("Enter play from here"))
    #expect(press(&model, "jj") == [] && selection(model) == 2)
    #expect(model.reduce(.key(.enter)) == [.play("k2", from: .seconds(120))])
    _ = model.reduce(playing("k2"))
    #expect(model.reduce(.key(.enter)) == [.control(.seek(.seconds(120)))])
    // In the notes Enter closes the page, as before.
    _ = model.reduce(.key(.tab))
    #expect(model.reduce(.key(.enter)) == [] && model.overlay == nil)
    // The chapter that is being played is selected.
    _ = press(&model, "i")
    _ = model.reduce(.details("k2", .lines([DetailLine("Notes")]), pages: [.notes, .chapters]))
    _ = model.reduce(.key(.tab))
    _ = model.reduce(
      .page("k2", .chapters, .lines((0..<30).map { DetailLine("\($0)", time: .seconds($0 * 60)) })))
    #expect(selection(model) == 12)
  }

  @Test func `the selection is seen, and long lines can be read`() {
    var model = chapters(30)
    let frame = { (model: BrowseModel) in
      BrowseView.frame(model, BrowseLook(hasColor: true, isUTF8: true))
    }
    var seen: Set<String> = []
    func reversed(_ model: BrowseModel) -> [String] {
      let frame = frame(model)
      return (4..<11).filter { frame.row($0).allSatisfy { $0.style.contains(.reverse) } }
        .map { frame.lines[$0] }
    }
    var count = 0
    while selection(model) != 29, count < 100 {
      #expect(!reversed(model).isEmpty)
      seen.formUnion(reversed(model))
      _ = press(&model, "j")
      count += 1
    }
    // Each row of the long line was on the screen.
    #expect(seen.count > 29 + 10 && count < 50)
    while selection(model) != 0, count < 200 {
      _ = press(&model, "k")
      #expect(!reversed(model).isEmpty)
      count += 1
    }
    _ = model.reduce(.key(.pageDown))
    #expect((1...7).contains(selection(model) ?? 0))
    _ = press(&model, "G")
    #expect(selection(model) == 29)
    _ = press(&model, "gg")
    #expect(selection(model) == 0)
    for rows in 1...12 { _ = model.reduce(.resized(ScreenSize(columns: 40, rows: rows))) }
    #expect(!reversed(model).isEmpty)
  }
}
