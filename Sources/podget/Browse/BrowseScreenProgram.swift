import BrowseScreen
import Dispatch
import Glibc
import PodcastBrowse
import PodcastKit
internal import PodcastSystem

/// The full screen, as a process of its own: `podget browse` starts podget again for it, and restores
/// the terminal whatever it died of.
enum BrowseScreenProgram {
  /// The first argument of that process; settings follow.
  static let argument = "--full-screen"

  /// How long downloads have to stop before the process ends: less than the two seconds within which a
  /// signal takes effect. What arrived is kept even if it is longer.
  private static let patience = DispatchTimeInterval.milliseconds(1500)

  /// Runs the process to its end.
  static func run(_ arguments: some Sequence<String>) -> Never {
    // Without the parent nobody restores the terminal, and nobody sees it.
    OperatingSystem.endWithParent()
    guard let settings = BrowseSettings(arguments: arguments) else {
      end(64, saying: "the full screen is started by podget browse.")
    }
    // Other programs are waited for, whatever the parent did.
    signal(SIGCHLD, SIG_DFL)
    guard let wakeup = Wakeup(),
      let terminal = TerminalSession(wakeup: wakeup, usesMouse: settings.usesMouse)
    else {
      end(64, saying: "podget browse needs a terminal.")
    }
    let mailbox = EventMailbox(wakeup)
    // Unbounded: an element for each key that asks for something.
    let (effects, continuation) = AsyncStream.makeStream(of: BrowseEffect.self)
    let ended = DispatchSemaphore(value: 0)
    // Detached: this thread is the main actor's, and waits for keys.
    Task.detached {
      await BrowseWork.run(settings, effects) { mailbox.send($0) }
      ended.signal()
    }
    var loop = BrowseLoop(terminal, mailbox, settings: settings) { continuation.yield($0) }
    let status = loop.run()
    terminal.leave()
    continuation.finish()
    _ = ended.wait(timeout: .now() + patience)
    // Threads may still run: what exit(3) cleans up is theirs.
    _exit(status)
  }

  private static func end(_ status: Int32, saying sentence: String) -> Never {
    let text = "podget: \(sentence)\n"
    _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) }
    exit(status)
  }
}
