import Dispatch
import Glibc
import PodcastKit
internal import PodcastSystem

/// Tells systemd how it is with a service (sd_notify(3)); without it, nothing happens.
struct ServiceNotifier: Sendable {
  private let socket: String
  /// Half of the time after which a service that says nothing is ended; nil without a watchdog.
  private let heartbeat: Duration?

  /// The notifier of this process; nil if nobody listens.
  init?(_ environment: [String: String]) {
    guard let socket = environment["NOTIFY_SOCKET"], socket.utf8.count > 1,
      socket.hasPrefix("/") || socket.hasPrefix("@"), socket.utf8.count < 108
    else { return nil }
    self.socket = socket
    let isMeant = environment["WATCHDOG_PID"].map { $0 == String(getpid()) } ?? true
    heartbeat = environment["WATCHDOG_USEC"].flatMap { Int64($0) }.flatMap { time in
      isMeant && time > 0 ? .microseconds(time / 2) : nil
    }
  }

  /// It works.
  func ready() { send("READY=1") }

  /// It reads its configuration again; ``ready()`` follows.
  func reloading() {
    send("RELOADING=1\nMONOTONIC_USEC=\(DispatchTime.now().uptimeNanoseconds / 1000)")
  }

  /// What it does, in a line.
  func status(_ text: String) { send("STATUS=\(TerminalText.safe(text))") }

  /// It ends.
  func stopping() { send("STOPPING=1") }

  /// Says again and again that it lives, until the task is cancelled.
  func live() async {
    guard let heartbeat else { return }
    let clock = RunClock()
    repeat { send("WATCHDOG=1") } while (try? await clock.sleep(for: heartbeat)) != nil
  }

  private func send(_ message: String) {
    let descriptor = OperatingSystem.socket(AF_UNIX, .datagrams)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(socket.utf8)
    // The name of an abstract socket begins with a NUL character.
    if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
    let length = socklen_t(offset + bytes.count)
    let text = Array(message.utf8)
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        _ = sendto(
          descriptor, text, text.count, OperatingSystem.noSignal | Int32(MSG_DONTWAIT),
          address, length)
      }
    }
  }
}
