import ArgumentParser
import Glibc

/// The entrance: signals are set up before any thread exists, then the command runs as a task.
@main
enum Main {
  static func main() {
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
