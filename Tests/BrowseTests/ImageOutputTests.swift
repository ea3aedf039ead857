import PodcastArtwork
import Testing

@testable import BrowseScreen

/// Images on their way to a terminal that may be slow.
struct ImageOutputTests {
  /// An output with the terminal that it writes to.
  private struct Harness {
    var output = FrameOutput()
    var terminal = GraphicsTerminal(ImageOutputTests.size)
    /// How many bytes the terminal takes before it is slow again.
    var room = Int.max
    var bytes: [UInt8] = []

    init(_ method: ImageMethod) {
      output.drawImages(method, cell: ImageOutputTests.cell)
    }

    /// Writes until the terminal takes no more, or everything is written.
    mutating func flush() {
      repeat {
        let isOpen = output.flush { buffer in
          guard room > 0 else { return .blocked }
          let count = min(room, buffer.count)
          room -= count
          terminal.show(buffer.prefix(count))
          bytes += buffer.prefix(count)
          return .bytes(count)
        }
        #expect(isOpen)
      } while output.isWaiting && room > 0
    }

    mutating func show(_ frame: Frame, room: Int = .max) {
      self.room = room
      output.show(frame)
      flush()
    }
  }

  fileprivate static let size = ScreenSize(columns: 60, rows: 20)
  fileprivate static let cell = CellSize(checking: 10, 20) ?? .assumed
  private let area = CellArea(row: 1, column: 1, rows: 6, columns: 12)

  private func frame(
    _ image: Thumbnail?, _ text: String = "list", size: ScreenSize = size
  ) -> Frame {
    var frame = Frame(size)
    if let image { frame.place(FrameImage(image, area: area)) }
    frame.write("title", row: 1, column: 15)
    frame.write(text, row: 10, column: 0)
    return frame
  }

  @Test func `kitty gets the pixels after the cells, once, in parts of at most 4 KB`() throws {
    let picture = try TestPictures.gradient(300, 300)
    var harness = Harness(.kitty)
    harness.show(frame(picture))
    #expect(harness.terminal.mistakes == [])
    let number = try #require(harness.terminal.placements.keys.first)
    #expect(harness.terminal.placements == [number: area])
    // 12 by 6 cells of 10 by 20 pixels.
    let scaled = try #require(picture.scaled(to: Extent(width: 120, height: 120)))
    #expect(
      harness.terminal.images == [
        number: .init(width: 120, height: 120, channels: 3, data: scaled.pixels)
      ])
    let text = String(decoding: harness.bytes, as: UTF8.self)
    let cells = try #require(text.firstRange(of: "list"))
    let image = try #require(text.firstRange(of: "_Ga=t"))
    #expect(cells.upperBound < image.lowerBound)

