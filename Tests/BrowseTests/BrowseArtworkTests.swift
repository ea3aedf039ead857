import BrowseScreen
import FoundationEssentials
import PodcastArtwork
import PodcastBrowse
import PodcastModel
import Testing

/// Artworks: when they are asked for, and where they are on the screen.
struct BrowseArtworkTests {
  private static let look = BrowseLook(hasColor: true, isUTF8: true)
  private static let address = "https://example.org/a.png"
  private static let other = "https://example.org/b.png"

  private func page(_ artwork: String? = address, title: String = "The Show") -> PodcastPage {
    PodcastPage(
      title: title, author: "Somebody",
      episodes: (0..<9).map { number in
        EpisodeRow(
          key: "k\(number)", podcast: "The Show", title: "Number \(9 - number)",
          date: Date(timeIntervalSince1970: 1_700_000_000 - Double(number) * 86_400),
          duration: .seconds(61), size: 1 << 20,
          artwork: number == 1 ? Self.other : Self.address)
      }, isFollowed: true, artwork: artwork)
  }

  /// A podcast that is open on a screen.
  private func model(
    _ columns: Int = 80, _ rows: Int = 24, page: PodcastPage? = nil,
    cell: CellSize? = CellSize(checking: 10, 20)
  ) -> (model: BrowseModel, effects: [BrowseEffect]) {
    var model = BrowseModel(size: ScreenSize(columns: columns, rows: rows), source: "src")
    _ = model.reduce(.images(cell))
    let effects = model.reduce(.podcast("src", page ?? self.page()))
    return (model, effects)
  }

  private func lines(_ model: BrowseModel, _ look: BrowseLook = look) -> String {
    let lines = BrowseView.frame(model, look).lines
    // Rows without text in a row are one line.
    var kept: [String] = []
    for line in lines where !line.isEmpty || kept.last != "" { kept.append(line) }
    return kept.joined(separator: "\n")
  }

  private func thumbnail(_ width: Int = 300, _ height: Int = 300) throws -> Thumbnail {
    try TestPictures.plain(width, height, [1, 2, 3])
  }

  @Test func `the artwork of a podcast is asked for once, when the podcast is open`() throws {
    var (model, effects) = model()
    #expect(effects == [.loadArtwork(ArtworkWish(address: Self.address, owner: "src"))])
    #expect(model.artwork?.state == .waiting)
    #expect(model.reduce(.podcast("src", page())) == [])
    #expect(model.reduce(.key(.down)) == [])
    #expect(model.reduce(.artwork(Self.address, try thumbnail())) == [])
    #expect(model.artwork?.state == .image(try thumbnail()))
    // Another address for it, from the feed, changes nothing.
    #expect(model.reduce(.podcast("src", page(Self.other))) == [])
    #expect(model.artwork?.state == .image(try thumbnail()))
  }

  @Test func `nothing is asked for where no image can be shown`() {
    #expect(model(cell: nil).effects == [])
    #expect(model(59, 24).effects == [])
    #expect(model(80, 19).effects == [])
    #expect(model(page: page(nil)).effects == [])
    #expect(model(40, 12).model.headerRows == 1)
  }

  @Test func `who moves on waits for nothing, and what comes too late is ignored`() throws {
    var (model, _) = model()
    #expect(model.reduce(.key(.escape)) == [.loadArtwork(nil)])
    #expect(model.reduce(.artwork(Self.address, try thumbnail())) == [])
    #expect(model.artwork == nil)
    #expect(model.reduce(.podcast("src", page())) == [])
  }

