import Foundation
import TestSupport
import Testing

extension PseudoTerminalProcess {
  /// The program that podget has started.
  func startedProgram() throws -> pid_t {
    let tasks = "/proc/\(pid)/task"
    for thread in try FileManager.default.contentsOfDirectory(atPath: tasks) {
      let list = try String(contentsOfFile: "\(tasks)/\(thread)/children", encoding: .utf8)
      if let pid = list.split(separator: " ").first.flatMap({ pid_t($0) }) { return pid }
    }
    return try #require(nil, "podget has started no program.")
  }
}
