import PodcastTransfer

/// What pause, resume and cancel mean at each moment of a download: a pure state machine.
///
/// Each call returns what to do; the caller does it afterwards. Every call is allowed in every
/// state and any number of times.
struct DownloadStateMachine: Sendable, Hashable {
  /// The state of the download.
  enum Phase: Sendable, Hashable {
    /// Begun early: opening its part file, or waiting for its first slot.
    case inLine
    /// Between attempts: waiting for its turn, for a delay, or for the user.
    case waiting
    /// A request runs.
    case transferring
    /// A redirect was received and the request for its target has not begun: waiting for a slot of
    /// another host, which may take minutes.
    case betweenHops
    /// All bytes are there and are being made durable; the user cannot pause or cancel that.
    case settling
    /// The terminal event was sent.
    case ended
  }

  /// What the caller has to do.
  enum Action: Sendable, Hashable {
    case none
    /// Keep the connection and read nothing; close it when the pause becomes long.
    case hold
    /// Continue to read from the open connection.
    case proceed
    /// End the running attempt.
    case abort
    /// Wake whatever waits.
    case wake
  }

  private(set) var phase = Phase.inLine
  private(set) var isPaused = false
  private(set) var isCancelled = false
  /// Whether it ends without having started, and another download of the episode starts later.
  private(set) var isPutBack = false
  /// Whether the running attempt was ended because a pause had become long.
  private var isLettingGo = false

  /// The user pauses. Returns nil if that changes nothing.
  mutating func pause() -> Action? {
    guard !isPaused, !isCancelled, phase.canStop else { return nil }
    isPaused = true
    guard phase == .transferring else { return Action.none }
    return .hold
  }

  /// The user resumes. Returns nil if that changes nothing.
  mutating func resume() -> Action? {
    guard isPaused, !isCancelled else { return nil }
    isPaused = false
    return phase == .transferring ? .proceed : .wake
  }

  /// The user cancels. Returns false if that changes nothing.
  mutating func cancel() -> Bool {
    guard !isCancelled, phase.canStop else { return false }
    isCancelled = true
    isPaused = false
    return true
  }

  /// The download ends if it has not started. Returns false if it has, or if the user paused or
  /// cancelled it.
  mutating func putBack() -> Bool {
    guard phase == .inLine, !isPaused, !isCancelled, !isPutBack else { return false }
    isPutBack = true
    return true
  }

  /// Checks that the download may go on.
  func check() throws(Interruption) {
    if isCancelled { throw .user(.cancelled) }
    if isPutBack { throw .user(.putBack) }
  }

  /// The download starts: it has its part file and a slot.
  mutating func start() throws(Interruption) {
    try check()
    phase = .waiting
  }

  /// The pause has become so long that keeping the connection is useless.
  mutating func graceEnded() -> Action {
    guard isPaused, phase == .transferring else { return .none }
    isLettingGo = true
    return .abort
  }

  /// An attempt begins, or the request after a redirect.
  mutating func begin() {
    phase = .transferring
    isLettingGo = false
  }

  /// The request was answered with a redirect that is followed. A connection that a pause kept or
  /// closed no longer matters: the answer was complete.
  mutating func redirect() {
    phase = .betweenHops
    isLettingGo = false
  }

  /// The attempt ended; returns why, if that was the user's doing.
  mutating func end() -> Interruption.UserReason? {
    phase = .waiting
    if isCancelled { return .cancelled }
    // It is not the server's fault if podget closed the connection, or if the connection was lost
    // during a pause.
    return isPaused || isLettingGo ? .paused : nil
  }

  /// All bytes are there. Returns false if the user was faster.
  mutating func settle() -> Bool {
    guard !isCancelled else { return false }
    phase = .settling
    isPaused = false
    return true
  }

  /// The terminal event was sent.
  mutating func finish() { phase = .ended }
}

extension DownloadStateMachine.Phase {
  /// Whether the user can still pause or cancel.
  fileprivate var canStop: Bool {
    switch self {
    case .inLine, .waiting, .transferring, .betweenHops: true
    case .settling, .ended: false
    }
  }
}
