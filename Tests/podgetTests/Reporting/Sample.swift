import Foundation
import PodcastKit
import PodcastLibrary
import PodcastModel
import Synchronization
import TestSupport

@testable import podget

/// Values that the output's tests share.
enum Sample {
  static let podcast = Podcast(
    id: 1_386_867_488, title: "The Symbolic World", author: "Jonathan Pageau")

  static func plan(_ title: String = "275 - Psalms", key: String = "a") -> DownloadPlan {
    DownloadPlan(
      key: key, podcast: podcast,
      episode: Episode(
        id: 1_000_600_017_070, title: title, date: Date(timeIntervalSince1970: 1_676_563_217),
        enclosure: Enclosure(url: "https://example.org/a.mp3")),
      folder: "The Symbolic World", stem: "2023-02-16 - \(title)", announcedExtension: "mp3")
  }

  static func event(
    _ kind: DownloadEvent.Kind, _ title: String = "275 - Psalms", key: String = "a"
  ) -> DownloadEvent {
    DownloadEvent(plan(title, key: key), kind)
  }

  static let finished = DownloadEvent.Kind.finished(
    FinishedFile(path: "The Symbolic World/a.mp3", bytes: 24_117_248, sha256: "ab12"))

  static let notFound = PodgetError(.httpStatus, "The server has no such file.", httpStatus: 404)

  /// One event of each kind, in an order that could happen.
  static let kinds: [DownloadEvent.Kind] = [
    .planned(total: nil), .started(resumedFrom: 0), .progress(received: 1_048_576, total: nil),
    .paused, .resumed, .retrying(attempt: 2, delay: .milliseconds(1400), reason: .timeout),
    .restarted(.changed), finished, .skipped(path: "a.mp3", reason: .alreadyDownloaded),
    .failed(notFound), .cancelled(received: 1_048_576),
  ]

  /// Titles that a display can trip over.
  static let titles = [
    "275 - Michael Legaspi - Subjectivity and the Psalms", "日本語のポッドキャスト：長い題名がここに続きます",
    "🎉 Party 🎉🎉🎉 special 👍", "", "x", "caf\u{65}\u{301} na\u{308}ive",
    "evil \u{1B}[31mred\u{9B}2J \u{202E}txet\u{7} \u{2066}x\u{2069}\r\n\ttab",
  ]
}

extension TerminalStyle {
  /// A terminal that shows everything but colors.
  static let sample = TerminalStyle(hasColor: false, isUTF8: true)
}

/// Keeps what a renderer writes.
final class Recorder: Sendable {
  private let texts = Mutex<[String]>([])

  var text: String { texts.withLock { $0.joined() } }

  var lines: [String] { text.split(separator: "\n").map(String.init) }

  /// An output that accepts everything.
  var output: TextOutput { output() }

  /// The same with a name and a window, or one that accepts nothing.
  func output(
    name: String = "standard output", window: TerminalWindow? = nil,
    _ outcome: TextOutput.Outcome = .written
  ) -> TextOutput {
    TextOutput(name: name, window: window) { text in
      if outcome == .written { self.texts.withLock { $0.append(text) } }
      return outcome
    }
  }

  /// An output whose reader goes away after some texts.
  func output(closedAfter limit: Int) -> TextOutput {
    TextOutput { text in
      self.texts.withLock { texts in
        texts.append(text)
        return texts.count < limit ? .written : .closed
      }
    }
  }

  /// How often something was written.
  var writes: Int { texts.withLock { $0.count } }
}

/// The scalars that may never reach a terminal raw, the newline aside.
func hasUnsafeScalars(_ text: String) -> Bool {
  text.unicodeScalars.contains { scalar in
    switch scalar.value {
    case 0x0A: false
    case 0..<0x20, 0x7F..<0xA0, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
