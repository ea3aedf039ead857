import FoundationEssentials
import PodcastBrowse
import Testing

/// Lists that keep their selection on a row.
struct RowListTests {
  static func row(
    _ number: Int, title: String? = nil, podcast: String = "Show", day: Int? = nil,
    state: EpisodeState = .remote
  ) -> EpisodeRow {
    EpisodeRow(
      key: "k\(number)", podcast: podcast, title: title ?? "Episode \(number)",
      date: Date(timeIntervalSince1970: Double(day ?? number) * 86_400),
      duration: .seconds(600 + number), size: Int64(number) * 1_000_000, state: state)
  }

  private func list(_ numbers: Range<Int>) -> RowList<EpisodeRow> {
    var list = RowList<EpisodeRow>()
    list.set(numbers.map { Self.row($0) })
    return list
  }

  private func select(_ key: String, in list: inout RowList<EpisodeRow>) {
    list.move(by: -list.count)
    list.move(by: list.shownRows.firstIndex { $0.key == key } ?? 0)
  }

  private func titles(_ list: RowList<EpisodeRow>) -> [String] {
    list.lines.map { line in
      switch line {
      case .heading(let name): "# \(name)"
      case .row(let place): list.rows[place].title
      }
    }
  }

  @Test func `the newest is first and selected`() {
    let list = list(1..<4)
    #expect(titles(list) == ["Episode 3", "Episode 2", "Episode 1"])
    #expect(list.selected?.key == "k3")
  }

  @Test func `the selection stays on its row when others come and go`() {
    var list = list(1..<10)
    select("k5", in: &list)
    list.set((1..<20).map { Self.row($0) })
    #expect(list.selected?.key == "k5")
    #expect(list.selection == 14)
    list.arrangement.sort = .oldest
    #expect(list.selected?.key == "k5")
    list.set((1..<20).filter { $0 != 5 }.map { Self.row($0) })
    // The next row takes its place.
    #expect(list.selected?.key == "k6")
  }

  @Test func `a filter keeps the selected row, and gives it back`() {
    var list = list(1..<30)
    select("k12", in: &list)
    list.setFilter("EPISODE 1")
    #expect(list.selected?.key == "k12")
    #expect(list.count == 12)
    list.setFilter("nothing like it")
    #expect(list.selected == nil && list.lines.isEmpty)
    list.setFilter("")
    #expect(list.selected?.key == "k12")
  }

  @Test(
    arguments: zip(
      RowArrangement.Group.allCases,
      [
        ["A2", "B2", "A1", "B0"], ["# A (2)", "A2", "A1", "# B (2)", "B2", "B0"],
        ["# 1971-02-05", "A2", "B2", "# 1970-02-05", "A1", "# 1970-01-01", "B0"],
        ["# 1971-W05", "A2", "B2", "# 1970-W06", "A1", "# 1970-W01", "B0"],
        ["# 1971-02", "A2", "B2", "# 1970-02", "A1", "# 1970-01", "B0"],
        ["# 1971", "A2", "B2", "# 1970", "A1", "B0"],
      ]))
  func `rows are grouped`(group: RowArrangement.Group, expected: [String]) {
    var list = RowList<EpisodeRow>()
    list.set([
      Self.row(1, title: "A1", podcast: "A", day: 35),
      Self.row(2, title: "A2", podcast: "A", day: 400),
      Self.row(3, title: "B2", podcast: "B", day: 400),
      Self.row(4, title: "B0", podcast: "B", day: 0),
    ])
    list.arrangement.group = group
    #expect(titles(list) == expected)
    #expect(list.selected != nil)
  }

  @Test func `rows without a date are the last group`() {
    var list = RowList<EpisodeRow>()
    list.set([EpisodeRow(key: "u", podcast: "A", title: "undated"), Self.row(1)])
    list.arrangement.group = .year
    #expect(titles(list) == ["# 1970", "Episode 1", "# Undated", "undated"])
    list.arrangement.sort = .oldest
    #expect(titles(list) == ["# 1970", "Episode 1", "# Undated", "undated"])
  }

  @Test(
    arguments: zip(
      RowArrangement.Sort.allCases,
      [
        ["c", "a", "b"], ["b", "a", "c"], ["a", "b", "c"], ["c", "b", "a"], ["c", "b", "a"],
        ["c", "a", "b"],
      ]))
  func `rows are sorted`(sort: RowArrangement.Sort, expected: [String]) {
    var list = RowList<EpisodeRow>()
    list.set([
      Self.row(1, title: "a", day: 5), Self.row(2, title: "b", day: 4),
      Self.row(3, title: "c", day: 6),
    ])
    list.arrangement.sort = sort
    #expect(titles(list) == expected)
  }

