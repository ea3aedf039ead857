import Glibc
import Synchronization

/// How a process ended.
public enum ExitStatus: Sendable, Hashable {
  /// It exited with this status.
  case exited(Int32)
  /// This signal killed it.
  case signalled(Int32)
}

/// A process could not be started.
public struct SpawnError: Error, CustomStringConvertible {
  /// Which program, and why.
  public let description: String
}

/// A child process that inherits only the descriptors, signals and environment that it is given.
///
/// It is killed when the last reference goes.
final class ChildProcess: Sendable {
  let pid: pid_t
  private let status = Mutex(ExitStatus?.none)

  /// Locked while a child starts and while a descriptor is created that children must not inherit:
  /// a pipe's end in the wrong child would keep the pipe from ending.
  static let spawning = Mutex(())

  /// What becomes of the child's descriptors 0, 1 and 2.
  enum Streams {
    /// Each its own.
    case descriptors(input: Int32, output: Int32, error: Int32)
    /// All one terminal, which becomes the child's controlling one.
    case terminal(path: String)
  }

  init(
    _ path: String, _ arguments: [String], environment: [String: String], folder: String?,
    streams: Streams
  ) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }

    // The runner may block or ignore signals; the child begins as a shell would start it.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var all = sigset_t()
    sigfillset(&all)
    posix_spawnattr_setsigdefault(&attributes, &all)
    var flags = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)

    switch streams {
    case .descriptors(let input, let output, let error):
      posix_spawn_file_actions_adddup2(&actions, input, 0)
      posix_spawn_file_actions_adddup2(&actions, output, 1)
      posix_spawn_file_actions_adddup2(&actions, error, 2)
    case .terminal(let path):
      // The leader of a new session takes the first terminal it opens as its controlling one.
      flags |= Self.newSession
      posix_spawn_file_actions_addopen(&actions, 0, path, O_RDWR, 0)
      posix_spawn_file_actions_adddup2(&actions, 0, 1)
      posix_spawn_file_actions_adddup2(&actions, 0, 2)
    }
    posix_spawnattr_setflags(&attributes, Int16(flags))

    // posix_spawn changes folders by a call that Glibc shows only to GNU sources; `env -C` does it.
    let command = folder.map { ["/usr/bin/env", "-C", $0, path] } ?? [path]
    let argv = (command + arguments).map { strdup($0) } + [nil]
    let envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for pointer in argv + envp { free(pointer) } }
    var child = pid_t()
    let failure = Self.spawning.withLock { _ in
      Self.keepDescriptorsFromChildren()
      return posix_spawn(&child, command[0], &actions, &attributes, argv, envp)
    }
    guard failure == 0 else {
      throw SpawnError(
        description: "\(path) cannot be started: \(String(cString: strerror(failure))).")
    }
    pid = child
  }

  deinit {
    guard poll() == nil else { return }
    Glibc.kill(pid, SIGKILL)
    var ignored: Int32 = 0
    waitpid(pid, &ignored, 0)
  }

  /// How it ended; nil while it runs. Until then the number belongs to the child.
  func poll() -> ExitStatus? {
    status.withLock { status in
      var word: Int32 = 0
      guard status == nil, waitpid(pid, &word, WNOHANG) == pid else { return status }
      let signal = word & 0x7F
      status = signal == 0 ? .exited(word >> 8 & 0xFF) : .signalled(signal)
      return status
    }
  }

  /// Sends a signal, unless it has ended.
  func signal(_ number: Int32) {
    status.withLock { status in
      if status == nil { _ = Glibc.kill(pid, number) }
    }
  }

  /// Marks every descriptor above stderr to be closed in children: those that the runner itself
  /// inherited, and those that libraries left open.
  private static func keepDescriptorsFromChildren() {
    guard let folder = opendir("/proc/self/fd") else { return }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if let descriptor = Int32(name), descriptor > 2 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    }
  }

  /// `POSIX_SPAWN_SETSID` of Linux, which Glibc shows only to GNU sources.
  private static let newSession: Int32 = 0x80
}
