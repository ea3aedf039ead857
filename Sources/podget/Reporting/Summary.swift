import PodcastKit

/// How many episodes ended in which way.
struct Summary: Sendable, Hashable {
  /// The planned episodes, with any result.
  var planned = 0
  /// The downloaded episodes.
  var finished = 0
  /// The episodes without any work.
  var skipped = 0
  /// Episodes and sources that failed.
  var failed = 0
  /// The episodes that were cancelled.
  var cancelled = 0
  /// The sizes of the finished files, in bytes.
  var bytes: Int64 = 0

  /// Counts an event, if it is the last one of its episode.
  mutating func count(_ event: DownloadEvent) {
    switch event.kind {
    case .planned: planned += 1
    case .finished(let file):
      finished += 1
      bytes = ByteSum.of([bytes, file.bytes])
    case .skipped: skipped += 1
    case .failed: failed += 1
    case .cancelled: cancelled += 1
    case .started, .progress, .paused, .resumed, .retrying, .restarted: break
    }
  }

  /// Counts a source that could not be read.
  mutating func countFailedSource() {
    failed += 1
  }

  /// The summary for people, such as `4 finished (92.0 MiB), 1 failed`.
  var sentence: String {
    var parts: [String] = []
    if finished > 0 { parts.append("\(finished) finished (\(ByteText.size(bytes)))") }
    if skipped > 0 { parts.append("\(skipped) skipped") }
    if failed > 0 { parts.append("\(failed) failed") }
    if cancelled > 0 { parts.append("\(cancelled) cancelled (run podget resume to continue)") }
    // Every plan of a real run ends in one of these ways; in a dry run the rest is left.
    let rest = planned - finished - skipped - cancelled - failed
    if rest > 0 { parts.append("\(rest) to download") }
    return parts.isEmpty ? "Nothing to download." : parts.joined(separator: ", ")
  }
}
