import BrowseScreen
import FoundationEssentials
import PodcastBrowse
import PodcastModel
import Testing

/// The trash on the screen.
struct BrowseTrashTests {
  private func row(_ number: Int, key: String? = nil) -> EpisodeRow {
    var row = EpisodeRow(
      key: key ?? "k\(number)", podcast: "Show", title: "Episode \(number)",
      date: Date(timeIntervalSince1970: Double(number) * 86_400), duration: .seconds(600),
      size: 1_000_000, state: key == nil ? .removed : .remote,
      keptUntil: Date(timeIntervalSince1970: Double(1000 - number) * 86_400))
    row.files = ["f\(number)"]
    return row
  }

  private func model(_ rows: [EpisodeRow], columns: Int = 80, hasTrash: Bool = true) -> BrowseModel
  {
    var model = BrowseModel(size: ScreenSize(columns: columns, rows: 24), hasTrash: hasTrash)
    _ = model.reduce(.library([]))
    #expect(press(&model, "T") == [.loadTrash])
    _ = model.reduce(.trash(RowList(rows)))
    return model
  }

  private func press(_ model: inout BrowseModel, _ keys: String) -> [BrowseEffect] {
    keys.flatMap { model.reduce(.key(.character($0))) }
  }

  private func press(_ model: inout BrowseModel, _ key: Key) -> [BrowseEffect] {
    model.reduce(.key(key))
  }

  private func lines(_ model: BrowseModel) -> [String] {
    BrowseView.frame(model, BrowseLook(hasColor: true, isUTF8: true)).lines
  }

  @Test func `T shows what was removed, what goes last at the top, and Esc goes back`() {
    var model = model([row(1), row(2)])
    #expect(model.episodes?.shownRows.map(\.key) == ["k1", "k2"])
    #expect(
      lines(model)[1...4] == [
        " Trash, with the day until which it is kept                    2 files, 1.9 MiB",
        String(repeating: "─", count: 80),
        " -  Episode 1                                   Show              1972-09-26",
        " -  Episode 2                                   Show              1972-09-25",
      ])
    _ = model.reduce(.key(.escape))
    #expect(model.episodes?.rows.isEmpty == true && lines(model)[1].hasPrefix(" Library"))
    // The tab is the library's when it is shown again.
    _ = press(&model, "T")
    _ = model.reduce(.key(.tab))
    _ = model.reduce(.key(.backTab))
    #expect(lines(model)[1].hasPrefix(" Library"))
    #expect(lines(self.model([], columns: 40))[3].contains("The trash is empty."))
    #expect(lines(self.model([row(1)], columns: 120))[3].contains("until 1972-09-26"))
    #expect(lines(self.model([row(1)], columns: 40))[3].contains("09-26"))
  }

  @Test func `R restores all marked rows, and an undo removes them again`() {
    var model = model([row(1), row(2), row(3)])
    #expect(press(&model, "  R") == [.change(["k1", "k2"], .restored)])
    #expect(model.trash.markedRows.isEmpty)
    _ = model.reduce(.changed(["k1", "k2"], .restored))
    #expect(model.message == "Restored: 2 episodes")
    _ = model.reduce(.trash(RowList([row(3)])))
    #expect(model.episodes?.shownRows.map(\.key) == ["k3"])
    #expect(press(&model, "u") == [.change(["k1", "k2"], .removed)])
    #expect(model.message.hasPrefix("Removing again: "))
    // They are in the trash again, which is said to be taken back by another undo.
    _ = model.reduce(.changed(["k1", "k2"], .removed))
    #expect(press(&model, "u") == [.change(["k1", "k2"], .restored)])
    _ = model.reduce(.changed(["k1", "k2"], .restored))
    // What cannot be restored has no undo.
    #expect(press(&model, "R") == [.change(["k3"], .restored)])
    _ = model.reduce(.unchanged(["k3"], .restored, "It is not there.", isFinal: true))
    #expect(press(&model, "u") == [] && model.message == "There is nothing to undo.")
    // Without a trash it would be deleted.
    var other = self.model([row(1)], hasTrash: false)
    #expect(press(&other, "R") == [.change(["k1"], .restored)])
    #expect(press(&other, "u") == [] && other.message == "The last change cannot be undone.")
  }

  @Test func `what is deleted for good is asked for, and only what was seen`() {
    var model = model([row(1), row(2), row(3)])
    #expect(
      press(&model, " x") == [] && model.question == .empty(["k1"], files: ["f1"], bytes: 1_000_000)
    )
    #expect(press(&model, "n") == [] && model.message == "Nothing is deleted.")
    #expect(press(&model, "xy") == [.deleteFromTrash(["k1"], files: ["f1"])])
    #expect(press(&model, "u") == [] && model.message == "The last change cannot be undone.")
    var both = row(3)
    both.files.append("f4")
    _ = model.reduce(.trash(RowList([row(2), both])))
    #expect(lines(model)[1].contains(" 3 files, "))
    _ = model.reduce(.key(.character("f")))
    for letter in "3" { _ = model.reduce(.key(.character(letter))) }
    _ = model.reduce(.key(.enter))
    #expect(
      press(&model, "X") == []
        && model.question == .empty(["k3"], files: ["f3", "f4"], bytes: 1_000_000))
    #expect(
      BrowseText.text(.empty(["k3"], files: ["f3", "f4"], bytes: 2048)).contains(
        "Delete 2 files (2.0 KiB)"))
    // What comes after the question is kept.
    both.files.append("f5")
    _ = model.reduce(.trash(RowList([row(2), both])))
    #expect(press(&model, "y") == [.deleteFromTrash(["k3"], files: ["f3", "f4"])])
  }

  @Test func `D leaves out what was marked as played, and d downloads it`() {
    var played = EpisodeRow(key: "p", podcast: "Show", title: "P", state: .remote)
    played.isPlayed = true
    let other = EpisodeRow(key: "o", podcast: "Show", title: "O", state: .remote)
    var model = model([])
    _ = model.reduce(.key(.escape))
    _ = model.reduce(.library([played, other]))
    #expect(press(&model, "D") == [.change(["o"], .wanted)])
    _ = model.reduce(.library([played]))
    #expect(press(&model, "d") == [.change(["p"], .wanted)])
  }

  @Test func `other keys change nothing there, and a replaced file says where it is`() {
    let path = ".podget/trash/file"
    var model = model([row(1, key: BrowseModel.replacedPrefix + path), row(2)])
    for letter in "dDpcsmo" {
      #expect(press(&model, String(letter)) == [] && model.message.hasPrefix("It is in the trash"))
    }
    #expect(press(&model, "R") == [] && model.message.contains(path))
    #expect(press(&model, .enter) == [] && model.overlay == nil)
    // Of several marked ones only removed episodes are restored.
    #expect(press(&model, "  R") == [.change(["k2"], .restored)])
    #expect(press(&model, "ki") == [] && press(&model, "ji") == [.loadDetails("k2")])
  }
}
