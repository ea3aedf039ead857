internal import CFiles
import Glibc
import PodcastKit

/// Starts a program that plays a file, and leaves it alone.
enum Player {
  /// The programs that are tried, with their options.
  private static let programs = [["mpv", "--no-terminal", "--"], ["xdg-open"]]

  /// Plays a file.
  ///
  /// - Parameter path: the file's absolute path.
  /// - Throws: a ``PodgetError`` when no program can be started.
  static func play(_ path: String) throws(PodgetError) {
    for program in programs where start(program + [path]) { return }
    throw PodgetError(.disk, "Neither mpv nor xdg-open is installed; install one to play episodes.")
  }

  /// Starts a program in a session of its own: signals and output of this terminal are not for it.
  private static func start(_ words: [String]) -> Bool {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in STDIN_FILENO...STDERR_FILENO {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    var all = sigset_t()
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    // POSIX_SPAWN_SETSID, which Glibc declares only with _GNU_SOURCE.
    let newSession: Int16 = 0x80
    posix_spawnattr_setflags(
      &attributes,
      Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF) | newSession)
    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var process = pid_t()
    return posix_spawnp(&process, words[0], &actions, &attributes, &arguments, environ) == 0
  }
}
