import Glibc
import TestSupport
import Testing

/// A podget that writes its events into a full pipe that nothing reads.
final class UnreadPipe {
  /// The podget that waits for its reader.
  let process: RunningProcess
  private let listener: Listener
  private let reader: Int32

  /// Starts a download and returns when the pipe is full.
  init() async throws {
    // Four hundred events are more than fit into a pipe.
    let many = (1...400).map { PodcastServer.Episode(Int64($0), "Number \($0)", size: 500) }
    let listener = try Listener(PodcastServer(many))
    let pipe = listener.folder.path("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let reader = open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    self.listener = listener
    self.reader = reader
    process = try RunningProcess(
      "/bin/sh",
      [
        "-c", #"exec "$0" download "$1" --all --json > "$2""#, BuiltBinary.podget.path,
        listener.podcast, pipe,
      ], environment: listener.variables)
    var waiting: Int32 = 0
    var looks = 0
    try await waitUntil("the pipe is full") {
      let before = waiting
      _ = ioctl(reader, UInt(FIONREAD), &waiting)
      looks = waiting > 50_000 && waiting == before ? looks + 1 : 0
      return looks > 20
    }
  }

  deinit { close(reader) }
}
