import ArgumentParser
import Glibc

/// The entrance: signals are set up before any thread exists, then the command runs as a task.
@main
enum Main {
  static func main() {
    // Nothing that is opened later may get the number of a standard stream that came closed.
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
      _ = open("/dev/null", O_RDWR)
    }
    Interruption.run {
      do {
        var command = try Podget.parseAsRoot()
        if var asynchronous = command as? any AsyncParsableCommand {
          try await asynchronous.run()
        } else {
          try command.run()
        }
      } catch {
        // Usage errors end with 64, help and version with 0, everything else says its own status.
        Podget.exit(withError: error)
      }
    }
  }
}
