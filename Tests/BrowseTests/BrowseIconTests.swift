import BrowseScreen
import FoundationEssentials
import PodcastArtwork
import PodcastBrowse
import PodcastModel
import Testing

/// Small artworks in the rows of what is new.
struct BrowseIconTests {
  private static let look = BrowseLook(hasColor: true, isUTF8: true)

  private func address(_ number: Int) -> String { "https://example.org/\(number).png" }

  private func icon(_ red: UInt8 = 1) throws -> Thumbnail {
    try TestPictures.plain(64, 64, [red, 2, 3])
  }

  /// New with forty episodes of five podcasts, and the wishes for icons at its beginning.
  private func model(
    inRows: Bool = true, columns: Int = 80
  ) -> (model: BrowseModel, effects: [BrowseEffect]) {
    var model = BrowseModel(size: ScreenSize(columns: columns, rows: 24))
    _ = model.reduce(.images(CellSize(checking: 10, 20), inRows: inRows))
    for _ in 0..<2 { _ = model.reduce(.key(.tab)) }
    let rows = (0..<40).map { number in
      EpisodeRow(
        key: "k\(number)", podcast: "P", title: "Number \(number)",
        date: Date(timeIntervalSince1970: 1_700_000_000 - Double(number) * 86_400),
        artwork: number == 3 ? nil : address(number / 4))
    }
    let effects = model.reduce(.new(RowList(rows), counts: [:]))
    return (model, effects)
  }

  private func wishes(_ effects: [BrowseEffect]) -> [ArtworkWish]? {
    effects.compactMap { if case .loadIcons(let wishes) = $0 { wishes } else { nil } }.last
  }

  @Test func `the icons of the rows on the screen are asked for, each once`() throws {
    var (model, effects) = model()
    let height = model.listHeight
    #expect(height == 15)
    #expect(
      wishes(effects) == (0..<4).map { ArtworkWish(address: address($0), owner: "k\($0 * 4)") })
    #expect(wishes(model.reduce(.key(.down))) == nil)
    // Those that came, or cannot be shown, are not asked for again.
    #expect(wishes(model.reduce(.icon(address(0), try icon()))) == nil)
    #expect(wishes(model.reduce(.icon(address(1), nil))) == nil)
    for _ in 0..<15 { effects = model.reduce(.key(.down)) }
    #expect(
      wishes(effects)
        == [(2, 8), (3, 12), (4, 16)].map { ArtworkWish(address: address($0), owner: "k\($1)") })
    // Nobody waits for them on another tab.
    #expect(wishes(model.reduce(.key(.tab))) == [])
    #expect(wishes(model.reduce(.key(.tab))) == nil)
  }

  @Test func `what failed is asked for again when the list is read again`() throws {
    var (model, _) = model()
    for number in 0..<4 { _ = model.reduce(.icon(address(number), nil)) }
    #expect(
      wishes(model.reduce(.key(.character("r"))))
        == (0..<4).map { ArtworkWish(address: address($0), owner: "k\($0 * 4)") })
  }

  @Test func `a row has its icon before its title, and titles are below each other`() throws {
    var (model, _) = model()
    _ = model.reduce(.icon(address(0), try icon()))
    let frame = BrowseView.frame(model, Self.look)
    // The first three episodes have it, the fourth has no artwork, the others wait.
    #expect(
      frame.images.map(\.area)
        == (8..<11).map { CellArea(row: $0, column: 4, rows: 1, columns: 2) })
    for row in 8..<20 { #expect(frame.lines[row].hasPrefix("       Number \(row - 8) ")) }
    // A page over the list has none.
    _ = model.reduce(.key(.character("?")))
    #expect(BrowseView.frame(model, Self.look).images == [])
  }

  @Test(arguments: [(false, 80), (true, 59)])
  func `there are none as half blocks and on a narrow screen`(inRows: Bool, columns: Int) throws {
    var (model, effects) = model(inRows: inRows, columns: columns)
    #expect(wishes(effects) == nil)
    _ = model.reduce(.icon(address(0), try icon()))
    let frame = BrowseView.frame(model, Self.look)
    #expect(frame.images == [] && frame.lines.contains { $0.hasPrefix("    Number 0") })
  }

  @Test func `a thousand icons are not kept`() throws {
    var (model, _) = model()
    for number in 0..<1000 {
      #expect(wishes(model.reduce(.icon(address(number), try icon()))) == nil)
    }
    // Those on the screen stay; the next ones have gone, and are asked for again.
    #expect(wishes(model.reduce(.key(.end)))?.isEmpty == false)
  }
}
