import Glibc
import PodcastKit

/// The system's program for files and addresses: it plays what podget has no player for, opens links, and
/// is left alone.
struct SystemProgram: Sendable {
  /// The processes that may still run.
  private var processes: [Int32] = []

  /// Opens a file or an address; false if there is no such program.
  ///
  /// - Parameter place: the file's absolute path, or the address.
  mutating func open(_ place: String) -> Bool {
    processes.removeAll { waitpid($0, nil, WNOHANG) != 0 }
    let streams = ProgramStart.Streams(input: .nothing, output: .nothing, error: .nothing)
    let process = try? ProgramStart.start(["xdg-open", place], streams: streams, group: .session)
    guard let process else { return false }
    processes.append(process)
    return true
  }
}
