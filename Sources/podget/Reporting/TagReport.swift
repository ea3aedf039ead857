import PodcastKit

/// Writes a line for each episode when its file is done, and the summary.
actor TagReport {
  private let output: ListingOutput
  private var counts: [TaggedFile.Status: Int] = [:]
  /// Why standard output cannot be written.
  private var lostOutput: PodgetError?
  private var hasFailed = false

  /// Creates a report.
  init(_ output: ListingOutput) { self.output = output }

  /// Reports an episode.
  func add(_ file: TaggedFile) {
    counts[file.status, default: 0] += 1
    let name = file.local.title
    if let error = file.error {
      output.note(failure: "\(name): \(error.ofCommand.sentence)")
    } else if let problem = file.problem {
      output.note("\(name): \(problem)")
    }
    guard lostOutput == nil else { return }
    do {
      try output.writeResults(whenQuiet: file.status == .planned) {
        let line = Self.line(file)
        guard output.isJSON || line != nil else { return }
        try output.write(
          JSONForms.taggedFile(file), text: (line?.text(output.style) ?? "") + "\n")
      }
    } catch {
      lostOutput = error as? PodgetError ?? PodgetError(.disk, "Cannot write standard output.")
    }
  }

  /// Reports what an episode does not get.
  func note(_ sentence: String) { output.note(sentence) }

  /// Reports a podcast whose feed cannot be read; its episodes get what the library knows.
  func failed(_ source: String, _ error: PodgetError) {
    hasFailed = true
    output.note(failure: PodgetError(error.code, error.sentence, of: source).message)
  }

  /// Writes the summary.
  func end(interruptedWith: Int32?) -> Outcome {
    let words: [(TaggedFile.Status, String)] = [
      (.tagged, "tagged"), (.restored, "as before"), (.planned, "would change"),
      (.unchanged, "unchanged"), (.failed, "failed"),
    ]
    let parts = words.compactMap { status, word in
      counts[status].map { "\($0) \(word)" }
    }
    if parts.isEmpty {
      if interruptedWith == nil { output.note("There is no complete episode to tag.") }
    } else {
      output.summarize(
        "\(EventText.files(counts.values.reduce(0, +))): \(parts.joined(separator: ", "))")
    }
    return Outcome(
      hasFailed: hasFailed || lostOutput != nil || counts[.failed] != nil,
      interruptedWith: interruptedWith)
  }

  /// The line about an episode; nil for one that is as it was.
  private static func line(_ file: TaggedFile) -> ResultLine? {
    let title = file.local.title
    let added = file.added.isEmpty ? "" : ": \(file.added.joined(separator: ", "))"
    return switch file.status {
    case .tagged: ResultLine(verb: "tagged", name: title + added)
    case .restored: ResultLine(verb: "restored", name: title)
    case .planned:
      ResultLine(verb: file.added.isEmpty ? "would restore" : "would tag", name: title + added)
    case .unchanged, .failed: nil
    }
  }
}