    // Away and back: the terminal has it.
    harness.bytes = []
    harness.show(frame(nil))
    #expect(harness.terminal.placements.isEmpty && harness.terminal.images.count == 1)
    harness.show(frame(picture, "other"))
    #expect(harness.terminal.placements == [number: area])
    #expect(harness.bytes.count < 300 && harness.terminal.mistakes == [])
    // What does not change is not sent again.
    harness.bytes = []
    harness.show(frame(picture, "OTHER"))
    #expect(!harness.bytes.contains(UInt8(ascii: "_")))
  }

  @Test func `kitty keeps a few images`() throws {
    var harness = Harness(.kitty)
    for round in 0..<120 {
      let picture = try TestPictures.plain(30, 30, [UInt8(round), 0, 0])
      harness.show(frame(picture))
      #expect(harness.terminal.placements.count == 1)
      let number = try #require(harness.terminal.placements.keys.first)
      #expect(harness.terminal.images[number]?.data.first == UInt8(round))
    }
    #expect(harness.terminal.images.count == 112 && harness.terminal.mistakes == [])
    // Whoever restores the terminal deletes them all.
    harness.terminal.show(TerminalRestoration.leaveWithImages.utf8)
    #expect(harness.terminal.images.isEmpty && harness.terminal.placements.isEmpty)
    #expect(harness.terminal.mistakes == [])
  }

  @Test func `an image of kitty with opacity says so`() throws {
    let picture = try TestPictures.picture(4, 4, hasAlpha: true) { x, _ in [1, 2, 3, UInt8(x + 1)] }
    var harness = Harness(.kitty)
    harness.show(frame(picture))
    #expect(harness.terminal.images.values.first?.data == picture.pixels)
  }

  @Test func `an image that is not complete is abandoned when another one is shown`() throws {
    let (first, second) = (
      try TestPictures.gradient(300, 300), try TestPictures.plain(300, 300, [1, 2, 3])
    )
    // Wherever the terminal stops taking bytes.
    for room in stride(from: 400, to: 50_000, by: 1777) {
      var harness = Harness(.kitty)
      harness.show(frame(first), room: room)
      harness.show(frame(second, "second"))
      #expect(harness.terminal.mistakes == [] && !harness.terminal.isBusy, "\(room)")
      #expect(harness.terminal.placements.count == 1)
      let number = try #require(harness.terminal.placements.keys.first)
      #expect(harness.terminal.images[number]?.data.prefix(3) == [1, 2, 3], "\(room)")
      #expect(harness.terminal.line(10) == "second")
    }
  }

  @Test func `an image that is not complete is abandoned when none is shown`() throws {
    let picture = try TestPictures.gradient(300, 300)
    for room in stride(from: 400, to: 50_000, by: 2111) {
      var harness = Harness(.kitty)
      harness.show(frame(picture), room: room)
      harness.show(frame(nil, "none"))
      #expect(harness.terminal.mistakes == [] && !harness.terminal.isBusy)
      #expect(harness.terminal.placements.isEmpty && harness.terminal.line(10) == "none")
    }
  }

  @Test func `cells go before the rest of an image, which is then complete`() throws {
    let picture = try TestPictures.gradient(300, 300)
    var harness = Harness(.kitty)
    harness.show(frame(picture), room: 9000)
    #expect(harness.terminal.isBusy)
    harness.show(frame(picture, "newer"), room: 4400)
    #expect(harness.terminal.line(10) == "newer" && harness.terminal.placements.isEmpty)
    harness.room = .max
    harness.flush()
    #expect(harness.terminal.placements.count == 1 && harness.terminal.mistakes == [])
  }

  @Test func `of an image one part is written before keys are looked at`() throws {
    var output = FrameOutput()
    output.drawImages(.kitty, cell: Self.cell)
    output.show(frame(try TestPictures.gradient(300, 300)))
    var count = 0
    _ = output.flush { buffer in
      count += buffer.count
      return .bytes(buffer.count)
    }
    #expect(output.isWaiting && (500...6000).contains(count))
  }

  @Test func `a screen that is drawn from nothing gets its image again`() throws {
    let picture = try TestPictures.gradient(300, 300)
    var harness = Harness(.kitty)
    harness.show(frame(picture))
    harness.output.forget()
    harness.show(frame(picture))
    #expect(harness.terminal.placements.count == 1 && harness.terminal.images.count == 1)
    harness.show(frame(picture, size: ScreenSize(columns: 50, rows: 20)))
    #expect(harness.terminal.placements.count == 1 && harness.terminal.mistakes == [])
    // In the middle of an image too.
    harness.output.forget()
    harness.show(frame(picture), room: 9000)
    harness.output.forget()
    // The program was stopped meanwhile, and restored the terminal.
    harness.terminal.show(TerminalRestoration.leaveWithImages.utf8)
    harness.show(frame(picture))
    #expect(harness.terminal.placements.count == 1 && !harness.terminal.isBusy)
  }

  @Test func `sixels are drawn after the cells, once`() throws {
    let picture = try TestPictures.plain(300, 300, [255, 0, 0])
    var harness = Harness(.sixel(colors: 16))
    harness.show(frame(picture))
    #expect(harness.terminal.mistakes == [] && harness.terminal.sixels.count == 1)
    let drawn = try #require(harness.terminal.sixels.first)
    #expect(drawn.row == 1 && drawn.column == 1)
    #expect(drawn.image.width == 120 && drawn.image.height == 120)
    #expect(drawn.image.percent(119, 119) == [100, 0, 0])
    harness.bytes = []
    harness.show(frame(picture, "other"))
    #expect(harness.terminal.sixels.count == 1 && !harness.bytes.contains(UInt8(ascii: "P")))
    // Cells take its place.
    harness.bytes = []
    harness.show(frame(nil, "other"))
    let text = String(decoding: harness.bytes, as: UTF8.self)
    for row in 2...7 { #expect(text.contains("\u{1B}[\(row);2H")) }
    #expect(text.ranges(of: String(repeating: " ", count: 12)).count == 6)
  }

  @Test func `sixels that are not complete are finished before a frame with the same image`() throws
  {
    let picture = try TestPictures.gradient(300, 300)
    var harness = Harness(.sixel(colors: 64))
    harness.show(frame(picture), room: 9000)
    #expect(harness.terminal.isBusy)
    harness.show(frame(picture, "newer"))
    #expect(harness.terminal.sixels.count == 1 && harness.terminal.cancelledSixels == 0)
    #expect(harness.terminal.line(10) == "newer" && harness.terminal.mistakes == [])
  }

  @Test func `a frame for a key does not wait for sixels, which then begin again`() throws {
    let picture = try TestPictures.gradient(300, 300)
    var harness = Harness(.sixel(colors: 64))
    harness.show(frame(picture), room: 9000)
    #expect(harness.terminal.isBusy)
    harness.output.show(frame(picture, "newer"), isUrgent: true)
    // What comes of a download meanwhile does not make it wait again.
    harness.output.show(frame(picture, "newest"))
    harness.room = 8300
    harness.flush()
    #expect(harness.terminal.line(10) == "newest" && harness.terminal.sixels.isEmpty)
    #expect(harness.terminal.cancelledSixels == 1)
    harness.room = .max
    harness.flush()
    #expect(harness.terminal.sixels.count == 1 && harness.terminal.mistakes == [])
    // One that is complete stays.
    harness.bytes = []
    harness.output.show(frame(picture, "last"), isUrgent: true)
    harness.flush()
    #expect(harness.terminal.line(10) == "last" && harness.bytes.count < 50)
  }

  @Test(arguments: [ImageMethod.kitty, .sixel(colors: 64)])
  func `a screen that is entered again in the middle of an image`(method: ImageMethod) throws {
    let picture = try TestPictures.gradient(300, 300)
    for room in stride(from: 400, to: 20_000, by: 1777) {
      var harness = Harness(method)
      harness.show(frame(picture), room: room)
      // A shell may continue a program that it did not stop.
      harness.terminal.show(TerminalRestoration.enter.utf8)
      harness.output.forget()
      harness.show(frame(picture))
      #expect(harness.terminal.mistakes == [] && !harness.terminal.isBusy, "\(room)")
      #expect(harness.terminal.line(10) == "list")
    }
  }

  @Test func `sixels that are not complete end before anything else`() throws {
    var harness = Harness(.sixel(colors: 64))
    harness.output.isSynchronized = true
    harness.show(frame(try TestPictures.gradient(300, 300)), room: 9000)
    #expect(harness.terminal.isBusy)
    harness.show(frame(nil, "newer"))
    #expect(harness.terminal.mistakes == [] && harness.terminal.cancelledSixels == 1)
    #expect(harness.terminal.line(10) == "newer")
  }

  @Test func `sixels that are not complete are drawn again after the program was stopped`() throws {
    let picture = try TestPictures.gradient(300, 300)
    for room in stride(from: 1000, to: 20_000, by: 1777) {
      var harness = Harness(.sixel(colors: 64))
      harness.show(frame(picture), room: room)
      harness.output.forget()
      // The program restored the terminal, and uses it again.
      harness.terminal.show(TerminalRestoration.leave.utf8)
      harness.terminal.show(TerminalRestoration.enter.utf8)
      harness.show(frame(picture))
      #expect(harness.terminal.sixels.last?.image.width == 120, "\(room)")
      #expect(harness.terminal.mistakes == [] && !harness.terminal.isBusy)
      #expect((0..<20).map { harness.terminal.line($0) }.filter { !$0.isEmpty }.count == 2)
    }
  }

  @Test func `sixels that are not complete are cancelled before another frame`() throws {
    let (first, second) = (
      try TestPictures.gradient(300, 300), try TestPictures.plain(300, 300, [255, 0, 0])
    )
    for room in stride(from: 1000, to: 20_000, by: 1777) {
      var harness = Harness(.sixel(colors: 64))
      harness.show(frame(first), room: room)
      harness.show(frame(second, "newer"))
      #expect(harness.terminal.sixels.last?.image.percent(5, 5) == [100, 0, 0], "\(room)")
      #expect(harness.terminal.mistakes == [] && !harness.terminal.isBusy)
      #expect(harness.terminal.line(10) == "newer")
      harness.bytes = []
      harness.show(frame(nil, "newer"))
      #expect(
        String(decoding: harness.bytes, as: UTF8.self).ranges(
          of: String(repeating: " ", count: 12)
        ).count == 6)
    }
  }

  @Test func `a row beside sixels is not emptied where they are`() throws {
    let picture = try TestPictures.plain(300, 300, [255, 0, 0])
    var harness = Harness(.sixel(colors: 16))
    harness.show(frame(picture))
    var next = frame(picture)
    next.write("❤️ one", row: 2, column: 15)
    harness.bytes = []
    harness.show(next)
    #expect(
      String(decoding: harness.bytes, as: UTF8.self)
        == "\u{1B}[3;14H\u{1B}[0m\u{1B}[K\u{1B}[3;14H  ❤️\u{1B}[3;18H one")
  }

  /// A list whose rows have the icons of these colors; nil for a row without one.
  private func list(_ colors: [UInt8?], star: Int? = nil, selection: Int? = nil) throws -> Frame {
    var frame = Frame(Self.size)
    for (place, color) in colors.enumerated() {
      let row = 9 + place
      if let color {
        let area = CellArea(row: row, column: 4, rows: 1, columns: 2)
        frame.place(FrameImage(try TestPictures.plain(64, 64, [color, 0, 0]), area: area))
      }
      if star == place { frame.write("*", row: row, column: 2) }
      frame.write("\(star == place ? "Title" : "title") \(place)", row: row, column: 7)
      if selection == place { frame.select(row: row) }
    }
    return frame
  }

  @Test func `kitty gets an icon once, for however many rows`() throws {
    var harness = Harness(.kitty)
    harness.show(try list([1, 1, 2, nil, 1]))
    #expect(harness.terminal.mistakes == [] && harness.terminal.images.count == 2)
    #expect(harness.terminal.places.values.map(\.row).sorted() == [9, 10, 11, 13])
    // A list that moved by a row.
    harness.bytes = []
    harness.show(try list([1, 2, nil, 1, 3]))
    #expect(harness.terminal.mistakes == [] && harness.terminal.images.count == 3)
    #expect(harness.terminal.places.values.map(\.row).sorted() == [9, 10, 12, 13])
    let moved = try #require(harness.terminal.places.first { $0.value.row == 10 }?.key[0])
    #expect(harness.terminal.images[moved]?.data.first == 2)
    #expect(String(decoding: harness.bytes, as: UTF8.self).ranges(of: "_Ga=t").count == 1)
    harness.show(frame(nil))
    #expect(harness.terminal.places.isEmpty && harness.terminal.mistakes == [])
  }

  @Test func `icons survive whatever the terminal takes, and when it takes it`() throws {
    for method in [ImageMethod.kitty, .sixel(colors: 16)] {
      for room in stride(from: 1, to: 9000, by: 397) {
        var harness = Harness(method)
        harness.show(try list([1, 2, 3, nil, 1]), room: room)
        harness.show(try list([2, 3, nil, 1, 5]), room: room)
        harness.show(try list([3, nil, 1, 5, 6]))
        #expect(harness.terminal.mistakes == [] && !harness.terminal.isBusy, "\(room)")
        guard case .kitty = method else {
          // The last ones that were drawn are complete, each in its row.
          let last = harness.terminal.sixels.suffix(4).map { [$0.row, $0.column] }
          #expect(Set(last).isSubset(of: [[9, 4], [11, 4], [12, 4], [13, 4]]), "\(room)")
          continue
        }
        let reds = harness.terminal.places.mapValues(\.row).map { key, row in
          [row, Int(harness.terminal.images[key[0]]?.data.first ?? 0)]
        }
        #expect(Set(reds) == [[9, 3], [11, 1], [12, 5], [13, 6]], "\(room)")
      }
    }
  }

  @Test func `sixels in a row are left alone by what changes around them`() throws {
    var harness = Harness(.sixel(colors: 16))
    harness.show(try list([1, 2, 3]))
    #expect(harness.terminal.sixels.count == 3)
    harness.bytes = []
    // A star before it, another title behind it, and the bar of the selected row.
    harness.show(try list([1, 2, 3], star: 1, selection: 2))
    let text = String(decoding: harness.bytes, as: UTF8.self)
    #expect(text.contains("\u{1B}[11;3H") && text.contains("\u{1B}[11;8H"))
    #expect(text.contains("\u{1B}[12;1H") && text.contains("\u{1B}[12;7H"))
    #expect(harness.terminal.sixels.count == 3 && harness.terminal.mistakes == [])
  }

  @Test func `no sixels stay when those that were to take their place are not drawn`() throws {
    for method in [ImageMethod.sixel(colors: 16), nil] {
      var harness = Harness(.sixel(colors: 16))
      harness.show(try list([1]))
      // The terminal is slow, and the next frame comes before the image.
      harness.show(try list([2]), room: 5)
      harness.output.drawImages(method, cell: Self.cell)
      harness.bytes = []
      harness.show(try list([nil]))
      #expect(String(decoding: harness.bytes, as: UTF8.self).contains("\u{1B}[10;5H\u{1B}[0m  "))
    }
  }

  @Test func `sixels that take the place of others are drawn over them`() throws {
    var harness = Harness(.sixel(colors: 16))
    harness.show(try list([1, 2, 3]))
    harness.bytes = []
    harness.show(try list([2, 3, nil]))
    // Only the row without an icon is emptied there.
    let text = String(decoding: harness.bytes, as: UTF8.self)
    #expect(!text.contains("\u{1B}[10;5H\u{1B}[0m ") && text.contains("\u{1B}[12;5H\u{1B}[0m "))
    #expect(harness.terminal.sixels.map(\.row) == [9, 10, 11, 9, 10])
  }

  @Test func `blocks become an image when the terminal has answered`() throws {
    let picture = try TestPictures.plain(300, 300, [255, 0, 0])
    var harness = Harness(.blocks(.full))
    harness.show(frame(picture))
    #expect(harness.terminal.line(1).hasPrefix(" ▀▀▀▀▀▀▀▀▀▀▀▀"))
    harness.output.drawImages(.kitty, cell: Self.cell)
    harness.show(frame(picture))
    #expect(harness.terminal.line(1) == "               title")
    #expect(harness.terminal.placements.count == 1 && harness.terminal.mistakes == [])
    harness.output.drawImages(.blocks(.full), cell: Self.cell)
    harness.show(frame(picture))
    #expect(harness.terminal.placements.isEmpty && harness.terminal.mistakes == [])
    #expect(harness.terminal.line(1).hasPrefix(" ▀▀▀▀▀▀▀▀▀▀▀▀"))
  }

  @Test func `frames are bracketed when the terminal knows it, and images are not`() throws {
    var harness = Harness(.kitty)
    harness.output.isSynchronized = true
    harness.show(frame(try TestPictures.gradient(300, 300)))
    let text = String(decoding: harness.bytes, as: UTF8.self)
    #expect(text.hasPrefix("\u{1B}[?2026h"))
    let end = try #require(text.firstRange(of: "\u{1B}[?2026l"))
    #expect(text[end.upperBound...].contains("_Ga=t") && !text[..<end.lowerBound].contains("_Ga=t"))
    harness.bytes = []
    harness.output.show(frame(try TestPictures.gradient(300, 300)))
    harness.flush()
    #expect(harness.bytes.isEmpty)
  }
}
