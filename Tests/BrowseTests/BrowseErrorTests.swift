import BrowseScreen
import PodcastBrowse
import Testing

/// What went wrong is said in another way, and stays.
struct BrowseErrorTests {
  private func press(_ model: inout BrowseModel, _ keys: String) {
    for key in keys { _ = model.reduce(.key(.character(key))) }
  }

  private func frame(_ model: BrowseModel, isUTF8: Bool = true) -> Frame {
    BrowseView.frame(model, BrowseLook(hasColor: true, isUTF8: isUTF8))
  }

  @Test func `errors look different from information`() {
    var model = BrowseModel(size: ScreenSize(columns: 60, rows: 10))
    _ = model.reduce(.message("It is done."))
    #expect(frame(model).lines[9] == " It is done." && !model.isError)
    _ = model.reduce(.error("It is not."))
    #expect(model.isError)
    #expect(frame(model).lines[9] == " ✗ It is not.")
    #expect(frame(model, isUTF8: false).lines[9] == " ! It is not.")
    press(&model, "j")
    #expect(!model.isError && !frame(model).lines[9].contains("It is not."))
  }

  @Test func `errors stay, the last one first, each once`() {
    var model = BrowseModel(size: ScreenSize(columns: 60, rows: 10))
    press(&model, "!")
    #expect(model.message == "Nothing went wrong so far." && model.overlay == nil)
    _ = model.reduce(.subscriptionsFailed("The list cannot be read."))
    _ = model.reduce(.unchanged(["k"], .removed, "It is busy."))
    _ = model.reduce(.state("k", .failed("The server said 404.")))
    _ = model.reduce(.unchanged(["k"], .removed, "It is busy."))
    _ = model.reduce(.message("This is no error."))
    press(&model, "!")
    #expect(
      Array(frame(model).lines[1..<9]) == [
        " Errors, the last one first", String(repeating: "─", count: 60), " It is busy.", "",
        " The server said 404.", "", " The list cannot be read.", "",
      ])
    press(&model, "!")
    #expect(model.overlay == nil)
    for number in 0..<300 { _ = model.reduce(.error("Number \(number).")) }
    #expect(model.errors.count == 200)
    press(&model, "!jjGgg")
    #expect(frame(model).lines[3] == " Number 299.")
  }
}
