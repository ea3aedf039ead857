package import PodcastModel

/// Why an attempt, or the download that it belongs to, ended before every byte was there: the only
/// type for it, whoever ended it.
package enum Interruption: Error, Sendable, Hashable {
  /// The server's answer cannot be combined with the bytes on disk: ask again without a range.
  case restart(RestartReason)
  /// The server insists on a content coding: ask again and accept it.
  case coded
  /// The server's answer is useless, or asking further is; a retry may help if it is transient.
  case server(PodgetError, isTransient: Bool)
  /// The connection, or the message that came over it.
  case network(TransferEnd.Cause)
  /// The disk.
  case disk(DiskError)
  /// The user, or the run.
  case user(UserReason)

  /// What the user, or the run, wants of a download that ends or waits.
  package enum UserReason: Sendable, Hashable {
    /// It stops for this run.
    case cancelled
    /// It is paused, and its connection is lost or closed meanwhile.
    case paused
    /// It has not started, and another download of the episode does so later.
    case putBack
  }

  /// How a transfer was interrupted; nil if it was not, or if podget ended it on purpose.
  package init?(_ cause: TransferEnd.Cause) {
    switch cause {
    case .complete, .refused, .aborted: return nil
    case .stalled, .unanswered, .slow, .network, .handshake, .tls, .truncated, .undecodable,
      .unusable:
      self = .network(cause)
    }
  }

  /// A failure on the disk. Work that was stopped on purpose is cancelled.
  package init(_ error: DiskError) {
    self = error.isCancelled ? .user(.cancelled) : .disk(error)
  }

  /// A message that is complete and has less than was requested.
  package static var short: Interruption {
    .server(
      PodgetError(.incomplete, "The server ends the episode too early."), isTransient: true)
  }

  /// Whether the server sent another version than the one on disk.
  package var isChange: Bool { self == .restart(.changed) || self == .restart(.overlapDiffers) }

  /// Whether the disk is to blame, which other addresses do not change.
  package var isOfDisk: Bool { if case .disk = self { true } else { false } }

  /// Whether the same request may get further a little later.
  package var isTransient: Bool {
    switch self {
    case .server(_, let isTransient): isTransient
    case .network(let cause): cause.isTransient
    // Others close theirs as they end.
    case .disk(let error): error.isShortOfDescriptors
    case .restart, .coded, .user: false
    }
  }

  /// The failure of a download that ends with this interruption; nil if the user wanted it.
  package var error: PodgetError? {
    switch self {
    case .restart:
      return PodgetError(.rangeProtocol, "The server contradicts itself about ranges; try later.")
    case .coded: return PodgetError(.rangeProtocol, "The server's content coding is unknown.")
    case .server(let error, _): return error
    case .network(let cause):
      var error = PodgetError(cause)
      if error?.code == .timeout { error?.remedy = .resume }
      return error
    case .disk(let error): return error.podgetError
    case .user: return nil
    }
  }
}
