import ArgumentParser
import CFiles
import FoundationEssentials
import Glibc

extension CommandContext {
  /// The context of the process, with its standard streams, which are open.
  static func process(_ signals: SignalMonitor) -> CommandContext {
    let (environment, unreadable) = variables()
    let (output, errors) = (
      DescriptorOutput(STDOUT_FILENO, signals), DescriptorOutput(STDERR_FILENO, signals)
    )
    let style = TerminalStyle(environment: environment)
    var context = CommandContext(
      environment: environment, now: { Date() }, input: .descriptor(STDIN_FILENO),
      output: TextOutput(window: TerminalWindow(of: STDOUT_FILENO)) { output.write($0) },
      errors: TextOutput(
        name: "standard error", window: TerminalWindow(of: STDERR_FILENO),
        hasPriorities: isJournal(STDERR_FILENO, environment["JOURNAL_STREAM"])
      ) { errors.write(style.shown($0)) },
      startKeys: { TerminalKeys() }, signals: signals)
    context.unreadableVariables = unreadable
    return context
  }

  /// Where the settings of the process come from, for one without a context.
  static func processSettings() throws(ValidationError) -> SettingSources {
    let (environment, unreadable) = variables()
    return SettingSources(
      environment: environment, unreadable: unreadable,
      file: try ConfigurationFile(environment: environment))
  }

  /// Whether a descriptor leads to journald, by what systemd says in `JOURNAL_STREAM`: the device and
  /// the inode of the stream. Somebody may have redirected it since.
  private static func isJournal(_ descriptor: Int32, _ stream: String?) -> Bool {
    var status = stat()
    guard let stream, fstat(descriptor, &status) == 0 else { return false }
    return stream == "\(status.st_dev):\(status.st_ino)"
  }

  /// The environment variables, and the names of those that are not UTF-8. Foundation takes longer
  /// to split them than podget to start.
  private static func variables() -> (all: [String: String], unreadable: Set<String>) {
    var all: [String: String] = [:]
    var unreadable: Set<String> = []
    var place = environ
    while let entry = place.pointee {
      place += 1
      guard let sign = strchr(entry, Int32(UInt8(ascii: "="))) else { continue }
      let bytes = UnsafeRawBufferPointer(start: entry, count: sign - entry)
      let name = String(decoding: bytes, as: UTF8.self)
      // Of two variables with one name the first one counts, as for getenv(3).
      guard all[name] == nil else { continue }
      all[name] = String(cString: sign + 1)
      if String(validatingCString: sign + 1) == nil { unreadable.insert(name) }
    }
    return (all, unreadable)
  }
}
