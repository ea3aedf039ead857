import Synchronization

/// Steers one running transfer from any task: hold it, let it go on, end it.
///
/// Every call is idempotent and may come before the transfer begins or after it ended.
public final class TransferControl: Sendable {
  /// What the owner wants of the transfer.
  public enum Wish: Sendable, Hashable {
    /// Bytes may flow.
    case run
    /// The connection is kept and nothing is read from it.
    case hold
    /// The transfer ends as soon as possible; final.
    case abort
  }

  private struct State {
    var wish = Wish.run
    var wake: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  /// Makes a control that lets bytes flow.
  public init() {}

  /// What is wanted now.
  public var wish: Wish { state.withLock { $0.wish } }

  /// Stops reading from the connection, which stays open.
  public func hold() { change(to: .hold) }

  /// Lets a held transfer go on.
  public func proceed() { change(to: .run) }

  /// Ends the transfer; nothing that follows revives it.
  public func abort() { change(to: .abort) }

  /// Registers the transport's wake-up call; it runs after each change, on the caller's thread.
  public func attach(wake: @escaping @Sendable () -> Void) {
    state.withLock { $0.wake = wake }
  }

  /// Removes the wake-up call when the transfer has ended.
  public func detach() {
    state.withLock { $0.wake = nil }
  }

  private func change(to wish: Wish) {
    let wake = state.withLock { state -> (@Sendable () -> Void)? in
      guard state.wish != .abort, state.wish != wish else { return nil }
      state.wish = wish
      return state.wake
    }
    wake?()
  }
}
