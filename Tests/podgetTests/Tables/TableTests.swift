import PodcastModel
import Testing

@testable import podget

@Suite("Tables") struct TableTests {
  private var table: Table {
    table(.sample)
  }

  private func table(_ style: TerminalStyle) -> Table {
    var table = Table(
      columns: [
        .init(title: "Date"), .init(title: "Title", mayShrink: true),
        .init(title: "Size", alignment: .right),
      ], style: style)
    table.addRow(["2023-02-16", "275 - Michael Legaspi - Subjectivity", "23.0 MiB"])
    table.addRow(["2023-02-09", "日本語の\n題名🎉", "512 B"])
    return table
  }

  @Test("without UTF-8 truncated text is marked in ASCII") func ascii() {
    let lines = table(TerminalStyle(hasColor: false, isUTF8: false)).text(window: 40)
    #expect(
      lines.hasPrefix(
        """
        Date        Title               Size
        2023-02-16  275 - Michael Le...  23.0 MiB
        """) || lines.contains("..."))
    #expect(!lines.contains("…"))
  }

  @Test("without a window nothing is truncated") func unlimited() {
    #expect(
      table.text(window: nil) == """
        Date        Title                                     Size
        2023-02-16  275 - Michael Legaspi - Subjectivity  23.0 MiB
        2023-02-09  日本語の 題名🎉                          512 B

        """)
  }

  @Test("the title is truncated, the other columns stay") func fitted() {
    #expect(
      table.text(window: 40) == """
        Date        Title                   Size
        2023-02-16  275 - Michael Leg…  23.0 MiB
        2023-02-09  日本語の 題名🎉        512 B

        """)
  }

  @Test("no line is wider than the window", arguments: 1...60) func narrow(window: Int) {
    var table = table
    table.addHeading("The Symbolic World")
    for line in table.text(window: window).split(separator: "\n") {
      #expect(TerminalText.width(String(line)) <= window)
    }
  }

  @Test("a table without rows has no text") func empty() {
    #expect(Table(columns: [.init(title: "A")], style: .sample).text(window: 80) == "")
  }
}