  @Test func `texts are sorted by all their bytes, and equal ones by their dates`() {
    let starts = ["", "The Long Show: ", "The Long Show of Somebody: 00"]
    let ends = ["", "a", "ab", "abcdefgh", "abcdefghi", "é", "z\u{1F600}", "12", "1", "b", "b"]
    // Many of them and few have an own way.
    let titles = starts.flatMap { start in (ends + ends + ends).map { start + $0 } }.shuffled()
    let rows = titles.enumerated().map {
      Self.row($0, title: $1, podcast: $1, day: $0)
    }
    let expected = rows.sorted { one, other in
      let (left, right) = (Array(one.searchText.utf8), Array(other.searchText.utf8))
      return left == right
        ? (one.date ?? .distantPast) > (other.date ?? .distantPast)
        : left.lexicographicallyPrecedes(right)
    }
    let times = RowList(
      [-3e9, 7, 0, -0.0, 1e-3, 1e12, -7].enumerated().map { place, seconds in
        EpisodeRow(
          key: "\(place)", podcast: "", title: "", date: Date(timeIntervalSince1970: seconds))
      } + [EpisodeRow(key: "7", podcast: "", title: "")])
    #expect(times.shownRows.map(\.key) == ["5", "1", "4", "2", "3", "6", "0", "7"])
    for sort in [RowArrangement.Sort.title, .podcast] {
      var list = RowList(rows)
      list.arrangement.sort = sort
      #expect(list.shownRows == expected)
    }
  }

  @Test func `a filter finds what each text has, and nothing across two texts`() {
    let alphabet: [Character] = ["a", "b", "é", " "]
    var random = SystemRandomNumberGenerator()
    let titles = (0..<200).map { _ in
      String((0..<Int.random(in: 0...6)).map { _ in alphabet.randomElement(using: &random) ?? "a" })
    }
    var list = RowList(titles.enumerated().map { Self.row($0, title: $1, podcast: "ab") })
    for filter in ["a", "ab", "ba", "é", "aa b", "bab", "\nab", "b\na", "\0", "q", "ab ab", ""] {
      list.setFilter(filter)
      let words = filter.split(separator: " ").map { Array($0.utf8) }
      let expected = list.rows.filter { row in
        words.allSatisfy { Array(row.searchText.utf8).contains($0) }
      }
      #expect(Set(list.shownRows) == Set(expected), "\(filter.debugDescription)")
    }
    list.setFilter("other")
    list.update("k1") { $0 = Self.row(1, title: "Another") }
    list.setFilter("nother")
    #expect(list.shownRows.map(\.key) == ["k1"])
  }

  @Test func `moving skips headings and stops at the ends`() {
    var list = RowList<EpisodeRow>()
    list.set((1..<6).map { Self.row($0, podcast: "P\($0)") })
    list.arrangement.group = .podcast
    list.move(by: -100)
    #expect(list.selected?.key == "k1")
    list.move(by: 1)
    #expect(list.selected?.key == "k2")
    list.move(by: 100)
    #expect(list.selected?.key == "k5")
    list.move(by: -2)
    #expect(list.selected?.key == "k3")
    list.scroll(height: 2)
    #expect(list.lines[list.top] == .heading("P3 (1)"))
  }

  @Test func `the selection is always on the screen`() {
    var list = list(0..<100)
    for (step, height) in [(40, 10), (-7, 10), (100, 3), (-100, 1), (50, 200)] {
      list.move(by: step)
      list.scroll(height: height)
      let selection = list.selection ?? -1
      #expect((list.top..<list.top + height).contains(selection))
      #expect(list.top >= 0)
    }
  }

  @Test func `a screen of one line scrolls past headings`() {
    var list = RowList<EpisodeRow>()
    list.set((1..<6).map { Self.row($0, podcast: "P\($0)") })
    list.arrangement.group = .podcast
    var seen: [String] = []
    for step in Array(repeating: 1, count: 9) + Array(repeating: -1, count: 9) {
      list.scroll(by: step, height: 1)
      list.scroll(height: 1)
      if let key = list.selected?.key, seen.last != key { seen.append(key) }
    }
    #expect(seen == ["k1", "k2", "k3", "k4", "k5", "k4", "k3", "k2", "k1"])
  }

  @Test(arguments: [("", RowArrangement.Sort.newest), ("1", .newest), ("", .title), ("2", .size)])
  func `a list that another thread has sorted is taken as its rows are`(
    filter: String, sort: RowArrangement.Sort
  ) {
    var expected = list(1..<30)
    expected.setFilter(filter)
    expected.arrangement.sort = sort
    expected.move(by: 3)
    for numbers in [1..<40, 5..<25, 12..<13, 50..<50] {
      let rows = numbers.map { Self.row($0) }
      var taken = expected
      taken.take(RowList(rows))
      expected.set(rows)
      #expect(taken == expected)
    }
  }

  @Test func `progress does not sort thousands of rows again`() {
    var list = list(0..<10_000)
    let clock = ContinuousClock()
    let time = clock.measure {
      for step in 0..<1000 {
        list.update("k5000") { $0.state = .running(received: Int64(step), total: 1000) }
      }
    }
    #expect(list.row(key: "k5000")?.state == .running(received: 999, total: 1000))
    #expect(time < .seconds(1))
  }
}
