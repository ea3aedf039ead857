import Glibc
import PodcastKit
internal import PodcastSystem
import Synchronization

/// The commands that a run starts itself: after each finished download, and at the end.
///
/// They run one after the other, without a shell, with podget's environment and `PODGET_*` in it.
/// What they write goes to standard error, because standard output belongs to the events, and nowhere
/// where a full screen is shown. A failure
/// of one is reported and counted; the episode is safe before it starts. One that takes too long is
/// ended.
actor Hooks {
  /// What became of a command.
  private enum Ending {
    case done
    case failed(PodgetError)
    /// It did not start, or was ended, because podget is being stopped.
    case stopped

    var errors: [PodgetError] {
      if case .failed(let error) = self { [error] } else { [] }
    }
  }

  private var settings: HookOptions.Settings
  private var library: String
  private let place: ChildProgram.Place
  /// The downloads whose commands did not run because podget is being stopped.
  private var stopped: [FinishedDownload] = []
  private nonisolated let state = Mutex((current: ChildProgram?.none, isStopped: false))

  /// Creates the hooks of a run.
  ///
  /// - Parameter place: what the commands have to do with the terminal.
  init(
    _ settings: HookOptions.Settings, library: String, place: ChildProgram.Place = .apart
  ) {
    self.place = place
    self.settings = settings
    self.library = library
  }

  /// Runs other commands from now on, for another library.
  func use(_ settings: HookOptions.Settings, library: String) {
    self.settings = settings
    self.library = library
  }

  /// Runs what follows a download that has ended well. What podget is stopped in is left for the next
  /// run, which does not run again what has ended.
  ///
  /// - Returns: what to report: an error for each command that failed.
  func run(after download: FinishedDownload) async -> [PodgetError] {
    guard !settings.afterDownload.isEmpty else { return [] }
    let fields = [
      "path": "\(library)/\(download.path)", "title": download.title,
      "podcast": download.podcast, "date": download.date, "id": download.id,
      "bytes": String(download.bytes), "sha256": download.sha256, "library": library,
    ]
    var errors: [PodgetError] = []
    var ended = download.endedCommands ?? []
    let wanted = download.waitingCommands ?? settings.afterDownload.map(\.name)
    /// Leaves what has not ended to a run that has the command.
    func keep() {
      let waiting = wanted.filter { !ended.contains($0) }
      guard !waiting.isEmpty else { return }
      var download = download
      (download.endedCommands, download.waitingCommands) = (ended.isEmpty ? nil : ended, waiting)
      stopped.append(download)
    }
    for command in settings.afterDownload where download.waits(for: command.name) {
      switch await run(command.words, fields) {
      case .done: break
      case .failed(let error):
        errors.append(PodgetError(error.code, "\(download.title): \(error.message)"))
      case .stopped:
        keep()
        return errors
      }
      ended.append(command.name)
    }
    keep()
    return errors
  }

  /// Runs what did not run in an earlier run because podget was stopped.
  func runPending() async -> [PodgetError] {
    guard !settings.afterDownload.isEmpty else { return [] }
    let (path, commands) = (library, settings.afterDownload.map(\.name))
    var errors: [PodgetError] = []
    while !state.withLock({ $0.isStopped }) {
      // One at a time: a kill loses none that has not begun.
      let taken = await BlockingWork.run {
        Result { () throws(PodgetError) -> FinishedDownload? in
          guard let library = try Library.open(path, creating: false) else { return nil }
          return try PendingCommands(library).take(for: commands)
        }
      }
      switch taken {
      case .success(let download?)?:
        errors += await run(after: download)
        errors += await keepPending()
      case .failure(let error)?: return errors + [error]
      case .success(nil)?, nil: return errors
      }
    }
    return errors
  }

  /// Leaves to the next run what did not run because podget is being stopped.
  func keepPending() async -> [PodgetError] {
    let (downloads, path) = (stopped, library)
    stopped = []
    guard !downloads.isEmpty else { return [] }
    let kept = await BlockingWork.run {
      Result { () throws(PodgetError) in
        if let library = try Library.open(path, creating: false) {
          try PendingCommands(library).add(downloads)
        }
      }
    }
    if case .failure(let error) = kept { return [error] }
    return []
  }

  /// Whether a command wants to know which episodes a sync has downloaded.
  var wantsEpisodes: Bool { !settings.afterSync.isEmpty }

  /// Runs what follows a sync, if episodes were downloaded.
  ///
  /// - Parameters:
  ///   - episodes: the events of their ends, which the command gets as JSON on its standard input.
  ///   - changes: what happened to feeds, which it gets too.
  func runAfterSync(
    _ episodes: [DownloadEvent], _ changes: [FeedChange]
  ) async -> [PodgetError] {
    guard !episodes.isEmpty, !settings.afterSync.isEmpty else { return [] }
    let fields = ["library": library, "finished": String(episodes.count)]
    let input: JSONValue = [
      "library": .string(library), "finished": .integer(Int64(episodes.count)),
      "episodes": .array(episodes.map { JSONForms.line($0) }),
      "feeds": .array(
        changes.map { change in
          [
            "event": .string(change.event), "name": .string(change.name),
            "podcast": JSONForms.podcast(change.podcast),
            "feedUrl": .string(change.feedURL.withoutCredentials),
            "message": .string(change.message),
          ]
        }),
    ]
    return await run(settings.afterSync, fields, input: JSONText.line(input) + "\n").errors
  }

  /// Runs what follows a change of a feed.
  func run(after change: FeedChange) async -> [PodgetError] {
    guard !settings.afterFeed.isEmpty else { return [] }
    let fields = [
      "library": library, "name": change.name, "podcast": change.podcast.shownTitle,
      "url": change.feedURL.withoutCredentials, "event": change.event, "message": change.message,
    ]
    return await run(settings.afterFeed, fields).errors.map {
      PodgetError($0.code, "\(change.podcast.shownTitle): \($0.message)")
    }
  }

  /// Whether a command follows changes of feeds.
  var followsFeeds: Bool { !settings.afterFeed.isEmpty }

  /// Ends the running command, and starts no other.
  nonisolated func stop() {
    let current = state.withLock { state in
      state.isStopped = true
      return state.current
    }
    current?.cancel()
  }

  /// Runs a command to its end.
  ///
  /// - Parameter input: what it gets as standard input; nil for nothing.
  private func run(
    _ words: [String], _ fields: [String: String], input: String? = nil
  ) async -> Ending {
    let filled = words.map { Self.filled($0, fields) }
    let program = ChildProgram(
      adding: fields.map { field in
        (
          name: "PODGET_\(field.key.uppercased())",
          value: field.value.replacing("\0", with: "")
        )
      }, place: place)
    let isStopped = state.withLock { state in
      state.current = program
      return state.isStopped
    }
    defer { state.withLock { $0.current = nil } }
    guard !isStopped else { return .stopped }
    let limit = settings.limit
    let output = place == .unseen ? nil : STDERR_FILENO
    let (result, isLate) = await Deadline.run(limit, clock: RunClock()) {
      await BlockingWork.run(whenCancelled: { program.cancel() }) {
        () -> Result<Int32, ProgramStart.Failure> in
        let input = input.flatMap { Self.file(with: $0) }
        defer { if let input { close(input) } }
        return Result { () throws(ProgramStart.Failure) in
          try program.run(filled, input: input, output: output) {}.status
        }
      }
    }
    if case .success(0)? = result { return .done }
    if case .success(let status)? = result, [SIGTERM, SIGINT, SIGHUP].contains(status & 0x7F) {
      // Who stops podget may send it the same signal, which takes effect here a moment later.
      for _ in 0..<10 where !state.withLock({ $0.isStopped }) {
        try? await Task.sleep(for: .milliseconds(100))
      }
    }
    // What podget ended itself has not failed.
    if state.withLock({ $0.isStopped }) { return .stopped }
    if isLate {
      return .failed(
        PodgetError(
          .command,
          "The command \(words[0]) took longer than \(Int(limit / .seconds(1))) seconds, and was ended."
        ))
    }
    switch result {
    case nil: return .stopped
    case .success(let status)?:
      // As of waitpid(2).
      let signal = status & 0x7F
      return .failed(
        PodgetError(
          .command,
          "The command \(words[0]) "
            + (signal == 0
              ? "ended with the status \(status >> 8 & 0xFF)."
              : "was ended by the signal \(signal).")))
    case .failure(let failure)?:
      return .failed(
        PodgetError(
          .command, "The command \(words[0]) cannot be run: \(failure.explanation)."))
    }
  }

  /// A file in memory with a text, as the standard input of a program; nil if there can be none, and the
  /// program then gets empty input. Unlike a pipe, nobody waits for its reader.
  private static func file(with text: String) -> Int32? {
    let file = OperatingSystem.memoryFile()
    guard file >= 0 else { return nil }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
      guard written > 0 || written < 0 && errno == EINTR else { break }
      rest = rest.dropFirst(max(written, 0))
    }
    guard rest.isEmpty, lseek(file, 0, SEEK_SET) == 0 else {
      close(file)
      return nil
    }
    return file
  }

  /// A word with the values of its fields; a NUL character would end it early.
  static func filled(_ word: String, _ fields: [String: String]) -> String {
    var filled = ""
    var rest = word[...]
    while let open = rest.firstIndex(of: "{") {
      filled += rest[..<open]
      guard let close = rest[open...].firstIndex(of: "}"),
        let value = fields[String(rest[rest.index(after: open)..<close])]
      else {
        filled += "{"
        rest = rest[rest.index(after: open)...]
        continue
      }
      filled += value
      rest = rest[rest.index(after: close)...]
    }
    return (filled + rest).replacing("\0", with: "")
  }
}
