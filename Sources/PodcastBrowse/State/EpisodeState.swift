/// What a row says about its episode.
package enum EpisodeState: Sendable, Hashable {
  /// Listed, and not in the library.
  case remote
  /// It was asked for and waits for its turn.
  case queued
  /// It is being downloaded.
  case running(received: Int64, total: Int64?)
  /// The user has paused it.
  case paused(received: Int64, total: Int64?)
  /// An attempt failed, and another follows.
  case retrying(received: Int64, total: Int64?)
  /// Some bytes of an earlier run are there.
  case partial(received: Int64, total: Int64?)
  /// The complete file is there.
  case complete
  /// The download failed: why.
  case failed(String)
  /// The file was complete and is gone.
  case missing
  /// The user removed it.
  case removed

  /// Whether a download of it has begun or waits in this program.
  package var isActive: Bool {
    switch self {
    case .queued, .running, .paused, .retrying: true
    case .remote, .partial, .complete, .failed, .missing, .removed: false
    }
  }

  /// Whether bytes of it arrive, or will after a short time.
  package var isTransferred: Bool { if case .running = self { true } else { isRetrying } }

  /// Whether another attempt follows.
  var isRetrying: Bool { if case .retrying = self { true } else { false } }

  /// Whether its download failed.
  var isFailed: Bool { if case .failed = self { true } else { false } }

  /// Whether it is planned and not complete, so that something of it may be on the disk.
  package var isUnfinished: Bool {
    switch self {
    case .partial, .failed: true
    default: isActive
    }
  }

  /// Its place among the states in a list of downloads.
  var rank: Int {
    switch self {
    case .running, .retrying: 0
    case .paused: 1
    case .queued: 2
    case .failed: 3
    case .partial: 4
    case .complete: 5
    case .missing: 6
    case .remote: 7
    case .removed: 8
    }
  }

  /// The names of these places.
  static let groups = [
    "Running", "Paused", "Waiting", "Failed", "Begun", "Complete", "Missing", "Not downloaded",
    "Removed",
  ]

  /// The bytes that are there, and the size if it is known.
  package var bytes: (received: Int64, total: Int64?)? {
    switch self {
    case .running(let received, let total), .paused(let received, let total),
      .retrying(let received, let total), .partial(let received, let total):
      (received, total)
    case .remote, .queued, .complete, .failed, .missing, .removed: nil
    }
  }

  /// The state when so many bytes are written. What arrived before a pause may be written after it,
  /// and does not end the pause.
  package func written(_ received: Int64, of total: Int64?) -> EpisodeState {
    if case .paused = self { return .paused(received: received, total: total) }
    return .running(received: received, total: total)
  }

  /// How much is there, from 0 to 100; nil when that is not known.
  package var percent: Int? {
    guard let (received, total) = bytes, let total, total > 0 else { return nil }
    return Int((Double(max(0, min(received, total))) / Double(total) * 100).rounded(.down))
  }
}
