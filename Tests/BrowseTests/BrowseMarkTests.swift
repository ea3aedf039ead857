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
      case .sort: list.arrange { $0.sort = .title }
      case .group: list.arrange { $0.group = .state }
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
        list.arrange { $0.sort = .oldest }
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
    list.arrange { $0.sort = $0.sort == .oldest ? .newest : .oldest }
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
    #expect(press(&model, "u") == [] && model.message == "The last change cannot be undone.")
    #expect(press(&model, "u") == [.change(["k0"], .starred(false))])
  }
}
