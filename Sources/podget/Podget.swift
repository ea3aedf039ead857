import ArgumentParser
import PodcastKit

/// The root command.
struct Podget: AsyncParsableCommand {
  /// The version of the program.
  static let programVersion = "0.1.0"

  /// The answer to `--version`.
  static var versionText: String {
    "podget \(programVersion) (built with libcurl \(CurlSession.libraryVersion), "
      + "SQLite \(LibraryDatabase.sqliteVersion))"
  }

  static let configuration = CommandConfiguration(
    commandName: "podget",
    abstract: "Download podcasts, keep them, and never lose a byte.",
    discussion: """
      Name a podcast by its Apple Podcasts id, by a link to it or by the address of its feed:
        podget search symbolic world     # finds ids
        podget download 1386867488       # downloads the latest 5 to ~/Podcasts

      podget help environment, exit-status, json and templates describe what the commands share.
      """,
    version: versionText,
    groupedSubcommands: [
      CommandGroup(
        name: "Discover",
        subcommands: [SearchCommand.self, ShowCommand.self, BrowseCommand.self]),
      CommandGroup(
        name: "Download",
        subcommands: [DownloadCommand.self, ResumeCommand.self, DoctorCommand.self]),
      CommandGroup(
        name: "Subscriptions",
        subcommands: [
          SubscribeCommand.self, UnsubscribeCommand.self, SubscriptionsCommand.self,
          PauseCommand.self, UnpauseCommand.self, SyncCommand.self, NewCommand.self,
          StatusCommand.self,
          ImportCommand.self,
          ExportCommand.self, AccountCommand.self,
        ]),
      CommandGroup(
        name: "Library",
        subcommands: [
          ListCommand.self, GrepCommand.self, StarCommand.self, UnstarCommand.self,
          MarkCommand.self,
          EditCommand.self, MergeCommand.self,
          RemoveCommand.self, RestoreCommand.self, TrashCommand.self, PruneCommand.self,
          ArtworkCommand.self, PublishCommand.self,
        ]),
      CommandGroup(
        name: "Upkeep",
        subcommands: [
          VerifyCommand.self, RenameCommand.self, TagCommand.self, AdoptCommand.self,
          ConfigCommand.self,
        ]),
    ])

  /// Runs a command line to its end.
  ///
  /// - Returns: the exit status; only here outcomes and errors become one.
  static func run(_ arguments: [String], in context: CommandContext) async -> Int32 {
    let ending = Ending(arguments: arguments, context: context)
    do {
      if let command = try parsedAlone(arguments) { return try await run(command, in: context) }
      try CommandNames.check(arguments)
      if let text = try CommandNames.topic(arguments) { return ending.status(printing: text) }
      var command = try parseAsRoot(arguments)
      if let command = command as? any PodgetCommand {
        return try await run(command, in: context)
      }
      // Help, which the parser has added: it throws its text.
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
      return Outcome.success.status
    } catch {
      return ending.status(of: error)
    }
  }

  /// The command that the first argument names, parsed without the other ones: looking through all
  /// commands takes as long as `list` of a small library.
  ///
  /// - Returns: nil where it is an alias or no command, and where the arguments are not accepted: the
  ///   parser of all commands answers those.
  /// - Throws: a `ValidationError` for a word behind a dash.
  private static func parsedAlone(_ arguments: [String]) throws -> (any PodgetCommand)? {
    guard let name = arguments.first,
      let type = configuration.subcommands.first(where: { CommandNames.name(of: $0) == name })
        as? any PodgetCommand.Type
    else { return nil }
    try CommandNames.checkShortOptions(arguments)
    return try? type.parse(Array(arguments.dropFirst()))
  }

  private static func run(
    _ command: any PodgetCommand, in context: CommandContext
  ) async throws -> Int32 {
    do {
      let outcome = try await command.run(in: context)
      if let command = command as? any ArrangingCommand { command.arrange(in: context) }
      return outcome.status
    } catch let error as ValidationError {
      // For example a variable with an invalid value: the usage of the command does not help there.
      context.say(error.message)
      return ExitCode.validationFailure.rawValue
    }
  }
}
