import PodcastKit

extension DownloadSession {
  /// The common options of these commands.
  struct Settings: Sendable {
    var libraryPath: String
    var directory: DirectoryOptions.Settings
    var network: NetworkOptions.Settings
    var session: CurlSession.Configuration
    var downloads: DownloadOptions
    var output: OutputSettings
    var options: RunOptions
    /// The login for the named feeds; nil if the command has no such options.
    var credentials: CredentialOptions?
    /// How long a password command may take.
    var passwordLimit: Duration
    /// How often `sync` exchanges with the server of the account.
    var accountInterval = Duration.seconds(3600)
    /// What is advised for a library that does not exist; nil if it is created.
    var remedyWithoutLibrary: PodgetError.Remedy?
    /// The commands to run.
    var hooks = HookOptions.Settings()
  }
}

extension DownloadSession.Settings {
  /// Opens the library, and creates it where that may be done.
  func openLibrary() throws(PodgetError) -> Library {
    let isReal = !options.dryRun
    guard
      let library = try Library.open(libraryPath, creating: isReal && remedyWithoutLibrary == nil)
    else {
      if let remedy = remedyWithoutLibrary {
        throw PodgetError(.notFound, "The library does not exist.", remedy: remedy)
      }
      return try Library.absent(libraryPath)
    }
    if isReal { try library.requireWritable() }
    return library
  }

  /// Whether a run with other settings cannot go on with these. Commands to run and which episodes
  /// are wanted are not part of a run.
  func needAnotherRun(than other: Self) -> Bool {
    libraryPath != other.libraryPath || directory != other.directory || network != other.network
      || session != other.session || downloads != other.downloads || differsInOutput(from: other)
  }

  /// Whether what happens is shown in another way.
  func differsInOutput(from other: Self) -> Bool {
    output != other.output || options.hidesProgress != other.options.hidesProgress
  }
}
