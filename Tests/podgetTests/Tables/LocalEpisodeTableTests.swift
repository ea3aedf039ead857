import PodcastModel
import Testing

@testable import PodcastLibrary
@testable import podget

@Suite("The table of list") struct LocalEpisodeTableTests {
  private static let episodes = [
    Sample.local("275 - Psalms", "2024-02-02", bytes: 24_117_248, minutes: 50),
    Sample.local(
      "274 - The West", "2024-02-01", status: .partial, bytes: 1_048_576, total: 2_097_152,
      minutes: 77),
    Sample.local("x", podcast: Sample.other, status: .missing),
  ]

  private func table(window: Int?) -> LocalEpisodeTable {
    LocalEpisodeTable(
      status: StatusText(isShort: window != nil, isUTF8: true), window: window, style: .sample)
  }

  @Test("for a pipe everything is in words") func pipe() {
    #expect(
      table(window: nil).text(Self.episodes) == """
        Status       Date        Title           Podcast             Duration      Size
        complete     2024-02-02  275 - Psalms    The Symbolic World     50:00  23.0 MiB
        partial 50%  2024-02-01  274 - The West  The Symbolic World   1:17:00   1.0 MiB
        missing                  x               another show

        3 episodes, 24.0 MiB, 1 partial, 1 missing

        """)
  }

  @Test("removed episodes have no bytes in the total") func removed() {
    let episodes = [Sample.local("apple", "2024-02-02", status: .removed)]
    #expect(table(window: nil).text(episodes).hasSuffix("apple\n\n1 episode\n"))
  }

  @Test("groups have headings with totals; those by podcast need no column for it") func groups() {
    let groups = ListGroup.groups(
      of: Self.episodes, by: .podcast, podcasts: Sample.podcasts(of: Self.episodes),
      isReversed: false)
    #expect(
      table(window: 80).text(groups, by: .podcast) == """
                 Date        Title           Duration      Size

        another show: 1 episode, 0 B, 1 missing
        missing              x

        The Symbolic World: 2 episodes, 24.0 MiB, 1 partial
        ✓        2024-02-02  275 - Psalms       50:00  23.0 MiB
        50%      2024-02-01  274 - The West   1:17:00   1.0 MiB

        3 episodes, 24.0 MiB, 1 partial, 1 missing

        """)
  }

  @Test("no line is wider than the window, and nothing controls a terminal", arguments: 1...100)
  func narrow(window: Int) {
    let episodes = Sample.titles.map { Sample.local($0, "2024-02-02", bytes: 1, minutes: 1) }
    let table = table(window: window)
    let groups = ListGroup.groups(
      of: episodes, by: .day, podcasts: Sample.podcasts(of: episodes), isReversed: false)
    for text in [table.text(Self.episodes + episodes), table.text(groups, by: .day)] {
      #expect(!hasUnsafeScalars(text))
      for line in text.split(separator: "\n") {
        #expect(TerminalText.width(String(line)) <= window)
      }
    }
  }

  @Test("sizes that no disk has do not overflow") func overflow() {
    let sparse = Sample.local("a", bytes: .max)
    #expect(LocalEpisodeTable.total([sparse, sparse]).hasPrefix("2 episodes, "))
  }

  @Test("without episodes there is no table") func empty() {
    #expect(table(window: 80).text([]) == "")
    #expect(table(window: 80).text([], by: .day) == "")
  }

  @Test("starred episodes have a mark, and details are below a row, not truncated") func stars() {
    var starred = Sample.local("275 - The History of the West, Part 2", "2024-02-02", bytes: 1)
    starred.marks = EpisodeMarks(isStarred: true)
    let plain = Sample.local("274", "2024-02-01", bytes: 1)
    let table = LocalEpisodeTable(
      status: StatusText(isShort: true, isUTF8: true), window: 44, style: .sample, isDetailed: true)
    #expect(
      table.text([starred, plain]) == """
              Date        Title                 Size
        ✓  ★  2024-02-02  275 - The Hi… Part 2   1 B
            275 - The History of the West, Part 2  The Symbolic World/275 - The History of the West, \
        Part 2.mp3
        ✓     2024-02-01  274                    1 B
            274  The Symbolic World/274.mp3

        2 episodes, 2 B

        """)
  }
}
