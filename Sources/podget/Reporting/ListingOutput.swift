import BrowseScreen
import PodcastKit

/// The output of all commands except downloads: JSON or text to stdout, sentences to stderr.
struct ListingOutput: Sendable {
  private let context: CommandContext
  private let options: OutputSettings

  /// Creates the outputs of a command.
  init(_ options: OutputSettings, _ context: CommandContext) {
    self.options = options
    self.context = context
  }

  /// The width of the terminal on stdout in cells; nil when it is not a terminal.
  var window: Int? { context.output.window?.size().columns }

  /// How statuses are written: words for a pipe, short for a window.
  var status: StatusText { StatusText(isShort: window != nil, isUTF8: style.isUTF8) }

  /// The style of text on standard output.
  var style: TerminalStyle {
    TerminalStyle(
      environment: context.environment, color: options.color,
      isTerminal: context.output.window != nil)
  }

  /// Whether people want more details.
  var isVerbose: Bool { options.verbose }

  /// Writes elements as one JSON array, or the table, by the options.
  ///
  /// A reader that is gone is not a failure; a full disk is one.
  func write(
    _ elements: @autoclosure () -> [JSONValue], table: @autoclosure () -> String
  ) throws {
    try write(
      elements(), json: { $0 }, sendingTable: { send throws(PodgetError) in try send(table()) })
  }

  /// Writes elements as one JSON array, or as lines.
  func write(
    _ elements: @autoclosure () -> [JSONValue], lines: @autoclosure () -> [ResultLine]
  ) throws {
    let style = style
    try write(elements(), table: lines().map { $0.text(style) + "\n" }.joined())
  }

  /// Writes the results of work that is done, and then the messages about it.
  ///
  /// Standard output that cannot be written is a failure, but the messages follow all the same:
  /// what was done stays done, and how it can be undone is among them.
  ///
  /// - Parameter whenQuiet: whether quiet output has the results too; it always has JSON.
  func writeResults(
    whenQuiet: Bool = false, _ write: () throws -> Void, then messages: () throws -> Void = {}
  ) throws {
    var failure: PodgetError?
    if options.json || whenQuiet || !options.quiet {
      do { try write() } catch let error as PodgetError { failure = error }
    }
    if let failure { context.say(failure.sentence) }
    try messages()
    if failure != nil { throw ReportedFailure() }
  }

  /// The same with a table in pieces, and JSON that is created one element at a time.
  func write<Element: Sendable>(
    _ elements: @autoclosure () -> [Element], json: @Sendable (Element) -> JSONValue,
    sendingTable sendTable: ((String) throws(PodgetError) -> Void) throws(PodgetError) -> Void
  ) throws {
    if options.json {
      try JSONText.lines(elements(), json: json, send: send)
    } else {
      try writeTable(sendTable)
    }
  }

  /// Writes elements while they are found: one JSON array, or their text.
  ///
  /// - Parameter work: finds them. It calls its argument with some at a time, and their text.
  func writeGradually<Element, Result>(
    _ json: JSONForm<Element>,
    _ work: (([Element], () -> String) throws(PodgetError) -> Void) throws(PodgetError) -> Result
  ) throws(PodgetError) -> Result {
    guard options.json else {
      let style = style
      return try work { _, text throws(PodgetError) in try send(style.shown(text())) }
    }
    try send("[")
    var isFirst = true
    let result = try work { elements, _ throws(PodgetError) in
      var text = ""
      for element in elements {
        text += (isFirst ? "\n" : ",\n") + JSONText.line(json(element))
        isFirst = false
      }
      try send(text)
    }
    try send(isFirst ? "]\n" : "\n]\n")
    return result
  }

  /// Writes a table in pieces.
  func writeTable(
    _ sendTable: ((String) throws(PodgetError) -> Void) throws(PodgetError) -> Void
  ) throws(PodgetError) {
    let style = style
    try sendTable { text throws(PodgetError) in try send(style.shown(text)) }
  }

  /// Writes one JSON object on a line, or the text, by the options.
  func write(_ object: @autoclosure () -> JSONValue, text: @autoclosure () -> String) throws {
    try send(options.json ? JSONText.line(object()) + "\n" : style.shown(text()))
  }

  /// Whether only errors are written, besides JSON and what a command shows.
  var isQuiet: Bool { options.quiet }

  /// Whether standard output carries JSON.
  var isJSON: Bool { options.json }

  /// Writes text as it is, for commands whose output is a file.
  func write(text: String) throws { try send(text) }

  /// Writes one line of text, for commands without JSON.
  func write(line: String) throws { try send(style.shown(TerminalText.safe(line)) + "\n") }

  private func send(_ text: String) throws(PodgetError) {
    var output = context.output
    output.send(text)
    if let failure = output.failure { throw failure }
  }

  /// Runs work with a transport that ends with it.
  func withTransport<Result: Sendable>(
    _ configuration: CurlSession.Configuration, _ work: (any Transport) async throws -> Result
  ) async throws -> Result {
    try await context.withTransport(configuration, options, work)
  }

  /// Writes a note that is not a failure, unless the output is quiet.
  func note(_ sentence: String) {
    if !options.quiet { context.say(sentence, .info) }
  }

  /// Writes a warning to stderr, once, unless only errors are written.
  func warn(_ sentence: String) {
    if !options.quiet { context.sayOnce(sentence) }
  }

  /// Writes a sentence about a failure.
  func note(failure sentence: String) { context.say(sentence) }

  /// Writes the sum of what was done to stderr, unless the output is JSON, which has all of it.
  func summarize(_ line: String) {
    if !options.json { hint(line) }
  }

  /// Writes a line to stderr about what can be done next, unless the output is quiet.
  func hint(_ line: String) {
    guard !options.quiet else { return }
    var errors = context.errors
    errors.send(TerminalText.safe(AddressRedaction.shown(in: line)) + "\n")
  }

  /// Runs the work of a command; an error is reported in one sentence and is a failure.
  func reportingOutcome(
    _ work: () async throws -> Outcome
  ) async throws -> Outcome {
    do {
      return try await work()
    } catch let error as PodgetError {
      context.say(error.ofCommand.sentence)
      return .failure
    } catch is ReportedFailure {
      return .failure
    }
  }

  /// The same for work that succeeds unless it throws.
  func reporting(_ work: () async throws -> Void) async throws -> Outcome {
    try await reportingOutcome {
      try await work()
      return .success
    }
  }

  /// Works on the content of a library, and reports what could not be read: the rest is still used,
  /// but the command has then failed.
  ///
  /// - Parameter reading: nil if there is no library.
  func working(
    on reading: LibraryReading?, _ work: ([LocalEpisode]) async throws -> Void
  ) async throws {
    if let notice = reading?.notice { note(notice) }
    let errors = reading?.problems ?? []
    report(errors)
    try await work(reading?.episodes ?? [])
    if !errors.isEmpty { throw ReportedFailure() }
  }

  private func report(_ errors: [PodgetError]) {
    for error in errors { context.say(error.ofCommand.sentence) }
  }

  /// Reports several errors, if there are any, and then throws.
  func require(noneOf errors: [PodgetError]) throws {
    guard !errors.isEmpty else { return }
    report(errors)
    throw ReportedFailure()
  }
}
