import BrowseScreen
import FoundationEssentials
import Glibc
import PodcastBrowse
import PodcastModel
import Testing

/// Screens as text, at three sizes.
struct BrowseViewTests {
  private static let look = BrowseLook(hasColor: true, isUTF8: true)

  private static func row(
    _ number: Int, _ title: String, _ state: EpisodeState, isStarred: Bool = false
  ) -> EpisodeRow {
    EpisodeRow(
      key: "\(number)", podcast: "The Symbolic World", title: title,
      date: Date(timeIntervalSince1970: 1_676_500_000 - Double(number) * 604_800),
      duration: .seconds(3000 + number * 77), size: 24_117_248 + Int64(number) * 1_000_000,
      isStarred: isStarred, state: state)
  }

  private static func model(_ columns: Int, _ rows: Int) -> BrowseModel {
    var model = BrowseModel(size: ScreenSize(columns: columns, rows: rows), source: "1386867488")
    _ = model.reduce(
      .podcast(
        "1386867488",
        PodcastPage(
          title: "The Symbolic World", author: "Jonathan Pageau",
          episodes: [
            row(
              0, "275 - Michael Legaspi - Subjectivity and the Psalms", .complete, isStarred: true),
            row(
              1, "274 - Icons of the end of the world, and what comes after it, Part 2", .remote),
            row(2, "273 - 世界の象徴 and its many readers", .queued),
            row(3, "272 - Pausing", .paused(received: 7, total: 100)),
            row(4, "271 - The Green Man", .failed("The server has no such file (404).")),
            row(5, "270 - Gone", .missing), row(6, "269 - Half", .partial(received: 1, total: 2)),
            row(7, "268 - Not here yet", .remote),
          ], isFollowed: true)))
    for (key, state) in [
      ("1", EpisodeState.running(received: 11_000_000, total: 25_117_248)), ("2", .queued),
    ] { _ = model.reduce(.state(key, state)) }
    return model
  }

  /// How long this thread has run.
  private static var threadTime: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  /// The screen as text; many empty rows are one line.
  private func lines(_ model: BrowseModel, _ look: BrowseLook = look) -> String {
    var lines: [String] = []
    for part in BrowseView.frame(model, look).lines.split(
      separator: "", omittingEmptySubsequences: false)
    {
      if part.isEmpty, let last = lines.last?.split(separator: " "), last.last == "empty",
        let count = last.first.flatMap({ Int($0) })
      {
        lines[lines.count - 1] = "\(count + 1) empty"
      } else {
        if !lines.isEmpty { lines.append("1 empty") }
        lines += part
      }
    }
    return lines.joined(separator: "\n")
  }

