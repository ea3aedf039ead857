import PodcastKit

/// One JSON object per line on stdout for each event; sentences for people go to stderr.
struct JSONLinesRenderer: Renderer {
  private var output: TextOutput
  private var errors: TextOutput
  private let verbosity: Verbosity
  /// Whether feeds that have not changed are left out, as in the rounds of `--watch`.
  private let hidesUnchanged: Bool

  /// Creates a renderer; `output` receives the objects, `errors` the sentences.
  init(
    output: TextOutput, errors: TextOutput, verbosity: Verbosity, hidesUnchanged: Bool = false
  ) {
    self.hidesUnchanged = hidesUnchanged
    self.output = output
    self.errors = errors
    self.verbosity = verbosity
  }

  var hasLostOutput: Bool { output.failure != nil }

  mutating func listing(_ podcast: Podcast, episodes: Int) {}

  mutating func show(_ event: DownloadEvent) {
    write(JSONForms.line(event))
    if case .failed(let error) = event.kind {
      say("\(event.plan.podcast.shownTitle): \(event.plan.episode.title): \(error.sentence)")
    }
  }

  mutating func sourceFailed(_ source: String, _ error: PodgetError) {
    write(JSONForms.failedSource((source, error)))
    say(EventText.failure(of: source, error))
  }

  mutating func checked(_ check: FeedCheck) {
    if !hidesUnchanged || check.result != .unchanged { write(JSONForms.check(check)) }
    if let text = EventText.sentence(about: check, verbosity: verbosity) { note(text) }
  }

  mutating func feedFailed(_ name: String, _ podcast: Podcast, _ error: PodgetError) {
    write(JSONForms.failedFeed((name, podcast, error)))
    say(EventText.failure(of: podcast.shownTitle, error))
  }

  mutating func removed(_ episode: RetiredEpisode) { write(JSONForms.retired(episode)) }

  mutating func belonging(_ event: BelongingEvent) {
    write(JSONForms.belonging(event))
    if let sentence = EventText.failure(of: event) { say(sentence, .warning) }
  }

  mutating func note(_ text: String) { say(text, TextOutput.Priority(ofNote: text)) }

  mutating func tick() {}

  mutating func summary(_ summary: Summary) {
    write(JSONForms.line(summary))
  }

  mutating func suspend() {}

  mutating func continueDrawing() {}

  mutating func close() {}
}

extension JSONLinesRenderer {
  /// Writes a sentence for people; an error unless said otherwise.
  private mutating func say(_ text: String, _ priority: TextOutput.Priority = .error) {
    guard verbosity > .quiet else { return }
    errors.send(TerminalText.safe(AddressRedaction.shown(in: text)) + "\n", priority)
  }

  private mutating func write(_ value: JSONValue) {
    guard output.isOpen else { return }
    output.send(JSONText.line(value) + "\n")
    // Also with --quiet: scripts must know that they did not get everything.
    if let failure = output.failure {
      errors.send("podget: \(failure.sentence) The downloads continue.\n", .error)
    }
  }
}
