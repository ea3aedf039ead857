import BrowseScreen
import Glibc
import PodcastBrowse

/// The thread that draws and reads keys. It never waits for the network, the disk or the terminal.
struct BrowseLoop: ~Copyable {
  /// Milliseconds between two looks whether the process is in the foreground again: some shells give
  /// it the terminal after they continued it.
  private static let backgroundPause: Int32 = 200

  private let terminal: TerminalSession
  private let mailbox: EventMailbox
  private let look: BrowseLook
  private let perform: (BrowseEffect) -> Void
  private var model: BrowseModel
  private var decoder = TimedKeyDecoder()
  private var output = FrameOutput()
  /// The exit status, once it is to end.
  private var status: Int32?

  /// Creates a loop.
  ///
  /// - Parameter perform: begins what the model wants, and returns at once.
  init(
    _ terminal: TerminalSession, _ mailbox: EventMailbox, settings: BrowseSettings,
    perform: @escaping (BrowseEffect) -> Void
  ) {
    self.terminal = terminal
    self.mailbox = mailbox
    self.perform = perform
    look = BrowseLook(hasColor: settings.hasColor, isUTF8: settings.isUTF8)
    model = BrowseModel(size: terminal.size, source: settings.source)
  }

  /// Runs until the user or a signal ends it; the exit status.
  mutating func run() -> Int32 {
    var isShown = terminal.enter()
    for effect in model.firstEffects { perform(effect) }
    var isChanged = true
    while status == nil {
      if isShown, isChanged {
        output.show(BrowseView.frame(model, look))
        isChanged = false
      }
      if isShown, !output.flush(terminal.write) { return 128 + SIGHUP }
      let input = terminal.wait(
        readsKeys: isShown, wantsOutput: isShown && output.isWaiting,
        timeout: isShown ? decoder.timeout(at: .now) : Self.backgroundPause)
      if input.isClosed { return 128 + SIGHUP }
      for number in input.signals {
        switch number {
        case SIGWINCH: isChanged = true
        case SIGCONT:
          isShown = terminal.enter()
          output.forget()
          isChanged = true
        default: status = status ?? 128 + number
        }
      }
      if !isShown, terminal.enter() {
        isShown = true
        output.forget()
        isChanged = true
      }
      if !input.signals.isEmpty { take(.resized(terminal.size)) }
      let events = input.isWoken ? mailbox.take() : []
      for event in events { take(event) }
      let keys = decoder.keys(input.bytes, at: .now)
      for key in keys { take(.key(key)) }
      isChanged = isChanged || !keys.isEmpty || !events.isEmpty
    }
    return status ?? 0
  }

  private mutating func take(_ event: BrowseEvent) {
    for effect in model.reduce(event) {
      if effect == .quit { status = status ?? 0 } else { perform(effect) }
    }
  }
}
