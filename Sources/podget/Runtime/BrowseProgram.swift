import BrowseScreen
import FoundationEssentials
import Glibc

/// The program that shows the full screen. podget starts it, waits for it, and restores the terminal
/// whatever it died of.
struct BrowseProgram: Sendable {
  /// The program's file name.
  private static let name = "podget-browse"

  /// Its absolute path.
  let path: String

  /// Finds the program: beside podget, as after a build, else in `../libexec/podget`, as installed,
  /// else in the folder that `PODGET_LIBEXEC` names.
  static func find(environment: [String: String]) -> String? {
    var folders: [String] = []
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    if count > 0 {
      let own = String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
      let folder = own.lastIndex(of: "/").map { String(own[..<$0]) } ?? ""
      folders = [folder, "\(folder)/../libexec/podget"]
    }
    if let named = environment["PODGET_LIBEXEC"], !named.isEmpty { folders.append(named) }
    return folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }

  /// Runs the program to its end.
  func run(_ arguments: [String], _ context: CommandContext) async -> Outcome {
    let terminal = TerminalRestoration(STDIN_FILENO)
    // Ctrl-Z stops both. podget follows the program, which restores the terminal first.
    let child = ChildProgram(whenStopped: { SignalMonitor.stopProcess() })
    SignalMonitor.lendKeyboard(true)
    let signals = SignalMonitor.signals()
    let words = [path] + arguments
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
        Result { () throws(SpawnFailure) in try child.run(words) {}.status }
      }
      SignalMonitor.stopListening()
      group.cancelAll()
      return result
    }
    SignalMonitor.lendKeyboard(false)
    switch result {
    case nil: return .failure
    case .failure(let failure)?:
      context.say("\(path) cannot be run: \(failure.explanation).")
      return .failure
    case .success(let status)?:
      let signal = status & 0x7F
      if Terminal.isForeground(STDIN_FILENO) {
        terminal?.restore(STDOUT_FILENO, leavesScreen: signal != 0)
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
        "\(Self.name) ended by signal \(signal); what was downloaded is kept, and podget resume "
          + "continues it.")
      return .failure
    }
  }
}
