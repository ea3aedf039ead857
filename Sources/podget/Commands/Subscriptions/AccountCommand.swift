import ArgumentParser
import FoundationEssentials
import PodcastKit

/// `podget account`: the account at a server that phones use too.
struct AccountCommand: PodgetCommand {
  static let configuration = CommandConfiguration(
    commandName: "account",
    abstract: "Share subscriptions and positions with phones, by a gPodder or Nextcloud server.",
    usage: """
      podget account [<options>]
      podget account add [<options>] <url>
      podget account sync [<options>]
      podget account remove [<options>]
      """,
    discussion: """
      AntennaPod, Kasts, gPodder and others keep what they follow, and how far they are with \
      episodes, at a server: gpodder.net, oPodSync, or Nextcloud with its app gPodder Sync. A library \
      has one account, in .podget/account.json.
        podget account add https://cloud.example.org --user me --password-command 'pass show cloud'
        podget account sync --dry-run
      """,
    subcommands: [AccountAddCommand.self, AccountSyncCommand.self, AccountRemoveCommand.self])

  @OptionGroup(title: "Library") var library: LibraryOptions
  @OptionGroup(title: "Output") var output: BriefOutputOptions

  func run(in context: CommandContext) async throws -> Outcome {
    let configured = try context.settings()
    let path = try library.resolved(configured)
    let output = ListingOutput(try output.resolved(configured), context)
    return try await output.reporting {
      let library = try Library.open(path, creating: false)
      let account = try library.flatMap { library throws(PodgetError) in
        try AccountFile(library)?.read()?.account
      }
      if let account {
        var report = AccountReport()
        report.withheld = account.withheld ?? 0
        report.withheldEpisodes = account.withheldEpisodes ?? 0
        if let sentence = report.withheldSentence { output.note(sentence) }
      } else {
        output.note("There is no account; podget account add adds one.")
      }
      try output.write(
        (account.map { [$0] } ?? []).map { JSONForms.account($0) },
        lines: (account.map { [$0] } ?? []).map {
          ResultLine(verb: $0.kind.rawValue, name: "\($0.url) as \($0.user) (\($0.device))")
        })
    }
  }
}

/// `podget account add`: use an account.
struct AccountAddCommand: PodgetCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Use an account at a server.",
    usage: "podget account add --user <name> --password-command <cmd> <url>",
    discussion: """
      The server is asked whether it takes the login, and what it understands. Nothing else is sent \
      before podget account sync. An account that the library has gets another password command if \
      the address and the user are the same; what was agreed on stays.
      """)

  @Argument(help: "The server's address; without a scheme it is https.")
  var url: String

  @Option(help: ArgumentHelp("The user name.", valueName: "name"))
  var user: String

  @Option(
    help: ArgumentHelp(
      "Run this command to get the password: the first line of its output.",
      valueName: "cmd arg ..."))
  var passwordCommand: String

  @Option(
    help: ArgumentHelp(
      "What the server understands: gpodder or nextcloud (otherwise it is asked).",
      valueName: "kind"))
  var kind: Account.Kind?

  @Option(
    help: ArgumentHelp("This library's name at the server (podget-HOST).", valueName: "name"))
  var device: String?

  @Flag(
    name: .customLong("allow-http"),
    help: "Send the login without encryption: others may read it on its way.")
  var allowsHTTP = false

  @Flag(help: "Send addresses too that have logins or tokens in them.")
  var sharePrivate = false

  @OptionGroup var passwords: PasswordOptions
  @OptionGroup(title: "Library") var library: LibraryOptions
  @OptionGroup(title: "Network") var network: NetworkOptions
  @OptionGroup(title: "Output") var output: BriefOutputOptions

  func validate() throws {
    guard let address = Account.address(url) else {
      throw ValidationError("The server's address is no web address, or has a login or a query.")
    }
    if Account.isReadable(address), !allowsHTTP {
      throw ValidationError(
        "The address is not https: others may read the password on its way. Give one that is, or "
          + "--allow-http.")
    }
    if user.isEmpty { throw ValidationError("--user names nobody.") }
    if PasswordCommand.words(passwordCommand).isEmpty {
      throw ValidationError("--password-command is empty.")
    }
  }

  func run(in context: CommandContext) async throws -> Outcome {
    let configured = try context.settings()
    let path = try library.resolved(configured)
    let network = try network.resolved(configured)
    let limit = try passwords.limit(configured)
    let choices = try output.resolved(configured)
    let output = ListingOutput(choices, context)
    let host = ProcessInfo.processInfo.hostName.prefix { $0 != "." }
    return try await output.reporting {
      guard let library = try Library.open(path, creating: true),
        let file = try AccountFile(library, creating: true)
      else { return }
      try library.requireWritable()
      var account = Account(
        url: Account.address(url) ?? url, user: user, passwordCommand: passwordCommand,
        kind: kind ?? .gpodder, device: Account.device(device ?? "podget-\(host)"))
      account.sharesPrivate = sharePrivate
      let new = account
      func wanted() throws -> (account: Account, isNew: Bool) {
        guard var known = try file.read()?.account else { return (new, true) }
        guard known.url == new.url, known.user == new.user, kind ?? known.kind == known.kind,
          device.map(Account.device) ?? known.device == known.device
        else {
          throw PodgetError(
            .notFound, "The library has an account at \(known.url); podget account remove ends it.")
        }
        (known.passwordCommand, known.lastAttempt) = (passwordCommand, nil)
        known.sharesPrivate = known.sharesPrivate || sharePrivate
        return (known, false)
      }
      let (asked, isNew) = try wanted()
      if Account.isReadable(asked.url) {
        output.warn("Warning: the address is not https: others may read the password on its way.")
      }
      let password = try await PasswordCommand.password(from: passwordCommand, limit: limit)
      let found = try await output.withTransport(network.session(naming: [asked.url])) {
        try await AccountClient(asked, password: password, transport: $0)
          .kind(isNew ? kind : asked.kind)
      }
      // Only now, so that no lock stays where there is no account.
      try await file.exclusively {
        account = try wanted().account
        account.kind = found
        try file.write(account)
      }
      try output.writeResults {
        try output.write(
          [JSONForms.account(account)],
          lines: [ResultLine(verb: "added", name: "\(account.url) (\(account.kind.rawValue))")])
      }
    }
  }
}

