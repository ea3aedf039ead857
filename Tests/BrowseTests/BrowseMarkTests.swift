import BrowseScreen
import PodcastBrowse
import PodcastModel
import Testing

/// Marks of rows, what is asked before several are removed, and what an undo takes back.
struct BrowseMarkTests {
  private func model(
    _ states: [EpisodeState], columns: Int = 80, hasTrash: Bool = true
  ) -> BrowseModel {
    var model = BrowseModel(
      size: ScreenSize(columns: columns, rows: 24), source: "src", hasTrash: hasTrash)
    let rows = states.enumerated().map { RowListTests.row($0, state: $1) }
    _ = model.reduce(.library(RowList(rows.filter { $0.state != .remote })))
    _ = model.reduce(
      .podcast(
        "src", PodcastPage(title: "Show", author: "", episodes: rows, isFollowed: true)))
    return model
  }

  private func press(_ model: inout BrowseModel, _ keys: String) -> [BrowseEffect] {
    keys.flatMap { model.reduce(.key(.character($0))) }
  }

  private func marked(_ model: BrowseModel) -> [String] {
    model.episodes?.markedRows.map(\.key) ?? []
  }

  /// Changes of the rows while a range is being chosen, and which rows are marked after them and some
  /// moves.
  enum Change: CaseIterable {
    case sort, group, filter, arrival, lossOfStart, lossInside, move

    func change(_ list: inout RowList<EpisodeRow>) {
      func rows(_ numbers: some Sequence<Int>) -> [EpisodeRow] {
        numbers.map { number in
          RowListTests.row(
            number, title: number.isMultiple(of: 2) ? "even \(number)" : "odd \(number)")
        }
      }
      switch self {
      case .sort: list.arrangement.sort = .title
      case .group: list.arrangement.group = .state
      case .filter: list.setFilter("odd")
      // A row between the chosen ones: each has a day.
      case .arrival:
        list.set(
          rows(0..<10) + [
            EpisodeRow(key: "late", podcast: "Show", title: "late", date: rows(7..<8)[0].date)
          ])
      case .lossOfStart: list.set(rows((0..<10).filter { $0 != 8 }))
      case .lossInside: list.set(rows((0..<10).filter { $0 != 7 }))
      case .move:
        list.set(rows(0..<10))
        list.arrangement.sort = .oldest
      }
    }

    var expected: Set<String> {
      switch self {
      case .lossOfStart: ["k7", "k6"]
      case .lossInside: ["k8", "k6"]
      default: ["k8", "k7", "k6"]
      }
    }
  }

  @Test(arguments: Change.allCases)
  func `a range is of the rows that were seen, whatever changes`(change: Change) async throws {
    var model = model(Array(repeating: .complete, count: 10))
    _ = press(&model, "jvjj")
    #expect(Set(marked(model)) == ["k8", "k7", "k6"])
    guard var list = model.episodes else { return }
    change.change(&list)
    #expect(Set(list.markedRows.map(\.key)) == change.expected)
    #expect(list.markCount == change.expected.count)
    // A group of all rows has them in the same order: the range may go on.
    #expect(!list.choosesRange || change == .group)
    list.arrangement.sort = list.arrangement.sort == .oldest ? .newest : .oldest
    list.move(by: 100)
    #expect(Set(list.markedRows.map(\.key)) == change.expected)
  }

  @Test func `a range goes on when its rows are as they were`() {
    var model = model(Array(repeating: .complete, count: 5))
    _ = press(&model, "jvj")
    let rows = (0..<9).map { RowListTests.row($0, state: .complete) }
    _ = model.reduce(
      .podcast("src", PodcastPage(title: "Show", author: "", episodes: rows, isFollowed: true)))
    _ = press(&model, "j")
    #expect(marked(model) == ["k3", "k2", "k1"] && model.episodes?.choosesRange == true)
  }

