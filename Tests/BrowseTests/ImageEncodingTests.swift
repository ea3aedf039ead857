import Foundation
import PodcastArtwork
import TestSupport
import Testing

@testable import BrowseScreen

/// Images as half blocks and as sixels.
struct ImageEncodingTests {
  private let area = CellArea(row: 1, column: 1, rows: 2, columns: 3)

  @Test func `each half of a cell has the mean color of its part`() throws {
    let picture = try TestPictures.picture(6, 8) { x, y in [UInt8(x / 2 * 100), UInt8(y / 2), 7] }
    let cells = try #require(HalfBlocks.cells(of: FrameImage(picture, area: area), .full))
    #expect(cells.count == 6 && cells.allSatisfy { $0.character == "▀" && $0.columns == 1 })
    for (place, cell) in cells.enumerated() {
      let (red, row) = (UInt8(place % 3 * 100), UInt8(place / 3 * 2))
      let colors = CellColors(foreground: .rgb(red, row, 7), background: .rgb(red, row + 1, 7))
      #expect(cell.colors == colors)
    }
  }

  @Test func `where an image is transparent the terminal shows`() throws {
    let picture = try TestPictures.picture(3, 4, hasAlpha: true) { x, y in
      [9, 9, 9, (x, y) == (0, 0) || (x, y) == (1, 1) || x == 2 ? 0 : 255]
    }
    let cells = try #require(HalfBlocks.cells(of: FrameImage(picture, area: area), .full))
    #expect(cells.prefix(3).map(\.character) == ["▄", "▀", " "])
    let gray = BlockColor.rgb(9, 9, 9)
    #expect(
      cells.prefix(3).map(\.colors) == [
        CellColors(foreground: gray, background: nil),
        CellColors(foreground: gray, background: nil), nil,
      ])
  }

  @Test func `a tiny image is enlarged`() throws {
    let picture = try TestPictures.plain(1, 1, [1, 2, 3])
    let cells = try #require(HalfBlocks.cells(of: FrameImage(picture, area: area), .full))
    #expect(cells.allSatisfy { $0.colors?.background == .rgb(1, 2, 3) })
  }

  @Test(
    arguments: [
      ([0, 0, 0], 16), ([255, 255, 255], 231), ([255, 0, 0], 196), ([0, 95, 135], 24),
      ([128, 128, 128], 244), ([8, 8, 8], 232), ([238, 238, 238], 255), ([50, 0, 0], 233),
      ([80, 0, 0], 52),
    ] as [([UInt8], UInt8)])
  func `a color of the palette is the nearest one`(color: [UInt8], entry: UInt8) {
    #expect(BlockColor((color[0], color[1], color[2]), .palette) == .palette(entry))
  }

  @Test func `no color of the palette is nearer`() {
    let levels = [0, 95, 135, 175, 215, 255]
    var entries: [UInt8: [Int]] = [:]
    for place in 0..<216 {
      entries[UInt8(16 + place)] = [levels[place / 36], levels[place / 6 % 6], levels[place % 6]]
    }
    for step in 0..<24 { entries[UInt8(232 + step)] = Array(repeating: 8 + step * 10, count: 3) }
    func distance(_ first: [Int], _ second: [Int]) -> Int {
      zip(first, second).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
    }
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<2000 {
      let color = (0..<3).map { _ in UInt8(generator.next() % 256) }
      guard case .palette(let entry) = BlockColor((color[0], color[1], color[2]), .palette) else {
        return #expect(Bool(false))
      }
      let wanted = color.map(Int.init)
      let best = entries.values.map { distance($0, wanted) }.min() ?? 0
      // The grey is chosen by the mean, which is the nearest one but for rounding.
      #expect(distance(entries[entry] ?? [], wanted) <= best + 80, "\(color)")
    }
  }

  @Test func `half blocks are cells: only those that change are written`() throws {
    let size = ScreenSize(columns: 20, rows: 4)
    var output = FrameOutput()
    output.drawImages(.blocks(.palette), cell: .assumed)
    var frame = Frame(size)
    frame.write("title", row: 1, column: 5)
    frame.place(FrameImage(try TestPictures.plain(6, 8, [255, 0, 0]), area: area))
    let first = written(&output, frame)
    let red = "\u{1B}[0;38;5;196;48;5;196m▀▀▀"
    #expect(first.contains("\u{1B}[2;2H\(red)") && first.contains("\u{1B}[3;2H\(red)"))
    #expect(first.hasSuffix("\u{1B}[0m"))
    frame.write("TITLE", row: 1, column: 5)
    let second = written(&output, frame)
    #expect(second == "\u{1B}[2;6H\u{1B}[0mTITLE")
    // Text that goes back to where the image was is written again.
    let empty = written(&output, Frame(size))
    #expect(empty.hasPrefix("\u{1B}[2;2H\u{1B}[0m   ") && empty.hasSuffix("\u{1B}[3;2H   "))
  }

  @Test func `nothing is written into the cells of an image`() throws {
    var frame = Frame(ScreenSize(columns: 10, rows: 4))
    frame.write("世界世界世", row: 1, column: 0)
    frame.place(FrameImage(try TestPictures.plain(6, 8, [1, 1, 1]), area: area))
    frame.write("abcdefghij", row: 1, column: 0)
    frame.write("世", row: 2, column: 0)
    #expect(frame.lines == ["", "a   efghij", "", ""])
    // A place outside the frame has no image.
    frame = Frame(ScreenSize(columns: 3, rows: 4))
    frame.place(FrameImage(try TestPictures.plain(6, 8, [1, 1, 1]), area: area))
    #expect(frame.images == [])
  }

  @Test func `sixels are the image, within what few colors can show`() throws {
    let picture = try TestPictures.picture(37, 20) { x, y in
      x < 20 ? [200, UInt8(y * 10), 0] : [0, 0, UInt8(y * 12)]
    }
    for count in [256, 64] {
      let bytes = SixelImage.bytes(of: picture, colors: count)
      let reader = SixelReader(bytes)
      #expect(reader.isComplete && reader.width == 37 && reader.height == 20)
      #expect(!reader.isOutside && reader.colorCount <= count)
      for y in 0..<20 {
        for x in 0..<37 {
          let wanted = try #require(picture.color(x, y))
          let percent = try #require(reader.percent(x, y))
          for (drawn, level) in zip(percent, [wanted.red, wanted.green, wanted.blue]) {
            #expect(abs(drawn * 255 / 100 - Int(level)) <= 12, "\(x), \(y)")
          }
        }
      }
    }
  }

  @Test func `few colors make no bands`() throws {
    // A sky: each place of it looks as light as it is, from a little distance.
    let sky = try TestPictures.picture(64, 64) { _, y in
      [UInt8(40 + y / 2), UInt8(90 + y), UInt8(160 + y)]
    }
    let reader = SixelReader(SixelImage.bytes(of: sky, colors: 8))
    #expect(reader.isComplete && reader.colorCount <= 8)
    for top in stride(from: 8, to: 56, by: 4) {
      var sum = 0
      for y in top..<top + 4 {
        for x in 0..<64 { sum += try #require(reader.percent(x, y))[1] }
      }
      let wanted = (0..<4).reduce(0) { $0 + 90 + top + $1 } * 100 / 255 / 4
      #expect(abs(sum / 256 - wanted) <= 1, "\(top)")
    }
    // What has few colors keeps them.
    let flags = try TestPictures.picture(30, 12) { x, _ in x < 15 ? [250, 10, 10] : [10, 10, 250] }
    #expect(
      ColorPalette(of: flags, count: 16).places
        == (0..<360).map {
          $0 % 30 < 15
            ? ColorPalette(of: flags, count: 16).places[0]
            : ColorPalette(of: flags, count: 16).places[20]
        })
  }

  @Test(arguments: [1, 2, 16])
  func `sixels have no more colors than the terminal`(count: Int) throws {
    let reader = SixelReader(
      SixelImage.bytes(of: try TestPictures.gradient(50, 31), colors: count))
    #expect(reader.isComplete && reader.colorCount == count)
    for y in 0..<31 {
      for x in 0..<50 { #expect(reader.percent(x, y) != nil) }
    }
  }

  @Test func `sixels leave out what is transparent`() throws {
    let picture = try TestPictures.picture(5, 7, hasAlpha: true) { x, _ in
      [255, 0, 0, x == 2 ? 0 : 255]
    }
    let reader = SixelReader(SixelImage.bytes(of: picture, colors: 16))
    #expect(reader.isComplete)
    for y in 0..<7 {
      for x in 0..<5 { #expect(reader.percent(x, y) == (x == 2 ? nil : [100, 0, 0])) }
    }
    let nothing = try TestPictures.picture(5, 7, hasAlpha: true) { _, _ in [0, 0, 0, 0] }
    #expect(SixelReader(SixelImage.bytes(of: nothing, colors: 16)).isComplete)
  }

  @Test func `scaling keeps means, and repeats pixels of what is too small`() throws {
    let picture = try TestPictures.picture(2, 2) { x, y in [UInt8(x * 100), UInt8(y * 100), 0] }
    let one = try #require(picture.scaled(to: Extent(width: 1, height: 1)))
    #expect(one.pixels == [50, 50, 0])
    let wide = try #require(picture.scaled(to: Extent(width: 4, height: 1)))
    #expect(wide.pixels == [0, 50, 0, 0, 50, 0, 100, 50, 0, 100, 50, 0])
    #expect(try #require(picture.scaled(to: Extent(width: 2, height: 2))) == picture)
    #expect(picture.scaled(to: Extent(width: 5000, height: 2)) == nil)
  }

  @Test func `an image has the cells that its proportions need`() throws {
    let cell = try #require(CellSize(checking: 10, 20))
    let space = CellArea(row: 1, column: 1, rows: 6, columns: 12)
    func cells(_ width: Int, _ height: Int) -> [Int] {
      let area = cell.area(of: Extent(width: width, height: height), within: space)
      return [area.rows, area.columns]
    }
    #expect(cells(300, 300) == [6, 12])
    #expect(cells(300, 150) == [3, 12])
    #expect(cells(150, 300) == [6, 6])
    #expect(cells(1000, 1) == [1, 12])
    #expect(cells(1, 1000) == [6, 1])
    #expect(cell.columns(forRows: 6) == 12)
  }

  private func written(_ output: inout FrameOutput, _ frame: Frame) -> String {
    var bytes: [UInt8] = []
    output.show(frame)
    while output.isWaiting {
      _ = output.flush {
        bytes += $0
        return .bytes($0.count)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
