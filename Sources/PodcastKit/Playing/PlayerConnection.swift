import Glibc
internal import PodcastSystem
import Synchronization

/// A connection with mpv, which is its standard input. mpv quits when the other end is closed, and the
/// kernel closes that with podget, however it ends.
final class PlayerConnection: Sendable {
  /// The option that makes mpv listen to its standard input (mpv 0.33 and later).
  static let option = "--input-ipc-client=fd://0"

  private let own: Int32
  /// The end that mpv gets; negative when it has it.
  private let other: Mutex<Int32>
  /// Whether mpv has answered.
  private let isHeard = Atomic(false)

  /// Makes a connection; nil if there can be none.
  init?() {
    guard let ends = OperatingSystem.socketPair() else { return nil }
    own = ends.0
    other = Mutex(ends.1)
  }

  deinit {
    closeInput()
    close(own)
  }

  /// What mpv gets as its standard input; nil when it has it.
  var input: Int32? { other.withLock { $0 < 0 ? nil : $0 } }

  /// Closes what mpv has got, so that its end shows.
  func closeInput() {
    other.withLock { other in
      if other >= 0 { close(other) }
      other = -1
    }
  }

  /// Whether mpv can be asked for something.
  var isOpen: Bool { isHeard.load(ordering: .relaxed) }

  /// Sends a line; false if it cannot be sent.
  func send(_ line: String) -> Bool {
    let bytes = Array(line.utf8)
    let flags = Int32(MSG_DONTWAIT) | OperatingSystem.noSignal
    return Glibc.send(own, bytes, bytes.count, flags) == bytes.count
  }

  /// Waits for what mpv says.
  ///
  /// - Parameter milliseconds: how long.
  /// - Returns: how many bytes came, 0 for none; nil at the end.
  func receive(into buffer: inout [UInt8], within milliseconds: Int32) -> Int? {
    var poll = pollfd(fd: own, events: Int16(POLLIN), revents: 0)
    guard Glibc.poll(&poll, 1, milliseconds) > 0 else { return 0 }
    let count = recv(own, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    if count > 0 { isHeard.store(true, ordering: .relaxed) }
    return count > 0 ? count : count < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : nil
  }

  /// Talks no more with mpv, which plays on.
  func stopTalking() { isHeard.store(false, ordering: .relaxed) }

  /// Lets mpv go on without podget: another process has the connection from now on, takes what mpv says,
  /// and ends with it.
  func leave() {
    _ = try? ProgramStart.start(
      ["cat"],
      streams: ProgramStart.Streams(input: .descriptor(own), output: .nothing, error: .nothing),
      group: .session)
  }
}
