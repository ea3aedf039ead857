import BrowseScreen
import PodcastBrowse
import PodcastModel
import Testing

/// Words in titles, notes and transcripts, on the screen.
struct BrowseWordsTests {
  /// The library with three complete episodes.
  private func model() -> BrowseModel {
    var model = BrowseModel(size: ScreenSize(columns: 80, rows: 24))
    _ = model.reduce(.library(RowList((0..<3).map { RowListTests.row($0, state: .complete) })))
    _ = model.reduce(.key(.tab))
    return model
  }

  private func press(_ model: inout BrowseModel, _ keys: String) -> [BrowseEffect] {
    keys.flatMap { model.reduce(.key(.character($0))) }
  }

  private func enter(_ model: inout BrowseModel) -> [BrowseEffect] { model.reduce(.key(.enter)) }

  private func lines(_ model: BrowseModel) -> [String] {
    BrowseView.frame(model, BrowseLook(hasColor: true, isUTF8: true)).lines
  }

  private let found = [
    WordsPage.Line(key: "k1", DetailLine("Show: Episode 1", label: "2024-03-06")),
    WordsPage.Line(
      key: "k1", DetailLine("Bob: A fish \u{1B}[31m swims.", label: "12:31", time: .seconds(751))),
    WordsPage.Line(key: "k0", DetailLine("Show: Episode 0", label: "2024-03-05")),
  ]

  @Test func `w asks for words, and what is found can be played from its time`() {
    var model = model()
    #expect(press(&model, "wfish") == [])
    #expect(lines(model)[23].hasPrefix(" Words: fish"))
    #expect(enter(&model) == [.findWords("fish")])
    #expect(lines(model)[3].contains("Looking for it."))
    _ = model.reduce(.words("fish", found))
    let screen = lines(model)
    #expect(screen[1].hasPrefix(" Words: fish"))
    #expect(screen[3].hasPrefix(" 2024-03-06  Show: Episode 1"))
    #expect(screen[4].hasPrefix("      12:31  Bob: A fish"))
    #expect(!screen[4].contains("\u{1B}"))
    #expect(press(&model, "j") == [])
    #expect(enter(&model) == [.play("k1", from: .seconds(751))])
    #expect(press(&model, "ko") == [.play("k1")])
    // The page stays while it plays.
    #expect(model.wordsPage != nil)
    #expect(press(&model, "G") == [])
    #expect(press(&model, "i") == [.loadDetails("k0")])
  }

  @Test func `other words take the place of those before, whose results come too late`() {
    var model = model()
    _ = press(&model, "wfish")
    _ = enter(&model)
    // The words that were sought can be changed.
    _ = press(&model, "wes")
    #expect(enter(&model) == [.findWords("fishes")])
    _ = model.reduce(.words("fish", found))
    #expect(lines(model)[3].contains("Looking for it."))
    _ = model.reduce(.words("fishes", []))
    #expect(lines(model)[3].contains("No title has it"))
    #expect(enter(&model) == [])
    _ = model.reduce(.key(.escape))
    #expect(model.overlay == nil)
    // What comes now is for nobody.
    _ = model.reduce(.words("fishes", found))
    #expect(model.overlay == nil)
    #expect(press(&model, "w") == [] && enter(&model) == [])
  }

  @Test func `what is no expression is said on the page`() {
    var model = model()
    _ = press(&model, "wa(")
    #expect(enter(&model) == [.findWords("a(")])
    _ = model.reduce(.words("a(", [], failure: "\"a(\" is not a regular expression."))
    #expect(lines(model)[3].contains("is not a regular expression"))
  }
}
