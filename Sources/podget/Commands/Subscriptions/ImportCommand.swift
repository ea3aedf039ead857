import ArgumentParser
import PodcastKit

/// `podget import`: follow what another program follows.
struct ImportCommand: PodgetCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Follow the podcasts in an OPML file of another program.",
    usage: "podget import [<options>] <file>",
    discussion: """
      No feed is requested, and nothing is downloaded. Folders become categories. A file that names no \
      feed is a failure. The options are stored as settings of the podcasts that are added: with \
      --latest 0, podget sync downloads only what is new from then on.
      """)

  @Argument(
    help: "A file, the address of one, or - for standard input.", completion: .file())
  var file: String

  @OptionGroup(title: "Selection") var selection: SelectionOptions
  @OptionGroup(title: "Names") var names: TemplateOptions
  @OptionGroup(title: "Library") var library: LibraryOptions
  @OptionGroup(title: "Network") var network: NetworkOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    if file.isEmpty { throw ValidationError("The name of the file is empty.") }
    _ = try settings
  }

  private var settings: SubscriptionSettings {
    get throws { try SubscriptionOptions.settings(selection, names) }
  }

  func run(in context: CommandContext) async throws -> Outcome {
    let configured = try context.settings()
    let path = try library.resolved(configured)
    let network = try network.resolved(configured)
    let output = ListingOutput(try output.resolved(configured), context)
    return try await output.reportingOutcome {
      let shown = file == SourceArguments.standardInput ? "standard input" : file
      let configuration = network.session(naming: [file])
      let bytes = try await output.withTransport(configuration) { session in
        try await OPMLSource(file).bytes(
          session, from: context.input, retries: network.retries,
          allowsInsecureRedirects: network.allowsInsecureRedirects)
      }
      guard let library = try Library.open(path, creating: true) else { return .failure }
      defer { library.removeIfUnused() }
      try library.requireWritable()
      let read = try SubscriptionImport(
        bytes, name: shown, into: library, settings: try settings, warn: output.warn)
      let outcome = try output.writeResults(read.changes) {
        if let problem = read.problem { output.note(failure: problem.sentence) }
        output.summarize(Self.sentence(read.changes))
      }
      return read.problem == nil ? outcome : .failure
    }
  }

  /// How many outlines were taken over, such as `3 podcasts added, 1 known`
  private static func sentence(_ changes: [SubscriptionChange]) -> String {
    func count(_ status: SubscriptionChange.Status) -> Int {
      changes.count { $0.status == status }
    }
    let added = count(.subscribed)
    let rest = [
      (count(.unchanged), "known"), (count(.ignored), "ignored"), (count(.failed), "failed"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return ([added == 1 ? "1 podcast added" : "\(added) podcasts added"] + rest)
      .joined(separator: ", ")
  }
}