/// `podget account remove`: use the account no longer.
struct AccountRemoveCommand: PodgetCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Use the account no longer; the server and the library keep what they have.",
    usage: "podget account remove [<options>]")

  @OptionGroup(title: "Library") var library: LibraryOptions
  @OptionGroup(title: "Output") var output: BriefOutputOptions

  func run(in context: CommandContext) async throws -> Outcome {
    let configured = try context.settings()
    let path = try library.resolved(configured)
    let output = ListingOutput(try output.resolved(configured), context)
    return try await output.reporting {
      // An exchange that is being made would write it again.
      guard let library = try Library.open(path, creating: false),
        let file = try AccountFile(library), file.isThere,
        try await file.exclusively({ try file.remove() }) == true
      else { throw PodgetError(.notFound, "The library has no account.") }
      try output.writeResults {
        try output.write([], lines: [ResultLine(verb: "removed", name: "the account")])
      }
    }
  }
}

/// `podget account sync`: exchange what is followed and what was played.
struct AccountSyncCommand: PodgetCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Exchange subscriptions, positions and played states with the server.",
    usage: "podget account sync [<options>]",
    discussion: """
      What was added or removed on one side since the last exchange is added or removed on the other \
      one; the first exchange adds only. Files stay. If a side would lose most of its podcasts, \
      nothing changes: --accept lets it, and --prefer both keeps what either side has.
      """)

  @Flag(help: "Show what would change, and change nothing.")
  var dryRun = false

  @Flag(help: "Let a side lose most of its podcasts, and the library get more than 1,000.")
  var accept = false

  @Option(
    help: ArgumentHelp(
      "Make the other side's subscriptions those of this side: server or local; both removes nothing.",
      valueName: "side"))
  var prefer: SubscriptionMerge.Preference?

  @OptionGroup var passwords: PasswordOptions
  @OptionGroup(title: "Library") var library: LibraryOptions
  @OptionGroup(title: "Network") var network: NetworkOptions
  @OptionGroup(title: "Output") var output: BriefOutputOptions

  func run(in context: CommandContext) async throws -> Outcome {
    let configured = try context.settings()
    let path = try library.resolved(configured)
    let network = try network.resolved(configured)
    let limit = try passwords.limit(configured)
    let choices = try output.resolved(configured)
    let output = ListingOutput(choices, context)
    var options = AccountExchange.Options()
    (options.preference, options.accepts, options.isDry) = (prefer, accept, dryRun)
    return try await output.reporting {
      let library = try Library.open(path, creating: false)
      if !dryRun { try library?.requireWritable() }
      let report = try await library.map {
        AccountRun(
          context: context, library: $0, network: network.session(naming: []), output: choices,
          passwordLimit: limit, options: options)
      }?.exchange(warn: output.warn)
      guard let report else {
        throw PodgetError(.notFound, "The library has no account; podget account add adds one.")
      }
      try output.writeResults {
        try output.write(
          [JSONForms.accountReport(report)],
          lines: report.changes.map { ResultLine(verb: $0.kind.rawValue, name: $0.address) })
      } then: {
        output.summarize(
          "\(EventText.episodes(report.received)) received, \(EventText.episodes(report.sent)) sent."
        )
        if report.isWithheldNew, let sentence = report.withheldSentence { output.note(sentence) }
      }
    }
  }
}

extension AccountReport {
  /// What the server does not get; nil for nothing.
  var withheldSentence: String? {
    guard withheld + withheldEpisodes > 0 else { return nil }
    let what = [
      withheld == 0 ? nil : "\(withheld) \(withheld == 1 ? "podcast" : "podcasts")",
      withheldEpisodes == 0 ? nil : "the positions of \(EventText.episodes(withheldEpisodes))",
    ].compactMap(\.self).joined(separator: " and ")
    return
      "The server did not get \(what) with secret addresses; an account that is added with "
      + "--share-private gets them."
  }
}

extension Account.Kind: ExpressibleByArgument {}
extension SubscriptionMerge.Preference: ExpressibleByArgument {}
