import PodcastBrowse
import PodcastModel
import Testing

@testable import BrowseScreen

/// Links of show notes on the screen.
struct BrowseLinkTests {
  private func model(links: Int = 12) -> BrowseModel {
    var model = BrowseModel(size: ScreenSize(columns: 50, rows: 24))
    _ = model.reduce(.library([RowListTests.row(0, state: .complete)]))
    _ = model.reduce(.key(.tab))
    _ = model.reduce(.key(.character("i")))
    let addresses = (1...max(1, links)).map { number in
      let address = "https://a.example/\(number)"
      return DetailLine("[\(number)] \(address)", link: address)
    }
    _ = model.reduce(
      .details("k0", .lines([DetailLine("Notes [1]")] + (links == 0 ? [] : addresses))))
    return model
  }

  private func press(_ model: inout BrowseModel, _ keys: String) -> [BrowseEffect] {
    keys.flatMap { model.reduce(.key($0 == "\n" ? .enter : .character($0))) }
  }

  private func frame(_ model: BrowseModel, hasLinks: Bool = true) -> Frame {
    BrowseView.frame(model, BrowseLook(hasColor: true, isUTF8: true, hasLinks: hasLinks))
  }

  @Test func `a number opens or copies a link`() {
    var model = model()
    #expect(press(&model, "3") == [])
    #expect(frame(model).lines[23] == " Link: 3  Enter open  y copy  https://a.example/3")
    #expect(press(&model, "\n") == [.open("https://a.example/3")])
    #expect(model.overlay != nil && model.prompt == nil)
    #expect(press(&model, "12y") == [.copy("https://a.example/12")])
    #expect(model.message == "The terminal is asked to copy the address.")
    #expect(press(&model, "13") == [])
    #expect(frame(model).lines[23] == " Link: 13  no such link")
    #expect(press(&model, "\n") == [] && model.message == "There is no link with this number.")
    #expect(press(&model, "1") == [] && model.reduce(.key(.backspace)) == [])
    #expect(model.prompt == nil)
    // Other keys do what they do without a number.
    #expect(press(&model, "1d") == [])
    #expect(press(&model, "9") == [] && model.reduce(.key(.escape)) == [] && model.overlay != nil)
    // Without links digits do nothing.
    var none = self.model(links: 0)
    #expect(press(&none, "1\n") == [] && none.prompt == nil && none.overlay == nil)
  }

  @Test func `rows of links are links where the terminal has them`() {
    let model = model(links: 2)
    let linked = frame(model)
    let rows = linked.links.sorted { $0.key < $1.key }.map { linked.lines[$0.key] }
    #expect(rows == [" [1] https://a.example/1", " [2] https://a.example/2"])
    #expect(frame(model, hasLinks: false).links.isEmpty)
    var encoder = FrameEncoder()
    let first = String(decoding: encoder.bytes(for: linked), as: UTF8.self)
    #expect(first.ranges(of: "\u{1B}]8;;https://a.example/1\u{1B}\\").count == 1)
    #expect(first.ranges(of: "\u{1B}]8;;\u{1B}\\").count == 2)
    #expect(encoder.bytes(for: linked).isEmpty)
    // A row that is no link any more is written again, without one.
    var other = linked
    other.link(row: linked.links.keys.sorted()[0], to: "https://b.example/")
    let second = String(decoding: encoder.bytes(for: other), as: UTF8.self)
    #expect(second.contains("]8;;https://b.example/") && second.contains("[1] https://a.example/1"))
    #expect(TerminalClipboard.copying("https://a") == "\u{1B}]52;c;aHR0cHM6Ly9h\u{07}")
  }
}
