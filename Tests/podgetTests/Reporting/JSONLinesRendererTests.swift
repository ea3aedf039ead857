import Foundation
import PodcastKit
import PodcastModel
import Testing

@testable import podget

@Suite("JSON lines") struct JSONLinesRendererTests {
  private static let whose =
    #""podcast":{"id":1386867488,"title":"The Symbolic World","feedUrl":null},"#
    + #""episode":{"id":1000600017070,"guid":null,"title":"275 - Psalms","#
    + #""date":"2023-02-16T16:00:17Z"}"#

  private static let expected = [
    #"{"event":"planned",*,"path":"The Symbolic World/2023-02-16 - 275 - Psalms.mp3","total":null}"#,
    #"{"event":"started",*,"resumedFrom":0}"#,
    #"{"event":"progress",*,"received":1048576,"total":null}"#,
    #"{"event":"paused",*}"#,
    #"{"event":"resumed",*}"#,
    #"{"event":"retrying",*,"attempt":2,"delay":1.4,"reason":"timeout"}"#,
    #"{"event":"restarted",*,"reason":"changed"}"#,
    #"{"event":"finished",*,"path":"The Symbolic World/a.mp3","bytes":24117248,"sha256":"ab12"}"#,
    #"{"event":"skipped",*,"path":"a.mp3","reason":"alreadyDownloaded"}"#,
    #"{"event":"failed",*,"error":{"code":"httpStatus","message":"The server has no such file.","httpStatus":404}}"#,
    #"{"event":"cancelled",*,"received":1048576}"#,
  ].map { $0.replacingOccurrences(of: "*", with: whose) }

  @Test("each event is the object of the contract", arguments: zip(Sample.kinds, expected))
  func event(kind: DownloadEvent.Kind, line: String) {
    let recorder = Recorder()
    var renderer = JSONLinesRenderer(
      output: recorder.output, errors: Recorder().output, verbosity: .normal)
    renderer.show(Sample.event(kind))
    #expect(recorder.text == line + "\n")
    #expect(recorder.writes == 1)
  }

  @Test("a source that cannot be read, and the summary") func sourceAndSummary() {
    let (data, words) = (Recorder(), Recorder())
    var renderer = JSONLinesRenderer(
      output: data.output, errors: words.output, verbosity: .normal)
    renderer.listing(Sample.podcast, episodes: 1)
    renderer.sourceFailed("99", PodgetError(.notFound, "Apple knows no such podcast."))
    renderer.note("2 episodes are for subscribers only.")
    var summary = Summary()
    summary.countFailedSource()
    for kind in Sample.kinds { summary.count(Sample.event(kind)) }
    renderer.summary(summary)
    #expect(
      data.lines == [
        #"{"event":"failed","source":"99","podcast":null,"episode":null,"error":{"code":"notFound","message":"Apple knows no such podcast.","httpStatus":null}}"#,
        #"{"event":"summary","finished":1,"skipped":1,"failed":2,"cancelled":1,"bytes":24117248}"#,
      ])
    #expect(
      words.lines == ["99: Apple knows no such podcast.", "2 episodes are for subscribers only."])
  }

  @Test("--quiet leaves stderr empty and stdout complete") func quiet() {
    let (data, words) = (Recorder(), Recorder())
    var renderer = JSONLinesRenderer(output: data.output, errors: words.output, verbosity: .quiet)
    renderer.show(Sample.event(.failed(Sample.notFound)))
    renderer.note("A note.")
    #expect(data.lines.count == 1)
    #expect(words.text == "")
  }

  @Test("a closed stdout ends the output") func closed() {
    let recorder = Recorder()
    var renderer = JSONLinesRenderer(
      output: recorder.output(closedAfter: 2), errors: Recorder().output, verbosity: .normal)
    for kind in Sample.kinds { renderer.show(Sample.event(kind)) }
    #expect(recorder.writes == 2)
  }

  @Test("every line is JSON, whatever a title contains", arguments: Sample.titles)
  func titles(title: String) throws {
    let recorder = Recorder()
    var renderer = JSONLinesRenderer(
      output: recorder.output, errors: Recorder().output, verbosity: .normal)
    renderer.show(Sample.event(.paused, title))
    let object = try JSONSerialization.jsonObject(with: Data(recorder.text.utf8))
    let episode = (object as? [String: Any])?["episode"] as? [String: Any]
    #expect(episode?["title"] as? String == title)
    #expect(!hasUnsafeScalars(recorder.text))
    #expect(recorder.lines.count == 1)
  }
}