  @Test func `the details of an episode have its own artwork`() throws {
    var (model, _) = model()
    _ = model.reduce(.artwork(Self.address, try thumbnail()))
    #expect(model.reduce(.key(.character("i"))) == [.loadDetails("k0")])
    #expect(model.artwork?.state == .image(try thumbnail()))
    #expect(model.reduce(.key(.escape)) == [])
    _ = model.reduce(.key(.down))
    #expect(
      model.reduce(.key(.character("i"))) == [
        .loadDetails("k1"), .loadArtwork(ArtworkWish(address: Self.other, owner: "k1")),
      ])
    #expect(model.artwork?.state == .waiting)
    // Back before it came: the podcast's is still there, and the other one is not waited for.
    #expect(model.reduce(.key(.escape)) == [.loadArtwork(nil)])
    #expect(model.artwork?.state == .image(try thumbnail()))
  }

  @Test func `New has the artwork of the selected episode, and a header of one height`() {
    var (model, _) = model()
    for _ in 0..<2 { _ = model.reduce(.key(.tab)) }
    let rows = [
      EpisodeRow(key: "a", podcast: "P", title: "First", artwork: Self.other),
      EpisodeRow(key: "b", podcast: "P", title: "Second"),
    ]
    #expect(
      model.reduce(.new(RowList(rows), counts: [:])) == [
        .loadArtwork(ArtworkWish(address: Self.other, owner: "a"))
      ])
    #expect(model.artwork?.state == .waiting && model.headerRows == 6)
    // Only what is selected is waited for.
    #expect(model.reduce(.key(.down)) == [.loadArtwork(nil)])
    #expect(model.artwork == nil && model.headerRows == 6)
    let lines = BrowseView.frame(model, BrowseLook(hasColor: true, isUTF8: true)).lines
    #expect(lines[1].hasPrefix(" New") && lines[2] == " Second" && lines[3] == " P")
    #expect(lines[8].contains("First") && lines[9].contains("Second"))
  }

  @Test func `a failed artwork is asked for again on a refresh`() throws {
    var (model, _) = model()
    #expect(model.reduce(.artwork(Self.address, nil)) == [])
    #expect(model.artwork?.state == .failed(""))
    #expect(model.reduce(.key(.down)) == [])
    #expect(
      model.reduce(.key(.character("r"))) == [
        .loadPodcast("src"), .loadArtwork(ArtworkWish(address: Self.address, owner: "src")),
      ])
    // A feed that names another one by now is believed.
    _ = model.reduce(.artwork(Self.address, nil))
    #expect(
      model.reduce(.podcast("src", page(Self.other))) == [
        .loadArtwork(ArtworkWish(address: Self.other, owner: "src"))
      ])
  }

  @Test func `a failed artwork of an episode is asked for again in its details`() {
    var (model, _) = model()
    _ = model.reduce(.key(.character("i")))
    #expect(model.reduce(.key(.character("r"))) == [])
    _ = model.reduce(.artwork(Self.address, nil))
    #expect(
      model.reduce(.key(.character("r"))) == [
        .loadArtwork(ArtworkWish(address: Self.address, owner: "k0"))
      ])
    #expect(model.artwork?.state == .waiting)
  }

  @Test func `an artwork is asked for when the window has room for it`() {
    var (model, effects) = model(59, 24)
    #expect(effects == [] && model.headerRows == 1)
    #expect(
      model.reduce(.resized(ScreenSize(columns: 80, rows: 24)))
        == [.loadArtwork(ArtworkWish(address: Self.address, owner: "src"))])
    #expect(model.headerRows == 6)
    #expect(model.reduce(.resized(ScreenSize(columns: 80, rows: 12))) == [.loadArtwork(nil)])
    #expect(model.headerRows == 1)
  }

  @Test func `the artwork of a found podcast is asked for before the podcast is read`() {
    var model = BrowseModel(size: ScreenSize(columns: 80, rows: 24))
    _ = model.reduce(.images(.assumed))
    _ = model.reduce(.key(.character("a")))
    _ = model.reduce(.key(.paste("words")))
    _ = model.reduce(.key(.enter))
    _ = model.reduce(
      .found("words", [PodcastRow(source: "7", title: "Show", artwork: Self.address)]))
    #expect(
      model.reduce(.key(.enter)) == [
        .loadPodcast("7"), .loadArtwork(ArtworkWish(address: Self.address, owner: "7")),
      ])
  }

  @Test func `80 by 24 while it loads`() {
    #expect(
      lines(model().model) == """
         Catalog  Library  New  Downloads                                        podget
         ░░░░░░░░░░░░  The Show                                              9 episodes
         ░░░░░░░░░░░░  Somebody
         ░░░░░░░░░░░░  [subscribed]
         ░░░░░░░░░░░░
         ░░░░░░░░░░░░
         ░░░░░░░░░░░░
        ────────────────────────────────────────────────────────────────────────────────
            Number 9                                 2023-11-14     1:01
            Number 8                                 2023-11-13     1:01
            Number 7                                 2023-11-12     1:01
            Number 6                                 2023-11-11     1:01
            Number 5                                 2023-11-10     1:01
            Number 4                                 2023-11-09     1:01
            Number 3                                 2023-11-08     1:01
            Number 2                                 2023-11-07     1:01
            Number 1                                 2023-11-06     1:01

         ? help  q quit  d download  i details  D all  / filter  b group  t sort
        """)
  }

  @Test func `80 by 24 with the image, which has cells of its own`() throws {
    var (model, _) = model()
    _ = model.reduce(.artwork(Self.address, try thumbnail()))
    let frame = BrowseView.frame(model, Self.look)
    #expect(frame.images.first?.area == CellArea(row: 1, column: 1, rows: 6, columns: 12))
    #expect(
      Array(frame.lines[1...7]) == [
        "               The Show                                              9 episodes",
        "               Somebody", "               [subscribed]", "", "", "",
        String(repeating: "─", count: 80),
      ])
    _ = model.reduce(.key(.escape))
    #expect(BrowseView.frame(model, Self.look).images == [])
  }

  @Test func `80 by 24 when it failed`() {
    var (model, _) = model()
    _ = model.reduce(.artwork(Self.address, nil))
    let frame = BrowseView.frame(model, Self.look)
    #expect(frame.images == [])
    #expect(
      Array(frame.lines[1...6]) == [
        "               The Show                                              9 episodes",
        "               Somebody", "      ✗        [subscribed]", "   no image", "", "",
      ])
    let ascii = BrowseView.frame(model, BrowseLook(hasColor: false, isUTF8: false))
    #expect(ascii.lines[3] == "      x        [subscribed]")
    // It says why.
    var other = self.model().0
    _ = other.reduce(
      .artwork(Self.address, nil, why: "The server has no \u{1B}such file, and says so at length."))
    let lines = BrowseView.frame(other, Self.look).lines
    #expect(lines[1].hasPrefix("      ✗        The Show") && lines[2].hasPrefix("  The server"))
    #expect(!lines.joined().contains("\u{1B}"))
  }

  @Test func `120 by 40 with a long title and a wide image`() throws {
    let title = String(repeating: "A title that goes on and on ", count: 9)
    var (model, _) = model(120, 40, page: page(title: title))
    _ = model.reduce(.artwork(Self.address, try thumbnail(300, 150)))
    let frame = BrowseView.frame(model, Self.look)
    #expect(frame.images.first?.area == CellArea(row: 1, column: 1, rows: 5, columns: 20))
    #expect(
      Array(frame.lines[1...11]) == [
        "                       A title that goes on and on A title that goes on and on A title that "
          + "goes on and on A 9 episodes",
        "                       title that goes on and on A title that goes on and on A title that "
          + "goes on and on A",
        "                       title that goes on and on A title that goes on and on A title that "
          + "goes on and on",
        "                       Somebody", "                       [subscribed]", "", "", "", "",
        "",
        String(repeating: "─", count: 120),
      ])
  }

  @Test func `40 by 12 is as without images`() throws {
    let plain = model(40, 12, cell: nil).model
    #expect(lines(model(40, 12).model) == lines(plain))
  }

  @Test func `80 by 24, the details of an episode`() throws {
    var (model, _) = model()
    _ = model.reduce(.key(.down))
    _ = model.reduce(.key(.enter))
    _ = model.reduce(.artwork(Self.other, try thumbnail()))
    _ = model.reduce(
      .details(
        "k1", .lines([DetailLine("What it is about."), DetailLine(""), DetailLine("More.")])))
    let frame = BrowseView.frame(model, Self.look)
    #expect(frame.images.first?.area == CellArea(row: 1, column: 1, rows: 6, columns: 12))
    #expect(
      lines(model) == """
         Catalog  Library  New  Downloads                                        podget
                       Number 8
                       The Show
                       2023-11-13, 1:01, 1.0 MiB

        ────────────────────────────────────────────────────────────────────────────────
         What it is about.

         More.

         Esc back  j k scroll  / search
        """)
    // Why it failed is not left out.
    _ = model.reduce(.state("k1", .failed("The server has no such file.")))
    _ = model.reduce(.key(.down))
    #expect(lines(model).contains("1.0 MiB, failed\n"))
    #expect(lines(model).contains("─\n The server has no such file.\n\n What it is about."))
  }

  @Test func `the list keeps its place while a page is over it`() throws {
    var (model, _) = model(80, 20)
    _ = model.reduce(.key(.end))
    let top = model.podcast?.list.top
    _ = model.reduce(.key(.character("?")))
    _ = model.reduce(.key(.escape))
    #expect(model.podcast?.list.top == top)
    // The last row is above the status, at every size.
    for rows in 18...60 {
      _ = model.reduce(.resized(ScreenSize(columns: 80, rows: rows)))
      let lines = BrowseView.frame(model, Self.look).lines
      #expect(lines.count { $0.contains("Number 1 ") } == 1, "\(rows) rows")
      #expect(lines.last?.hasPrefix(" ? help") == true)
    }
  }

  @Test func `no text is in the cells of the image at any size`() throws {
    for (columns, rows) in [(60, 20), (61, 47), (79, 24), (200, 50), (300, 200)] {
      var (model, _) = model(columns, rows)
      _ = model.reduce(.artwork(Self.address, try thumbnail()))
      let frame = BrowseView.frame(model, Self.look)
      let area = try #require(frame.images.first?.area, "\(columns) by \(rows)")
      #expect(area.row + area.rows < rows - 1 && area.column + area.columns < columns / 2)
      for row in area.row..<area.row + area.rows {
        #expect(frame.lines[row].prefix(area.column + area.columns).allSatisfy { $0 == " " })
      }
    }
  }
}
