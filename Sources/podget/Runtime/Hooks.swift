import Glibc
import PodcastKit
import Synchronization

/// The commands that a run starts itself: after each finished download, and at the end.
///
/// They run one after the other, without a shell, with podget's environment and `PODGET_*` in it.
/// What they write goes to standard error, because standard output belongs to the events. A failure
/// of one is reported and counted; the episode is safe before it starts.
actor Hooks {
  private var settings: HookOptions.Settings
  private var library: String
  private nonisolated let state = Mutex((current: ChildProgram?.none, isStopped: false))

  /// Creates the hooks of a run.
  init(_ settings: HookOptions.Settings, library: String) {
    self.settings = settings
    self.library = library
  }

  /// Runs other commands from now on, for another library.
  func use(_ settings: HookOptions.Settings, library: String) {
    self.settings = settings
    self.library = library
  }

  /// Runs what follows an event.
  ///
  /// - Returns: what to report: an error for each command that failed.
  func run(after event: DownloadEvent) async -> [PodgetError] {
    guard case .finished(let file) = event.kind else { return [] }
    let plan = event.plan
    let fields = [
      "path": "\(library)/\(file.path)", "title": plan.episode.title,
      "podcast": plan.podcast.title, "date": plan.episode.date?.timestamp ?? "",
      "id": plan.episode.id.map { String($0) } ?? plan.episode.guid ?? "",
      "bytes": String(file.bytes), "sha256": file.sha256 ?? "", "library": library,
    ]
    var errors: [PodgetError] = []
    for words in settings.afterDownload {
      if let error = await run(words, fields) {
        errors.append(PodgetError(error.code, "\(plan.episode.title): \(error.message)"))
      }
    }
    return errors
  }

  /// Runs what follows a sync, if episodes were downloaded.
  ///
  /// - Parameter finished: how many.
  func runAfterSync(finished: Int) async -> [PodgetError] {
    guard finished > 0, !settings.afterSync.isEmpty else { return [] }
    let fields = ["library": library, "finished": String(finished)]
    return await run(settings.afterSync, fields).map { [$0] } ?? []
  }

  /// Ends the running command, and starts no other.
  nonisolated func stop() {
    let current = state.withLock { state in
      state.isStopped = true
      return state.current
    }
    current?.cancel()
  }

  private func run(_ words: [String], _ fields: [String: String]) async -> PodgetError? {
    let filled = words.map { Self.filled($0, fields) }
    let program = ChildProgram(
      adding: fields.map { field in
        (
          name: "PODGET_\(field.key.uppercased())",
          value: field.value.replacing("\0", with: "")
        )
      }, place: .apart)
    let isStopped = state.withLock { state in
      state.current = program
      return state.isStopped
    }
    defer { state.withLock { $0.current = nil } }
    guard !isStopped else { return nil }
    let result = await BlockingWork.run { () -> Result<Int32, ProgramStart.Failure> in
      do throws(ProgramStart.Failure) {
        return .success(try program.run(filled, output: STDERR_FILENO) {}.status)
      } catch {
        return .failure(error)
      }
    }
    // What podget ended itself has not failed.
    if state.withLock({ $0.isStopped }) { return nil }
    switch result {
    case nil, .success(0)?: return nil
    case .success(let status)?:
      // As of waitpid(2).
      let signal = status & 0x7F
      return PodgetError(
        .command,
        "The command \(words[0]) "
          + (signal == 0
            ? "ended with the status \(status >> 8 & 0xFF)."
            : "was ended by the signal \(signal)."))
    case .failure(let failure)?:
      return PodgetError(
        .command, "The command \(words[0]) cannot be run: \(failure.explanation).")
    }
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