  @Test func `40 by 12`() {
    #expect(
      lines(Self.model(40, 12)) == """
         Catalog  Library  New  Downloads    1↓
         The Symbolic World — Jonat… 8 episodes
        ────────────────────────────────────────
         ✓★ 275 - Michael Legaspi - …  complete
         ↓  274 - Icons of th… Part 2  43%
         ·  273 - 世界の象徴 and its…  queued
         =  272 - Pausing              7%
         ✗  271 - The Green Man        failed
         ?  270 - Gone                 missing
         ◐  269 - Half                 50%
            268 - Not here yet
         ? help  q quit  o play  s star
        """)
  }

  @Test func `a narrow header has the number of rows`() {
    var model = Self.model(40, 12)
    for (key, note) in [("t", "8 episodes, oldest"), ("b", "8 episodes, oldest")] {
      _ = model.reduce(.key(.character(Character(key))))
      #expect(lines(model).split(separator: "\n")[1].hasSuffix(" " + note))
    }
    _ = model.reduce(.key(.character("f")))
    _ = model.reduce(.key(.paste("274")))
    #expect(lines(model).split(separator: "\n")[1].hasSuffix(" 1 of 8, oldest"))
  }

  @Test func `80 by 24`() {
    #expect(
      lines(Self.model(80, 24)) == """
         Catalog  Library  New  Downloads                           1 running, 1 queued
         The Symbolic World — Jonathan Pageau [subscribed]                   8 episodes
        ────────────────────────────────────────────────────────────────────────────────
         ✓★ 275 - Michael Legaspi - Subjectivity a…  2023-02-15    50:00  complete
         ↓  274 - Icons of the end of the w… Part 2  2023-02-08    51:17  ███░░░░░  43%
         ·  273 - 世界の象徴 and its many readers    2023-02-01    52:34  queued
         =  272 - Pausing                            2023-01-25    53:51  paused 7%
         ✗  271 - The Green Man                      2023-01-18    55:08  failed
         ?  270 - Gone                               2023-01-11    56:25  missing
         ◐  269 - Half                               2023-01-04    57:42  partial 50%
            268 - Not here yet                       2022-12-28    58:59
        11 empty
        1 empty
         ? help  q quit  o play  s star  x remove  i details  D all  / filter  b group
        """)
  }

  @Test func `200 by 50`() {
    #expect(
      lines(Self.model(200, 50)) == """
         Catalog  Library  New  Downloads                                                                                                                                                   1 running, 1 queued
         The Symbolic World — Jonathan Pageau [subscribed]                                                                                                                                           8 episodes
        ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
         ✓★ 275 - Michael Legaspi - Subjectivity and the Psalms                                                                                                2023-02-15    50:00  23.0 MiB  complete
         ↓  274 - Icons of the end of the world, and what comes after it, Part 2                                                                               2023-02-08    51:17  24.0 MiB  █████░░░░░░░  43%
         ·  273 - 世界の象徴 and its many readers                                                                                                              2023-02-01    52:34  24.9 MiB  queued
         =  272 - Pausing                                                                                                                                      2023-01-25    53:51  25.9 MiB  paused 7%
         ✗  271 - The Green Man                                                                                                                                2023-01-18    55:08  26.8 MiB  failed
         ?  270 - Gone                                                                                                                                         2023-01-11    56:25  27.8 MiB  missing
         ◐  269 - Half                                                                                                                                         2023-01-04    57:42  28.7 MiB  partial 50%
            268 - Not here yet                                                                                                                                 2022-12-28    58:59  29.7 MiB
        37 empty
        1 empty
         ? help  q quit  o play  s star  x remove  i details  D all  / filter  b group  t sort  Tab library
        """)
  }

  @Test func `a library of several podcasts names them in 80 columns`() {
    var model = BrowseModel(size: ScreenSize(columns: 80, rows: 24))
    let rows = [
      RowListTests.row(1, podcast: "First Show"), RowListTests.row(2, podcast: "Second Show"),
    ]
    _ = model.reduce(.library(RowList(rows)))
    _ = model.reduce(.key(.tab))
    #expect(lines(model).contains("First Show") && lines(model).contains("Second Show"))
    // One of them needs no name.
    _ = model.reduce(.library(RowList([rows[0]])))
    #expect(!lines(model).contains("First Show"))
  }

  @Test func `80 by 24 in ASCII`() {
    let text = lines(Self.model(80, 24), BrowseLook(hasColor: false, isUTF8: false))
    #expect(text.utf8.count == text.unicodeScalars.count)
    #expect(text.contains("###-----"))
  }

  @Test func `the library in groups`() {
    var model = Self.model(80, 24)
    _ = model.reduce(
      .library([Self.row(0, "275", .complete), Self.row(6, "269", .complete)]))
    _ = model.reduce(.key(.tab))
    for _ in 0..<4 { _ = model.reduce(.key(.character("b"))) }
    _ = model.reduce(.key(.down))
    #expect(
      lines(model) == """
         Catalog  Library  New  Downloads                           1 running, 1 queued
         Library                                                   2 episodes, by month
        ────────────────────────────────────────────────────────────────────────────────
         2023-02
         ✓  275                                      2023-02-15    50:00  complete
         2023-01
         ✓  269                                      2023-01-04    57:42  complete
        15 empty
        1 empty
         ? help  q quit  o play  s star  x remove  i details  D all  / filter  b group
        """)
  }

  @Test(arguments: [40, 80, 120])
  func `what is new, with its podcasts`(columns: Int) {
    var model = Self.model(columns, 12)
    #expect(model.reduce(.key(.backTab)) == [] && model.reduce(.key(.backTab)) == [.loadNew])
    let rows = [Self.row(0, "275", .complete), Self.row(1, "274", .remote)]
    _ = model.reduce(.new(RowList(rows), counts: ["symbolic": 2]))
    let text = lines(model)
    #expect(text.hasPrefix(" Catalog  Library  New "))
    #expect(text.contains("\n New ") && text.contains(" 2 episodes\n"))
    #expect(text.contains("\n ✓  275 ") && text.contains("\n ↓  274 "))
    #expect(text.contains("The Symbolic") == (columns > 40))
    _ = model.reduce(.key(.character("b")))
    #expect(lines(model).contains("\n The Symbolic World (2)\n"))
    // The podcasts have the number too.
    for _ in 0..<2 { _ = model.reduce(.key(.tab)) }
    _ = model.reduce(.key(.escape))
    _ = model.reduce(
      .subscriptions([PodcastRow(source: "symbolic", title: "Symbols", note: "failing")]))
    #expect(lines(model).contains(" 2 new, failing") == (columns > 40))
    _ = model.reduce(.new([], counts: [:]))
    #expect(!lines(model).contains("2 new"))
  }

  @Test func `rows that are being read have places`() {
    let model = BrowseModel(size: ScreenSize(columns: 40, rows: 8), source: "show")
    #expect(
      lines(model) == """
         Catalog  Library  New  Downloads
         show
        ────────────────────────────────────────
            ░░░░░░░░░░░░░░░░░░░░
            ░░░░░░░░░░░░░░░░░
            ░░░░░░░░░░░░░░
            ░░░░░░░░░░░
         ? help  q quit  i details  D all
        """)
  }

  @Test func `very long notes are wrapped once, not for each frame`() {
    var model = Self.model(80, 24)
    _ = model.reduce(.key(.enter))
    let text = String(repeating: "Words of a very long text about an episode. ", count: 10_000)
    let start = Self.threadTime
    _ = model.reduce(.details("0", .lines([DetailLine(text)])))
    let wrapped = Self.threadTime
    for _ in 0..<20 {
      _ = model.reduce(.key(.down))
      _ = BrowseView.frame(model, Self.look)
    }
    #expect(Self.threadTime - wrapped < (wrapped - start) * 10)
    let before = lines(model)
    _ = model.reduce(.resized(ScreenSize(columns: 40, rows: 24)))
    #expect(lines(model) != before)
    // At the end of a page in a larger window its last lines are still there.
    _ = model.reduce(.key(.end))
    _ = model.reduce(.resized(ScreenSize(columns: 200, rows: 50)))
    #expect(BrowseView.frame(model, Self.look).lines[3..<49].allSatisfy { !$0.isEmpty })
  }

  @Test func `a message that does not fit into a row takes more, and three at most`() {
    var model = Self.model(40, 12)
    let reason = "The connection to feeds.example.org was closed. Try again later."
    _ = model.reduce(.message(reason))
    let frame = BrowseView.frame(model, Self.look)
    #expect(
      frame.lines.suffix(3) == [
        " ◐  269 - Half                 50%", " The connection to feeds.example.org",
        " was closed. Try again later.",
      ])
    _ = model.reduce(.message(String(repeating: reason + " ", count: 9)))
    let last = BrowseView.frame(model, Self.look).lines
    #expect(last[8].contains("Gone") && last[11].hasSuffix("…"))
    for rows in 1...5 {
      _ = model.reduce(.resized(ScreenSize(columns: 40, rows: rows)))
      #expect(BrowseView.frame(model, Self.look).lines.count == rows)
    }
  }

  @Test func `what is paused does not count as running`() {
    var model = Self.model(80, 24)
    _ = model.reduce(.state("3", .paused(received: 7, total: 100)))
    #expect(BrowseView.frame(model, Self.look).lines[0].hasSuffix(" 1 running, 1 queued, 1 paused"))
    _ = model.reduce(.resized(ScreenSize(columns: 40, rows: 12)))
    #expect(BrowseView.frame(model, Self.look).lines[0].hasSuffix("Downloads    1↓"))
    _ = model.reduce(.resized(ScreenSize(columns: 34, rows: 12)))
    #expect(BrowseView.frame(model, Self.look).lines[0].hasSuffix("New  Downloads"))
  }

  @Test func `one episode is one episode`() {
    var model = Self.model(80, 24)
    _ = model.reduce(.library([Self.row(0, "275", .complete)]))
    _ = model.reduce(.key(.tab))
    #expect(lines(model).contains(" 1 episode\n"))
  }

  @Test func `the reason of a failure cannot write to the terminal`() {
    var model = Self.model(80, 24)
    _ = model.reduce(.state("0", .failed("Bad\u{1B}[2Janswer\u{9B}2J.")))
    _ = model.reduce(.key(.enter))
    #expect(lines(model).contains("Bad"))
    #expect(lines(model).unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 })
    #expect(!lines(model).unicodeScalars.contains("\u{9B}"))
  }

  @Test func `an address is shown without its password and its token`() {
    var model = BrowseModel(
      size: ScreenSize(columns: 80, rows: 8),
      source: "https://ann:secret@example.org/feed?token=abc")
    #expect(lines(model).contains(" https://example.org/feed?…\n"))
    _ = model.reduce(.podcastFailed("https://ann:secret@example.org/feed?token=abc", "No."))
    #expect(!lines(model).contains("secret") && !lines(model).contains("abc"))
  }

  @Test func `a text that is typed is shown with its end`() {
    var model = Self.model(40, 12)
    _ = model.reduce(.key(.character("a")))
    _ = model.reduce(.key(.paste(String(repeating: "words and ", count: 9) + "end")))
    let last = BrowseView.frame(model, Self.look).lines.last ?? ""
    #expect(last.hasPrefix(" Search: ") && last.hasSuffix("words and end"))
  }

  @Test func `details are wrapped and scroll`() {
    var model = Self.model(40, 12)
    _ = model.reduce(.key(.enter))
    #expect(lines(model).contains("Reading what the podcast says"))
    let text = (1...40).map { DetailLine("Paragraph \($0) with some words in it.") }
    _ = model.reduce(.details("0", .lines(text)))
    #expect(lines(model).contains("Paragraph 1 with"))
    _ = model.reduce(.key(.end))
    #expect(
      lines(model).contains("Paragraph 40 with") && !lines(model).contains("Paragraph 1 with"))
    #expect(!lines(model).contains("\u{1B}"))
  }

  private static func details(_ columns: Int, _ rows: Int) -> BrowseModel {
    var model = model(columns, rows)
    _ = model.reduce(.key(.enter))
    _ = model.reduce(
      .details(
        "0", .lines([DetailLine("Link: https://example.org/275"), DetailLine("What we say.")]),
        pages: [.notes, .chapters, .transcript]))
    return model
  }

  private static let chapters = DetailText.lines([
    DetailLine("Welcome", label: "0:00"), DetailLine("The book of Psalms", label: "12:05"),
    DetailLine("What an icon is, 聖像 and where it comes from", label: "1:02:03"),
  ])

  @Test func `details, 40 by 12`() {
    var model = Self.details(40, 12)
    #expect(
      lines(model) == """
         Catalog  Library  New  Downloads    1↓
         The Symbolic World — Jonat… 8 episodes
        ────────────────────────────────────────
          Notes  Chapters  Transcript
         275 - Michael Legaspi - Subjectivity
         and the Psalms
         The Symbolic World
         2023-02-15, 50:00, 23.0 MiB
        1 empty
         Link: https://example.org/275
         What we say.
         Esc back  j k scroll  Tab chapters
        """)
    _ = model.reduce(.key(.tab))
    _ = model.reduce(.page("0", .chapters, Self.chapters))
    #expect(
      lines(model) == """
         Catalog  Library  New  Downloads    1↓
         275 - Michael Legaspi - Subjectivity …
        ────────────────────────────────────────
          Notes  Chapters  Transcript
            0:00  Welcome
           12:05  The book of Psalms
         1:02:03  What an icon is, 聖像 and
                  where it comes from
        2 empty
        1 empty
         Esc back  j k scroll  Tab transcript
        """)
  }

  @Test func `a transcript, 80 by 24 and 200 by 50`() {
    for (columns, rows) in [(80, 24), (200, 50)] {
      var model = Self.details(columns, rows)
      _ = model.reduce(.key(.backTab))
      #expect(lines(model).contains("\n Reading the transcript.\n"))
      _ = model.reduce(.page("0", .transcript, .failed("The server has no such file (404).")))
      #expect(lines(model).contains("\n The server has no such file (404).\n"))
      #expect(lines(model).hasSuffix(" Esc back  j k scroll  Tab notes  r try again"))
      _ = model.reduce(
        .page(
          "0", .transcript,
          .lines([
            DetailLine("Ann: " + String(repeating: "word ", count: 20), label: "0:01"),
            DetailLine("Bob: Yes.", label: "12:00"),
          ])))
      let text = lines(model)
      #expect(text.contains("\n  0:01  Ann: word word"))
      #expect(text.contains("\n 12:00  Bob: Yes.\n"))
      #expect(text.contains("\n        word word") == (columns == 80))
    }
  }

  @Test func `a page of details cannot write to the terminal`() {
    var model = Self.details(80, 24)
    _ = model.reduce(.key(.tab))
    _ = model.reduce(
      .page("0", .chapters, .lines([DetailLine("a\u{1B}[2Jb", label: "\u{1B}c\u{9B}0:00")])))
    #expect(lines(model).contains("b"))
    #expect(
      lines(model).unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 && $0 != "\u{9B}" })
  }

  @Test func `no row is wider than the screen at any size`() {
    for columns in 1...300 {
      let frame = BrowseView.frame(Self.model(columns, 20), Self.look)
      #expect(frame.lines.count == 20)
      // What goes beyond the edge would be in the next row.
      let widest = frame.lines.map(TerminalText.width).max() ?? 0
      #expect(widest <= columns, "\(columns) columns")
    }
    for rows in 1...12 {
      let lines = BrowseView.frame(Self.model(40, rows), Self.look).lines
      #expect(lines.count == rows && lines.allSatisfy { TerminalText.width($0) <= 40 })
    }
  }

  @Test func `the selected row is reversed, and colors go when they are not wanted`() {
    var encoder = FrameEncoder()
    let model = Self.model(80, 24)
    let colored = String(
      decoding: encoder.bytes(for: BrowseView.frame(model, Self.look)), as: UTF8.self)
    #expect(colored.contains("\u{1B}[0;7m") && colored.contains(";36m"))
    encoder.forget()
    let plain = BrowseView.frame(model, BrowseLook(hasColor: false, isUTF8: true))
    let bytes = String(decoding: encoder.bytes(for: plain), as: UTF8.self)
    #expect(bytes.contains("\u{1B}[0;7m") && !bytes.contains(";3"))
  }

  @Test func `scrolling through 10,000 rows draws sixty frames a second`() {
    var model = Self.model(200, 50)
    _ = model.reduce(
      .podcast(
        "1386867488",
        PodcastPage(
          title: "Long", author: "",
          episodes: (0..<10_000).map { Self.row($0, "Episode \($0)", .remote) }, isFollowed: true)))
    var encoder = FrameEncoder()
    var bytes = 0
    let start = Self.threadTime
    for _ in 0..<120 {
      _ = model.reduce(.key(.down))
      bytes += encoder.bytes(for: BrowseView.frame(model, Self.look)).count
    }
    // Two seconds' worth, which a pipe of 1 MB/s carries. Other tests take no time of this thread.
    #expect(Self.threadTime - start < .seconds(2))
    #expect(bytes < 2_000_000)
  }
}
