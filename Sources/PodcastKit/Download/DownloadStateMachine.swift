/// What pause, resume and cancel mean at each moment of a download: a pure state machine.
///
/// Each call answers with what to do; the caller does it afterwards. Every call is right in every
/// state and any number of times.
struct DownloadStateMachine: Sendable, Hashable {
  /// Where the download stands.
  enum Phase: Sendable, Hashable {
    /// Between attempts: waiting for its turn, for a delay, or for the user.
    case waiting
    /// A request runs.
    case transferring
    /// A redirect was answered and the request for its target has not begun: waiting for the turn at
    /// another host, which may take minutes.
    case betweenHops
    /// Every byte is there and is being made durable; nothing can stop it now.
    case settling
    /// The terminal event was sent.
    case ended
  }

  /// What the caller has to do.
  enum Action: Sendable, Hashable {
    case none
    /// Keep the connection and read nothing; let it go when the pause becomes long.
    case hold
    /// Read on from the held connection.
    case proceed
    /// End the running attempt.
    case abort
    /// Wake whatever waits.
    case wake
  }

  /// What to do when an attempt has ended.
  enum Continuation: Sendable, Hashable {
    /// Judge the attempt by what it brought.
    case judge
    /// It ended because of a pause: wait, and count nothing.
    case wait
    /// The user wants no more.
    case stop
  }

  private(set) var phase = Phase.waiting
  private(set) var isPaused = false
  private(set) var isCancelled = false
  /// Whether the running attempt was ended because a pause had become long.
  private var isLettingGo = false

  /// The user pauses. Returns nil when that changes nothing.
  mutating func pause() -> Action? {
    guard !isPaused, !isCancelled, phase.canStop else { return nil }
    isPaused = true
    guard phase == .transferring else { return Action.none }
    return .hold
  }

  /// The user lets it go on. Returns nil when that changes nothing.
  mutating func resume() -> Action? {
    guard isPaused, !isCancelled else { return nil }
    isPaused = false
    return phase == .transferring ? .proceed : .wake
  }

  /// The user wants no more. Returns nil when that changes nothing.
  mutating func cancel() -> Action? {
    guard !isCancelled, phase.canStop else { return nil }
    isCancelled = true
    isPaused = false
    return phase == .transferring ? .abort : .wake
  }

  /// The pause has become so long that holding the connection is no use.
  mutating func graceEnded() -> Action {
    guard isPaused, phase == .transferring else { return .none }
    isLettingGo = true
    return .abort
  }

  /// An attempt begins, or its next hop.
  mutating func begin() {
    phase = .transferring
    isLettingGo = false
  }

  /// The request was answered with a redirect that is followed. A connection that a pause held or let
  /// go makes no difference any more: the answer was complete.
  mutating func redirect() {
    phase = .betweenHops
    isLettingGo = false
  }

  /// The attempt ended; what follows.
  mutating func end() -> Continuation {
    phase = .waiting
    if isCancelled { return .stop }
    // A connection that we let go, or that died while it was held, is no fault of the server's.
    return isPaused || isLettingGo ? .wait : .judge
  }

  /// Every byte is there. Returns false when the user was quicker.
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
    case .waiting, .transferring, .betweenHops: true
    case .settling, .ended: false
    }
  }
}
