import Synchronization

/// Controls one running transfer from any task: pause, resume, abort.
///
/// Every call is idempotent and may come before the transfer begins or after it ended.
public final class TransferControl: Sendable {
  /// The requested state of the transfer.
  public enum Wish: Sendable, Hashable {
    /// Bytes may flow.
    case run
    /// The connection stays open, but is not read.
    case hold
    /// The transfer ends because it is slow and others wait; only an abort can follow.
    case giveWay
    /// The transfer ends as soon as possible; final.
    case abort
  }

  private struct State {
    var wish = Wish.run
    var wake: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())
  private let whenSlow: (@Sendable (TransferControl) -> Void)?

  /// Creates a control that lets bytes flow.
  public init() { whenSlow = nil }

  /// Creates a control that lets bytes flow.
  ///
  /// - Parameter whenSlow: called on the transport's thread whenever the transfer has been slow for
  ///   a while, see ``SlowLimit``.
  package init(whenSlow: @escaping @Sendable (TransferControl) -> Void) { self.whenSlow = whenSlow }

  /// The current requested state.
  public var wish: Wish { state.withLock { $0.wish } }

  /// Stops reading from the connection, which stays open.
  public func hold() { change(to: .hold) }

  /// Resumes a paused transfer.
  public func proceed() { change(to: .run) }

  /// Ends a slow transfer for the sake of others.
  package func giveWay() { change(to: .giveWay) }

  /// Reports that the transfer has been slow for a while.
  func noteSlowness() { whenSlow?(self) }

  /// Ends the transfer; no later call restarts it.
  public func abort() { change(to: .abort) }

  /// Registers the transport's wake-up call; it runs after each change, on the caller's thread.
  public func attach(wake: @escaping @Sendable () -> Void) {
    state.withLock { $0.wake = wake }
  }

  /// Removes the wake-up call when the transfer has ended.
  public func detach() {
    state.withLock { $0.wake = nil }
  }

  /// Makes the transport ask the receiver again whether it can take more.
  public func look() { state.withLock { $0.wake }?() }

  private func change(to wish: Wish) {
    let wake = state.withLock { state -> (@Sendable () -> Void)? in
      guard state.wish != .abort, state.wish != wish, state.wish != .giveWay || wish == .abort
      else { return nil }
      state.wish = wish
      return state.wake
    }
    wake?()
  }
}
