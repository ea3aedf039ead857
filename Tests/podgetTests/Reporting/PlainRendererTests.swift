import PodcastKit
import PodcastModel
import Testing

@testable import podget

@Suite("Plain lines") struct PlainRendererTests {
  private func lines(
    _ verbosity: Verbosity, _ kinds: [DownloadEvent.Kind] = Sample.kinds,
    title: String = "275 - Psalms"
  ) -> Recorder {
    let recorder = Recorder()
    var renderer = PlainRenderer(output: recorder.output, style: .sample, verbosity: verbosity)
    renderer.listing(Sample.podcast, episodes: 1)
    var summary = Summary()
    for kind in kinds {
      renderer.show(Sample.event(kind, title))
      summary.count(Sample.event(kind, title))
      renderer.tick()
    }
    renderer.summary(summary)
    renderer.close()
    return recorder
  }

  @Test("a line for each event") func normal() {
    #expect(
      lines(.normal).lines == [
        "The Symbolic World — Jonathan Pageau (1 episode)",
        "downloading  275 - Psalms",
        "paused       275 - Psalms",
        "continuing   275 - Psalms",
        "retrying     275 - Psalms  timeout; attempt 2 in 2 s",
        "restarting   275 - Psalms  the server has another version now",
        "finished     275 - Psalms  23.0 MiB",
        "skipped      275 - Psalms  already downloaded",
        "failed       275 - Psalms: The server has no such file.",
        "cancelled    275 - Psalms  1.0 MiB kept",
        "1 finished (23.0 MiB), 1 skipped, 1 failed, 1 cancelled (run podget resume to continue)",
      ])
  }

  @Test("--quiet reports failures only, with their podcast") func quiet() {
    #expect(
      lines(.quiet).lines == [
        "failed       The Symbolic World: 275 - Psalms: The server has no such file."
      ])
  }

  @Test("--verbose reports the paths too") func verbose() {
    let lines = lines(.verbose).lines
    #expect(
      lines.contains(
        "planned      275 - Psalms  The Symbolic World/2023-02-16 - 275 - Psalms.mp3"))
    #expect(
      lines.contains("finished     275 - Psalms  23.0 MiB  The Symbolic World/a.mp3  sha256 ab12"))
  }

  @Test("a continued download says from where, and an empty run says so") func resumed() {
    let resumed = lines(.normal, [.started(resumedFrom: 3_145_728)]).lines
    #expect(resumed[1] == "resuming     275 - Psalms  from 3.0 MiB")
    #expect(lines(.normal, []).lines.last == "Nothing to download.")
  }

  @Test("no control or bidirectional characters", arguments: Sample.titles)
  func safety(title: String) {
    let recorder = lines(.verbose, title: title)
    #expect(!hasUnsafeScalars(recorder.text))
    #expect(recorder.lines.count == 12)
    var renderer = PlainRenderer(output: recorder.output, style: .sample, verbosity: .normal)
    renderer.sourceFailed(title, PodgetError(.network, title))
    renderer.note(title)
    renderer.listing(Podcast(title: title, author: title), episodes: 2)
    #expect(!hasUnsafeScalars(recorder.text))
  }

  @Test("with several podcasts a line names its own") func several() {
    let recorder = Recorder()
    var renderer = PlainRenderer(output: recorder.output, style: .sample, verbosity: .normal)
    renderer.listing(Sample.podcast, episodes: 1)
    renderer.listing(Podcast(title: "Other"), episodes: 2)
    renderer.show(Sample.event(.started(resumedFrom: 0)))
    #expect(recorder.lines.last == "downloading  The Symbolic World: 275 - Psalms")
  }
}
