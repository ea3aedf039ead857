import BrowseScreen

/// The window of a terminal that text is written to.
struct TerminalWindow: Sendable {
  /// Its size; a window may be resized at any time.
  var size: @Sendable () -> ScreenSize
  /// Whether podget may draw in it: not when started with `&`.
  var isForeground: @Sendable () -> Bool

  /// A window with these properties.
  init(size: @escaping @Sendable () -> ScreenSize, isForeground: @escaping @Sendable () -> Bool) {
    self.size = size
    self.isForeground = isForeground
  }

  /// The window behind a descriptor; nil when it is not a terminal.
  init?(of descriptor: Int32) {
    guard Terminal.isTerminal(descriptor) else { return nil }
    self.init(
      size: { ScreenSize(of: descriptor) },
      isForeground: { Terminal.isForeground(descriptor) })
  }
}
