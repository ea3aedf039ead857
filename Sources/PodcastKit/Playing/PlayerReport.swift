import PodcastModel

/// What a player has said.
struct PlayerReport: Sendable, Hashable {
  /// How far it is.
  var state = PlayerState()
  /// Whether it has played the episode to its end.
  var isFinished = false
  /// What it said about a file that it cannot play; empty for nothing.
  var failure: String?

  /// Takes what it says.
  mutating func take(_ message: PlayerMessage) {
    switch message {
    case .position(let position): state.position = position
    case .duration(let duration): state.duration = duration
    case .isPaused(let isPaused): state.isPaused = isPaused
    case .speed(let speed): state.speed = speed
    case .volume(let volume): state.volume = volume
    case .finished: isFinished = true
    case .failed(let reason): failure = reason
    }
  }
}

/// How playing ended.
package enum PlayerEnding: Sendable, Hashable {
  /// The episode was played to its end.
  case finished
  /// It was ended, by podget or in the player.
  case stopped
  /// It failed: a sentence.
  case failed(String)
  /// The program could not be started.
  case notStarted(ProgramStart.Failure)

  /// What the end of a process means.
  ///
  /// - Parameters:
  ///   - name: of the program.
  ///   - status: as of waitpid(2).
  ///   - report: what it has said before.
  ///   - complaint: its last line on standard error.
  ///   - isWanted: whether podget ended it.
  init(_ name: String, status: Int32, _ report: PlayerReport, complaint: String, isWanted: Bool) {
    let (signal, code) = (status & 0x7F, status >> 8 & 0xFF)
    let why = complaint.isEmpty ? "." : ": \(complaint)"
    if report.isFinished {
      self = .finished
    } else if isWanted {
      self = .stopped
    } else if let failure = report.failure ?? (name == "mpv" && code == 2 ? "" : nil) {
      // The status of mpv(1) for such a file, if that ended before it could be asked.
      self = .failed("\(name) cannot play the file\(failure.isEmpty ? "" : ": \(failure)").")
    } else if signal != 0 {
      self = .failed("\(name) was ended by signal \(signal)\(why)")
    } else if code != 0 {
      self = .failed("\(name) failed with status \(code)\(why)")
    } else {
      self = .stopped
    }
  }
}

extension PlayerRequest {
  /// The line that asks mpv for it.
  var line: String {
    switch self {
    case .pause: Self.line(#""cycle","pause""#)
    case .move(let seconds): Self.line(#""seek",\#(seconds),"relative""#)
    case .seek(let time): Self.line(#""seek",\#(time.components.seconds),"absolute""#)
    case .faster(let step): Self.line(#""add","speed",\#(step)"#)
    case .louder(let step): Self.line(#""add","volume",\#(step)"#)
    case .speed(let speed): Self.line(#""set_property","speed",\#(speed)"#)
    }
  }

  /// The line that asks mpv to say each change of a property.
  static func observing(_ property: String) -> String {
    line(#""observe_property",1,"\#(property)""#)
  }

  private static func line(_ words: String) -> String { #"{"command":[\#(words)]}"# + "\n" }
}
