import ArgumentParser
import FoundationEssentials
import PodcastKit

/// `podget export`: the subscriptions for another program.
struct ExportCommand: PodgetCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write the subscriptions as OPML 2.0, for other programs.",
    usage: "podget export [<options>] [<file>]",
    discussion: """
      User names and passwords are left out. Query strings stay, since they are part of the address; \
      an address with a token in it is still a secret.
      """)

  @Argument(
    help: "Write to this file, and replace it if it exists (default: standard output).",
    completion: .file())
  var file: String?

  @Flag(help: "Write user names, passwords and password commands too.")
  var withCredentials = false

  @OptionGroup(title: "Library") var library: LibraryOptions

  func validate() throws {
    if file?.isEmpty == true { throw ValidationError("The name of the file is empty.") }
  }

  func run(in context: CommandContext) async throws -> Outcome {
    let configured = try context.settings()
    let path = try library.resolved(configured)
    let output = ListingOutput(OutputSettings(), context)
    return try await output.reporting {
      let library = try LibrarySelection(output: output, library: path).open()
      let list = try SubscriptionFile(library, warn: output.warn).read()
      let bytes = list.exported(keepsCredentials: withCredentials, at: context.now())
      guard let file, file != SourceArguments.standardInput else {
        try output.write(text: String(decoding: bytes, as: UTF8.self))
        return
      }
      try ExportedFile.replace(file, with: Data(bytes))
    }
  }
}