  @Test(arguments: [40, 80])
  func `marks are counted, also those that a filter hides, and keys act on them`(columns: Int) {
    var model = model(Array(repeating: .complete, count: 30), columns: columns)
    _ = press(&model, "   ")
    func header() -> String {
      BrowseView.frame(model, BrowseLook(hasColor: false, isUTF8: true)).lines[1]
    }
    #expect(header().contains("3 marked"))
    _ = press(&model, "fepisode 1")
    _ = model.reduce(.key(.enter))
    #expect(header().contains("3 marked"))
    #expect(model.episodes?.selected?.title.hasPrefix("Episode 1") == true)
    #expect(press(&model, "x") == [])
    #expect(
      model.question
        == .remove(BrowseModel.Removal(["k27", "k28", "k29"], trashed: 3, unseen: 3)))
    let lines = BrowseView.frame(model, BrowseLook(hasColor: false, isUTF8: true)).lines
    #expect(lines.suffix(3).joined().contains("3 episodes (3 not on the screen)"))
    #expect(lines.last?.contains("no") == true)
    // A no keeps the marks, and so does a key that is refused.
    _ = press(&model, "n")
    #expect(marked(model).count == 3 && press(&model, "pcd") == [] && marked(model).count == 3)
    #expect(press(&model, "xy") == [.change(["k27", "k28", "k29"], .removed)])
    #expect(marked(model).isEmpty && !header().contains("marked"))
  }

  @Test func `the question says what goes to the trash, is deleted, or only forgotten`() {
    var model = model([
      .complete, .complete, .missing, .partial(received: 1 << 20, total: 9 << 20), .remote,
      .failed("No."), .partial(received: 0, total: 5),
    ])
    #expect(press(&model, "vGx") == [])
    let keys = ["k6", "k5", "k3", "k2", "k1", "k0"]
    let removal = BrowseModel.Removal(keys, trashed: 2, deleted: 2, bytes: nil)
    #expect(model.question == .remove(removal) && removal.forgotten == 2)
    #expect(
      BrowseText.text(.remove(removal))
        == "Remove 6 episodes? 2 to the trash, 2 deleted for good, 2 without a file only forgotten. "
        + "y: yes, any other key: no")
    #expect(press(&model, "y") == [.change(keys, .removed)])
    // Two of them come back.
    #expect(press(&model, "u") == [.change(["k0", "k1"], .restored)])
    #expect(model.message == "Restoring: 2 episodes")
    _ = model.reduce(.changed(["k1"], .restored))
    #expect(model.message == "Restored: Episode 1")
    // What failed for now can be tried again.
    _ = model.reduce(.unchanged(["k0"], .restored, "The disk is full."))
    #expect(press(&model, "u") == [.change(["k0"], .restored)])
    // The longest question ends with its keys in a narrow window too.
    _ = model.reduce(.resized(ScreenSize(columns: 40, rows: 24)))
    #expect(
      WrappedText.lines(
        BrowseText.text(
          .remove(
            BrowseModel.Removal(
              (0..<99_999).map(String.init), trashed: 33_333, deleted: 33_333, bytes: 1023 << 30,
              unseen: 99_999))), columns: 38
      ).count <= 5)
  }

  @Test func `an undo says what it takes back, and passes over nothing without a word`() {
    var model = model([.complete, .missing, .remote])
    _ = press(&model, "G")
    #expect(press(&model, "s") == [.change(["k0"], .starred(true))])
    #expect(press(&model, "kx") == [.change(["k1"], .removed)])
    #expect(press(&model, "kdc").count == 2)
    #expect(press(&model, "u") == [] && model.message == "The last change cannot be undone.")
    #expect(press(&model, "u") == [.change(["k0"], .starred(false))])
    #expect(model.message == "Unstarred again: Episode 0")
    #expect(press(&model, "u") == [] && model.message == "There is nothing to undo.")
    // What was refused is no change.
    _ = press(&model, "Gsm")
    _ = model.reduce(.unchanged(["k0"], .played(true), "No."))
    _ = press(&model, "Uy")
    #expect(press(&model, "u") == [.followAgain("src")])
    #expect(press(&model, "u") == [.change(["k0"], .starred(false))])
  }

  @Test func `speeds are forgotten with what they are of`() {
    var model = model([.remote, .remote])
    for end in [EpisodeState.partial(received: 5, total: 10), .paused(received: 5, total: 10)] {
      _ = model.reduce(.state("k1", .running(received: 5, total: 10)))
      _ = model.reduce(.speed("k1", 1000))
      #expect(model.speeds == ["k1": 1000])
      _ = model.reduce(.state("k1", end))
      _ = model.reduce(.speed("k1", 1000))
      #expect(model.speeds.isEmpty && model.downloadTotals.speed == 0)
    }
  }

  @Test func `an open podcast shows what another podget removes`() {
    var model = model([.complete, .partial(received: 1, total: 2), .complete])
    _ = model.reduce(.library([RowListTests.row(2, state: .complete)]))
    #expect(
      model.podcast?.list.shownRows.map(\.state) == [.complete, .remote, .removed])
    // What was cancelled here before it had bytes was not removed.
    model = self.model([.partial(received: 0, total: 2)])
    _ = model.reduce(.state("k0", .remote))
    _ = model.reduce(.library([]))
    #expect(model.podcast?.list.shownRows.map(\.state) == [.remote])
  }
}
