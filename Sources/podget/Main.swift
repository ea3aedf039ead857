import ArgumentParser
import Glibc
import PodcastKit
internal import PodcastSystem
import PodcastThumbnails

/// The entry point: signals are set up before any thread exists, then the command runs as a task.
@main
enum Main {
  /// The minimum of open files that podget needs: libdispatch ends the process if it gets none.
  private static let fewestDescriptors: rlim_t = 16

  /// Raises the limit of open files as far as the system allows; exits with an error if it is too
  /// low for any work.
  private static func raiseDescriptorLimit(_ context: CommandContext) {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    if limit.rlim_cur < limit.rlim_max {
      limit.rlim_cur = min(limit.rlim_max, max(limit.rlim_cur, 4096))
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
    guard limit.rlim_cur < fewestDescriptors else { return }
    var errors = context.errors
    errors.send(
      "podget: only \(limit.rlim_cur) open files are allowed and \(fewestDescriptors) are needed; "
        + "raise the limit with ulimit -n.\n", .error)
    exit(1)
  }

  /// Opens standard streams that were closed at the start, so that no later file gets the number of
  /// one: JSON would be written into an episode.
  private static func reserveStandardStreams() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
      // The lowest free number is the missing one, because those below it are open.
      if open("/dev/null", O_RDWR) != descriptor { _exit(1) }
    }
  }

  /// Exits with an error if an argument is not UTF-8: its text would change, and a folder with the
  /// wrong name would be created.
  private static func requireTextArguments(_ context: CommandContext) {
    for place in 1..<max(1, Int(CommandLine.argc)) {
      guard let bytes = CommandLine.unsafeArgv[place], String(validatingCString: bytes) == nil
      else { continue }
      context.say(
        "Argument \(place), \"\(String(cString: bytes))\", is not UTF-8; podget accepts no other "
          + "paths and names.")
      exit(ExitCode.validationFailure.rawValue)
    }
  }

  /// Answers `--version` without the argument parser and without threads, which take longer than
  /// everything else in this answer.
  private static func printVersion(_ context: CommandContext) -> Never {
    SignalMonitor.ignoreWriteSignals()
    let ending = Ending(arguments: ["--version"], context: context)
    exit(ending.status(printing: Podget.versionText))
  }

  static func main() {
    // libdispatch asks for a higher priority of its threads, and writes a line into the system's log for
    // each that does not get it. Only some users may have it.
    setenv("LIBDISPATCH_LOG", "NO", 0)
    if CommandLine.argc > 1, CommandLine.arguments[1] == Thumbnail.argument {
      ThumbnailProgram.run(CommandLine.arguments.dropFirst(2))
    }
    // A separate heap per thread grows by pages, each with a system call, and few threads here need
    // memory at the same time.
    OperatingSystem.shareHeap(step: 1 << 20)
    if CommandLine.argc > 1, CommandLine.arguments[1] == BrowseScreenProgram.argument {
      BrowseScreenProgram.run(CommandLine.arguments.dropFirst(2))
    }
    reserveStandardStreams()
    let signals = SignalMonitor()
    let context = CommandContext.process(signals)
    raiseDescriptorLimit(context)
    requireTextArguments(context)
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments == ["--version"] { printVersion(context) }
    signals.run { await Podget.run(arguments, in: context) }
  }
}
