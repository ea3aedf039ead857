/// The keys that control a running download.
///
/// Only while podget is in the foreground: started with `&` it neither reads from the terminal nor
/// changes it. Call ``close()`` at the end.
protocol ControlKeys: Sendable {
  /// The keys as they are pressed; the stream ends with ``close()`` or when the terminal is gone.
  var keys: AsyncStream<ControlKey> { get }

  /// Whether keys are read at the moment.
  var isActive: Bool { get }

  /// Reads keys in the foreground and not in the background.
  ///
  /// A shell may move a running job without a signal, so call this about once a second, and when
  /// the process was continued.
  func follow()

  /// Stops reading and restores the terminal, before the process is stopped; ``follow()`` starts
  /// again.
  func suspend()

  /// Ends the stream and restores the terminal.
  func close()
}

/// The meaning of a key.
enum ControlKey: Sendable, Hashable {
  /// Pause or resume everything: `p` and space.
  case pause
  /// Stop and keep the received bytes: `q`.
  case quit
}
