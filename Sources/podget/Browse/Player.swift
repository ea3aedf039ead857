import Glibc
import PodcastKit

/// Starts programs that play files, and leaves them alone.
struct Player: Sendable {
  /// The programs that are tried, with their options.
  private static let programs = [["mpv", "--no-terminal", "--"], ["xdg-open"]]

  /// The processes of the programs that may still run.
  private var processes: [Int32] = []

  /// Plays a file.
  ///
  /// - Parameter path: the file's absolute path.
  /// - Throws: a ``PodgetError`` when no program can be started.
  mutating func play(_ path: String) throws(PodgetError) {
    processes.removeAll { waitpid($0, nil, WNOHANG) != 0 }
    let streams = ProgramStart.Streams(input: .nothing, output: .nothing, error: .nothing)
    for program in Self.programs {
      let process = try? ProgramStart.start(program + [path], streams: streams, group: .session)
      guard let process else { continue }
      processes.append(process)
      return
    }
    throw PodgetError(.disk, "Neither mpv nor xdg-open is installed; install one to play episodes.")
  }
}
