import BrowseScreen
import PodcastModel
import Synchronization
import Testing

@testable import PodcastKit
@testable import podget

@Suite("The live display") struct TerminalRendererTests {
  /// A window, a clock and a shell that the test controls.
  private final class World: Sendable {
    let columns = Mutex(80)
    let isForeground = Mutex(true)
    let seconds = Mutex(0)
  }

  private let world = World()
  private let recorder = Recorder()

  private func renderer(color: Bool = false) -> TerminalRenderer {
    TerminalRenderer(
      output: recorder.output, style: TerminalStyle(hasColor: color, isUTF8: true),
      verbosity: .normal,
      surroundings: .init(
        window: { [world] in ScreenSize(columns: world.columns.withLock { $0 }, rows: 24) },
        isForeground: { [world] in world.isForeground.withLock { $0 } },
        hasKeys: { true }, now: { [world] in .seconds(world.seconds.withLock { $0 }) }))
  }

  /// What was written since, without the codes that begin and end each frame.
  private func written(_ body: () -> Void) -> String {
    let before = recorder.text.count
    body()
    return String(recorder.text.dropFirst(before))
  }

  private func framed(_ body: String) -> String {
    "\u{1B}[?2026h\u{1B}[?7l\r" + body + "\u{1B}[?7h\u{1B}[?2026l"
  }

  private let clear = "\u{1B}[K\n"

  private func started(_ renderer: inout TerminalRenderer) {
    renderer.listing(Sample.podcast, episodes: 1)
    renderer.show(Sample.event(.planned(total: 2048)))
    renderer.show(Sample.event(.started(resumedFrom: 0)))
    renderer.tick()
  }

  private let connecting =
    "275 - Psalms                 ─────────    0%    0.0/2.0 KiB           connecting"

  @Test("a frame is one write, and none when nothing changed") func frames() {
    var renderer = renderer()
    #expect(
      written { started(&renderer) }
        == framed(
          "The Symbolic World — Jonathan Pageau (1 episode)\(clear)\(connecting)\n"
            + "0/1 done  0.0/2.0 KiB  p pause  q quit\(clear)"))
    #expect(recorder.writes == 1)
    #expect(written { renderer.tick() } == "")
  }

  @Test("ended downloads are written above the live lines") func settles() {
    var renderer = renderer()
    started(&renderer)
    renderer.show(Sample.event(Sample.finished))
    #expect(
      written { renderer.tick() }
        == framed(
          "\u{1B}[2A✓ 275 - Psalms  23.0 MiB\(clear)"
            + "1/1 done  23.0/23.0 MiB  p pause  q quit\(clear)\u{1B}[J"))
    var summary = Summary()
    summary.count(Sample.event(Sample.finished))
    #expect(
      written { renderer.summary(summary) }
        == framed("\u{1B}[1A1 finished (23.0 MiB)\(clear)\u{1B}[J"))
    #expect(written { renderer.close() } == "")
  }

  @Test("a narrower window: the wrapped lines are counted and erased")
  func resized() {
    var renderer = renderer()
    started(&renderer)
    world.columns.withLock { $0 = 39 }
    // The line of 80 cells has become three rows, the total line fits in one.
    #expect(
      written { renderer.tick() }
        == framed(
          "\u{1B}[4A275 - Psalms             0%  connecting\n"
            + "0/1 done  0.0/2.0 KiB  p pause  q quit\(clear)\u{1B}[J"))
  }

  @Test("suspended, the screen is clean and stays so until it continues") func suspended() {
    var renderer = renderer()
    started(&renderer)
    #expect(written { renderer.suspend() } == framed("\u{1B}[2A\u{1B}[J"))
    #expect(written { renderer.tick() } == "")
    #expect(
      written { renderer.continueDrawing() }
        == framed("\(connecting)\n0/1 done  0.0/2.0 KiB  p pause  q quit\(clear)"))
  }

  @Test("in the background lines are added and the cursor is never moved up") func background() {
    var renderer = renderer()
    started(&renderer)
    world.isForeground.withLock { $0 = false }
    renderer.show(Sample.event(.failed(Sample.notFound)))
    #expect(
      written { renderer.tick() }
        == framed("✗ 275 - Psalms: The server has no such file.\(clear)"))
    #expect(written { renderer.tick() } == "")
  }

  @Test("long errors are wrapped, long titles truncated, wide titles placed by position")
  func settledText() {
    world.columns.withLock { $0 = 30 }
    var renderer = renderer()
    renderer.show(Sample.event(.failed(Sample.notFound)))
    renderer.show(
      Sample.event(.skipped(path: "", reason: .alreadyDownloaded), "275 - Michael Legaspi"))
    renderer.sourceFailed("99", PodgetError(.notFound, "Apple knows no such podcast."))
    #expect(
      written { renderer.tick() }.contains(
        "✗ 275 - Psalms: The server has\n  no such file.\(clear)"
          + "• 275 - M…  already downloaded\n✗ 99: Apple knows no such\(clear)  podcast.\(clear)"))
  }

  @Test("colors are codes around the same text") func color() {
    var renderer = renderer(color: true)
    renderer.show(Sample.event(Sample.finished))
    #expect(
      written { renderer.tick() }.contains(
        "\u{1B}[32m✓ \u{1B}[m275 - Psalms\u{1B}[2m  23.0 MiB\u{1B}[m"))
  }

  @Test("no text from the network controls the terminal", arguments: Sample.titles)
  func safety(title: String) {
    var renderer = renderer()
    renderer.listing(Podcast(title: title, author: title), episodes: 3)
    for kind in Sample.kinds { renderer.show(Sample.event(kind, title)) }
    renderer.note(title)
    renderer.sourceFailed(title, PodgetError(.network, title))
    renderer.tick()
    renderer.show(Sample.event(.started(resumedFrom: 0), title, key: "b"))
    renderer.tick()
    // Without the codes that the display needs there must be none left.
    let codes = /\u{1B}\[(\?2026[hl]|\?7[hl]|K|J|\d+A|\d+G)|\r/
    #expect(!hasUnsafeScalars(recorder.text.replacing(codes, with: "")))
  }
}
