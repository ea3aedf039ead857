import ArgumentParser
import FoundationEssentials
import PodcastKit

/// `podget verify`: compare the library's files with its records, byte for byte.
struct VerifyCommand: ArrangingCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check the library's files against its records, byte for byte.",
    discussion: """
      Reads every recorded file from the disk, compares its length and its SHA-256 with the record, \
      and checks the structure of its audio, which also finds a file that was truncated before it \
      was recorded. Problems go to standard output, one line per file. The exit status is 1 if a \
      file is damaged, truncated, missing or unreadable, and was not repaired.

      A file whose tags were edited is changed, not damaged, if its audio is what was downloaded. \
      --repair leaves it alone; podget download --force replaces it. --accept records the file as \
      it is now. Damaged files whose audio podget cannot compare, in other formats than MPEG audio \
      or recorded by an earlier version, are accepted only if you name their podcast, without \
      --repair, and if the structure of their audio is intact.

      --repair downloads those again. The damaged file stays until the new one is complete, and \
      then goes to the trash, as removed files do. An episode that was removed with podget is not \
      missing. --jobs is also how many files are read at the same time.

      verify remembers when it read each file without a problem. So --not-since 90d goes on where an \
      earlier run was interrupted, and --subset 10% in a weekly job reads all files within ten weeks.
      """)

  @Argument(help: SourceArguments.help("Only these podcasts"))
  var sources: [String] = []

  @Flag(help: "Download again what is damaged, truncated, missing or unreadable.")
  var repair = false

  @Flag(
    help:
      "Record what intact files lack on record: checksums, and how to tell changed tags from damage."
  )
  var recordChecksums = false

  @Flag(help: "Record changed files as they are now; damaged ones only of podcasts that you name.")
  var accept = false

  @Option(
    help: ArgumentHelp(
      "Only files that verify has not read without a problem since this day (UTC): 90d, 2024-03-01.",
      valueName: "age"))
  var notSince: String?

  @Option(
    help: ArgumentHelp(
      "Only this part of the files, those first that were not read for the longest: 10%.",
      valueName: "percent"))
  var subset: String?

  @OptionGroup(title: "Library") var library: LibraryOptions
  @OptionGroup(title: "With --repair") var transfers: TransferOptions
  @OptionGroup(title: "With --repair") var network: NetworkOptions
  @OptionGroup(title: "With --repair") var directory: DirectoryOptions
  @OptionGroup(title: "With --repair") var login: CredentialOptions
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(title: "Output") var run: RunOptions

  func validate() throws {
    try ValidationError.requireNames(sources)
    _ = try (day(now: Date()), share())
    if !repair, let option = downloadOption {
      throw ValidationError("\(option) requires --repair.")
    }
    if !repair, !recordChecksums, !accept, run.dryRun {
      throw ValidationError("--dry-run requires --repair, --record-checksums or --accept.")
    }
  }

  func run(in context: CommandContext) async throws -> Outcome {
    let settings = try DownloadSession.Settings(
      try context.settings(), library: library, transfers: transfers, network: network,
      directory: directory, passwords: login.passwords, credentials: login, output: output,
      run: run, isForced: true)
    let output = ListingOutput(settings.output, context)
    return try await output.reportingOutcome {
      let selection = LibrarySelection(
        output: output, library: settings.libraryPath,
        onlyReads: !repair && !recordChecksums && !accept)
      let library = try selection.open()
      if !settings.options.dryRun, repair || recordChecksums || accept {
        try library.requireWritable()
      }
      let names = try await SourceArguments.expanded(sources, from: context.input)
      library.forgetReadings()
      if !settings.options.dryRun { library.endKilledTags() }
      // Moved files are recorded in their new places before anything counts as missing or
      // untracked.
      let reading = library.locatedReading(recording: !settings.options.dryRun)
      var inventory = try Self.named(names, in: library.inventory(of: reading), selection)
      let verified = VerifiedFiles(library)
      inventory = inventory.limited(
        to: verified.chosen(
          of: inventory.recorded, notSince: try day(now: context.now()), share: try share(),
          at: context.now()))
      let run = VerificationRun(
        library: library, settings: settings, context: context, repairs: repair,
        recordsChecksums: recordChecksums && !settings.options.dryRun,
        acceptsChanges: accept, areNamed: names != nil,
        verified: settings.options.dryRun ? nil : verified)
      return try await run.run(inventory)
    }
  }

  /// The value of --not-since.
  private func day(now: Date) throws -> CivilDay? {
    try ValidationError.naming("--not-since", notSince) { text throws(OptionValueError) in
      try CivilDay(option: text, now: now)
    }
  }

  /// The value of --subset, from 0 to 1.
  private func share() throws -> Double? {
    guard let subset else { return nil }
    guard subset.hasSuffix("%"), let percent = Int(subset.dropLast()), (1...100).contains(percent)
    else { throw ValidationError("--subset takes 1% to 100%.") }
    return Double(percent) / 100
  }

  /// An option that was given and is only for downloads.
  private var downloadOption: String? {
    let given = [
      ("--jobs-per-host", transfers.jobsPerHost != nil),
      ("--limit-rate", transfers.limitRate != nil),
      ("--max-unknown-length", transfers.maxUnknownLength != nil),
      ("--keep-free", transfers.keepFree != nil),
      ("--no-wait", transfers.wait != nil),
      ("--resume-by-overlap", transfers.resumeByOverlap != nil),
      ("--no-checksum", transfers.checksum != nil),
      ("--tag", transfers.tag != nil), ("--retries", network.retries != nil),
      ("--retry-delay", network.retryDelay != nil),
      ("--stall-timeout", network.stallTimeout != nil), ("--cacert", network.cacert != nil),
      ("--user-agent", network.userAgent != nil),
      ("--allow-insecure-redirects", network.allowInsecureRedirects != nil),
      ("--country", directory.country != nil), ("--user", login.user != nil),
      ("--password-timeout", login.passwords.passwordTimeout != nil),
    ]
    return given.first { $0.1 }?.0
  }

  /// The files that belong to the sources, or all; a source without any file is a failure.
  private static func named(
    _ names: [String]?, in inventory: LibraryInventory, _ selection: LibrarySelection
  ) throws -> LibraryInventory {
    guard let names else { return inventory }
    let plans = inventory.recorded.map(\.plan) + inventory.partial.compactMap(\.plan)
    let chosen = Set(
      try selection.chosen(names, among: plans, podcast: \.podcast) { $0.places(of: $1) })
    return inventory.filtered { chosen.contains($0) }
  }
}
