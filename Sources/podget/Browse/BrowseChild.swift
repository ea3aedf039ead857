import BrowseScreen
import FoundationEssentials
import Glibc
import PodcastKit

/// The process that shows the full screen. podget starts it, waits for it, and restores the terminal
/// whatever it died of.
struct BrowseChild: Sendable {
  /// Whether the process may leave images of kitty's protocol on the screen.
  let deletesImages: Bool

  /// Runs the process to its end.
  func run(_ settings: BrowseSettings, _ context: CommandContext) async -> Outcome {
    let terminal = TerminalRestoration(STDIN_FILENO)
    // Ctrl-Z stops both. podget follows the process, which restores the terminal first.
    let child = ChildProgram(whenStopped: { context.signals.stopProcess() })
    context.signals.lendKeyboard(true)
    let signals = context.signals.signals()
    let path = InstalledProgram.running
    let words = [path, BrowseScreenProgram.argument] + settings.arguments
    let result = await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for await signal in signals {
          switch signal {
          case .interrupt: child.send(SIGINT)
          case .terminate: child.send(SIGTERM)
          case .hangUp: child.send(SIGHUP)
          case .continued: child.send(SIGCONT)
          case .stop, .windowChanged: break
          }
        }
      }
      let result = await BlockingWork.run {
        Result { () throws(ProgramStart.Failure) in try child.run(words) {}.status }
      }
      context.signals.stopListening()
      group.cancelAll()
      return result
    }
    context.signals.lendKeyboard(false)
    switch result {
    case nil: return .failure
    case .failure(let failure)?:
      context.say("\(path) cannot be run: \(failure.explanation).")
      return .failure
    case .success(let status)?:
      let signal = status & 0x7F
      if Terminal.isForeground(STDIN_FILENO) {
        terminal?.restore(
          input: STDIN_FILENO, output: STDOUT_FILENO, leavesScreen: signal != 0,
          deletesImages: deletesImages)
      }
      return outcome(status: status >> 8 & 0xFF, signal: signal, context)
    }
  }

  private func outcome(status: Int32, signal: Int32, _ context: CommandContext) -> Outcome {
    switch signal {
    case 0: return status == 0 ? .success : Outcome(hasFailed: true, interruptedWith: status)
    case SIGINT, SIGTERM, SIGHUP: return Outcome(interruptedWith: 128 + signal)
    default:
      context.say(
        "The full screen ended by signal \(signal); what was downloaded is kept, and podget resume "
          + "continues it.")
      return .failure
    }
  }
}
