import PodcastLibrary
import PodcastModel
import PodcastTransfer

/// Why a download's attempts end without a new file.
enum DownloadStop: Error, Sendable {
  /// It has not started, and another download of the episode does so later.
  case putBack
  case cancelled
  case skipped(path: String, SkipReason)
  case failed(PodgetError)
  /// An earlier process received all bytes and was killed before it could report it.
  case recovered(FinishedFile)

  /// What a failure on the disk means.
  init(_ error: DiskError) {
    self = error.isCancelled ? .cancelled : .failed(error.podgetError)
  }

  /// The error, when it is one.
  var error: PodgetError? {
    if case .failed(let error) = self { error } else { nil }
  }

  /// The event that ends the download; nil if it is to start again later.
  func terminalEvent(received: Int64) -> DownloadEvent.Kind? {
    switch self {
    case .putBack: nil
    case .cancelled: .cancelled(received: received)
    case .skipped(let path, let reason): .skipped(path: path, reason: reason)
    case .failed(let error): .failed(error)
    case .recovered(let file): .finished(file)
    }
  }
}

extension DownloadStateMachine {
  /// Checks that the download may go on.
  func check() throws(DownloadStop) {
    if isCancelled { throw .cancelled }
    if isPutBack { throw .putBack }
  }
}
