/// What is fuzzed: functions that take any bytes and check what podget derives from them.
///
/// `make fuzz` runs them under libFuzzer, and `make test` runs them once over the stored inputs.
enum FuzzTarget: String, CaseIterable, Sendable {
  /// Response heads: lines, ranges, dates, validators, Retry-After.
  case heads
  /// Coded bodies, in pieces of any size.
  case codings
  /// Answers of Apple's lookup and search.
  case lookup
  /// Feeds and web pages, in pieces of any size.
  case feeds
  /// Chapters of episodes.
  case chapters
  /// Transcripts of episodes.
  case transcripts
  /// Dates, durations, addresses and texts of feeds.
  case feedvalues
  /// Lists of subscriptions, kept and imported.
  case opml
  /// Configuration files.
  case configuration
  /// Images, through the decoders.
  case thumbnails
  /// Audio files: structure and tags.
  case audio
  /// What is written into files, and what gives them back.
  case tags
  /// Values of options.
  case options
  /// Templates and file names.
  case names
  /// Sources, links and addresses.
  case links
  /// Passwords in addresses, and where those of `~/.netrc` may go.
  case credentials
  /// The content of `~/.netrc`.
  case netrc
  /// Text for a terminal.
  case text
  /// Keys and answers of a terminal.
  case keys
  /// The full screen after any keys and answers.
  case screen
  /// Records of folders, of unfinished downloads and of renamings.
  case records
  /// What the server of an account answers.
  case account
  /// Complete downloads from a server that does anything.
  case exchange

  /// Runs the target on one input.
  ///
  /// - Throws: ``FuzzFailure`` if a property is violated. A trap or a memory error ends the
  ///   process, which is a failure too.
  func run(_ bytes: [UInt8]) async throws {
    var input = FuzzInput(bytes)
    switch self {
    case .heads: try HeadsFuzzing.run(&input)
    case .codings: try CodingsFuzzing.run(&input)
    case .lookup: try LookupFuzzing.run(&input)
    case .feeds: try FeedsFuzzing.run(&input)
    case .chapters: try ChaptersFuzzing.run(&input)
    case .transcripts: try TranscriptsFuzzing.run(&input)
    case .feedvalues: try FeedValuesFuzzing.run(&input)
    case .opml: try OPMLFuzzing.run(&input)
    case .configuration: try ConfigurationFuzzing.run(&input)
    case .thumbnails: try ThumbnailsFuzzing.run(&input)
    case .audio: try AudioFuzzing.run(&input)
    case .tags: try TagsFuzzing.run(&input)
    case .options: try OptionsFuzzing.run(&input)
    case .names: try NamesFuzzing.run(&input)
    case .links: try LinksFuzzing.run(&input)
    case .credentials: try CredentialsFuzzing.run(&input)
    case .netrc: try NetrcFuzzing.run(&input)
    case .text: try TextFuzzing.run(&input)
    case .keys: try KeysFuzzing.run(&input)
    case .screen: try ScreenFuzzing.run(&input)
    case .records: try RecordsFuzzing.run(&input)
    case .account: try AccountFuzzing.run(&input)
    case .exchange: try await ExchangeFuzzing.run(&input)
    }
  }
}

/// A violated property.
struct FuzzFailure: Error, CustomStringConvertible {
  let description: String

  /// Throws if a condition is false.
  static func require(_ condition: Bool, _ what: @autoclosure () -> String) throws {
    if !condition { throw FuzzFailure(description: what()) }
  }
}
