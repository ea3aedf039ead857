import Glibc
internal import PodcastSystem

/// What makes mpv end with podget, however podget ends: a connection that is mpv's standard input. mpv quits
/// when its other end is closed, and the kernel closes that also after SIGKILL.
final class PlayerTie: Sendable {
  /// The option that makes mpv quit with its standard input.
  static let option = "--input-ipc-client=fd://0"
  /// No event is wanted here: nobody reads them.
  private static let silence = "{\"command\":[\"disable_event\",\"all\"]}\n"

  private let own: Int32
  /// The end that mpv gets.
  let input: Int32

  /// Makes a connection; nil if there can be none.
  init?() {
    guard let ends = OperatingSystem.socketPair() else { return nil }
    (own, input) = ends
    _ = send(
      own, Self.silence, Self.silence.utf8.count, Int32(MSG_DONTWAIT) | OperatingSystem.noSignal)
  }

  deinit {
    close(own)
    close(input)
  }

  /// Lets mpv go on without podget: another process has the connection from now on, and ends with mpv.
  func leave() {
    _ = try? ProgramStart.start(
      ["cat"],
      streams: ProgramStart.Streams(input: .descriptor(own), output: .nothing, error: .nothing),
      group: .session)
  }
}
