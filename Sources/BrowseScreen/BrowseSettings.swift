/// What podget tells the program that shows the full screen: its settings, resolved.
package struct BrowseSettings: Sendable, Hashable {
  /// The library's folder.
  package var library = ""
  /// The podcast to open at once.
  package var source: String?
  /// Where Apple's catalog is, and the country's store.
  package var directoryURL = ""
  package var country: String?
  /// The limits of transfers; zero bytes a second are no limit.
  package var jobs = 4
  package var jobsPerHost = 2
  package var bytesPerSecond: Int64 = 0
  /// Attempts, and seconds to wait.
  package var retries = 3
  package var retryDelay = 1.0
  package var stallTimeout = 30.0
  /// How many seconds a password command may take.
  package var passwordTimeout = 60.0
  /// The file of trusted certificates; nil for the system's.
  package var certificates: String?
  /// Whether files get missing tags.
  package var writesTags = false
  /// The User-Agent.
  package var userAgent = ""
  package var allowsInsecureRedirects = false
  package var skipsBusyEpisodes = false
  package var resumesByOverlap = false
  package var takesChecksums = true
  /// The longest file whose length is not announced; zero is no limit.
  package var longestUnknownLength: Int64 = 4 << 30
  /// How many bytes stay free on the disk; zero is no limit.
  package var keptFreeBytes: Int64 = 0
  /// What is stored beside episodes, as `--with` names it; nil for nothing.
  package var belongings: String?
  /// Which file of an episode is wanted; nil for the publisher's.
  package var preference: String?
  /// The names of the settings of subscriptions that options replace.
  package var replaced: [String] = []
  /// How files are named; nil for the default.
  package var template: String?
  /// How many days removed files stay in the trash; zero deletes them immediately.
  package var trashDays = 7
  /// The command that follows each download; nil for none.
  package var afterDownload: String?
  /// How many seconds it may take.
  package var hookTimeout = 600.0
  /// The command that plays episodes; nil for mpv.
  package var player: String?
  /// What a person says of keys and colors; nil for the usual ones.
  package var keys: String?
  package var theme: String?
  /// What the terminal can show.
  package var hasColor = true
  package var isUTF8 = true
  /// How images are to be shown.
  package var images = ImageChoice.auto
  /// Whether the mouse is used.
  package var usesMouse = true

  /// The default settings.
  package init() {}

  /// The settings as arguments of the program.
  package var arguments: [String] {
    let all: [(String, String?)] = [
      ("library", library), ("source", source), ("directory-url", directoryURL),
      ("country", country), ("jobs", "\(jobs)"), ("jobs-per-host", "\(jobsPerHost)"),
      ("bytes-per-second", "\(bytesPerSecond)"), ("retries", "\(retries)"),
      ("retry-delay", "\(retryDelay)"), ("stall-timeout", "\(stallTimeout)"),
      ("password-timeout", "\(passwordTimeout)"),
      ("certificates", certificates), ("user-agent", userAgent),
      ("insecure-redirects", "\(allowsInsecureRedirects)"), ("no-wait", "\(skipsBusyEpisodes)"),
      ("resume-by-overlap", "\(resumesByOverlap)"), ("tag", "\(writesTags)"),
      ("checksums", "\(takesChecksums)"),
      ("longest-unknown-length", "\(longestUnknownLength)"), ("keep-free", "\(keptFreeBytes)"),
      ("template", template), ("trash-days", "\(trashDays)"), ("color", "\(hasColor)"),
      ("utf8", "\(isUTF8)"), ("images", images.rawValue), ("mouse", "\(usesMouse)"),
      ("after-download", afterDownload),
      ("hook-timeout", "\(hookTimeout)"), ("prefer", preference), ("with", belongings),
      ("player", player), ("keys", keys), ("theme", theme),
      ("replaced", replaced.joined(separator: " ")),
    ]
    return all.compactMap { name, value in value.map { "\(name)=\($0)" } }
  }

  /// Reads the settings; nil if an argument is missing or wrong.
  package init?(arguments: some Sequence<String>) {
    var values: [String: String] = [:]
    for argument in arguments {
      // By bytes: the value may begin with a combining character, which would be one with the `=`.
      guard let end = argument.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
      values[String(argument[..<end])] = String(argument[argument.utf8.index(after: end)...])
    }
    func number<Value: LosslessStringConvertible>(_ name: String) -> Value? {
      values[name].flatMap { Value($0) }
    }
    guard let library = values["library"], !library.isEmpty,
      let directoryURL = values["directory-url"], let userAgent = values["user-agent"],
      let jobs: Int = number("jobs"), let jobsPerHost: Int = number("jobs-per-host"),
      let bytesPerSecond: Int64 = number("bytes-per-second"),
      let retries: Int = number("retries"), let retryDelay: Double = number("retry-delay"),
      let stallTimeout: Double = number("stall-timeout"),
      let passwordTimeout: Double = number("password-timeout"),
      let insecure: Bool = number("insecure-redirects"), let noWait: Bool = number("no-wait"),
      let overlap: Bool = number("resume-by-overlap"), let checksums: Bool = number("checksums"),
      let tags: Bool = number("tag"),
      let longestUnknownLength: Int64 = number("longest-unknown-length"),
      let hookTimeout: Double = number("hook-timeout"), hookTimeout > 0, hookTimeout <= 86_400,
      let keptFreeBytes: Int64 = number("keep-free"), let trashDays: Int = number("trash-days"),
      let color: Bool = number("color"),
      let utf8: Bool = number("utf8"), let mouse: Bool = number("mouse"),
      let images = values["images"].flatMap(ImageChoice.init(rawValue:)), (1...256).contains(jobs),
      jobsPerHost > 0, retries >= 0,
      (0...3600).contains(retryDelay), stallTimeout > 0, stallTimeout <= 86_400,
      passwordTimeout > 0, passwordTimeout <= 86_400,
      (0...36_500).contains(trashDays)
    else { return nil }
    self.library = library
    self.directoryURL = directoryURL
    self.userAgent = userAgent
    (self.jobs, self.jobsPerHost, self.bytesPerSecond) = (jobs, jobsPerHost, bytesPerSecond)
    (self.retries, self.retryDelay, self.stallTimeout) = (retries, retryDelay, stallTimeout)
    self.passwordTimeout = passwordTimeout
    allowsInsecureRedirects = insecure
    skipsBusyEpisodes = noWait
    resumesByOverlap = overlap
    writesTags = tags
    takesChecksums = checksums
    self.longestUnknownLength = longestUnknownLength
    self.keptFreeBytes = keptFreeBytes
    self.trashDays = trashDays
    (hasColor, isUTF8) = (color, utf8)
    self.images = images
    usesMouse = mouse
    afterDownload = values["after-download"]
    self.hookTimeout = hookTimeout
    player = values["player"]
    (keys, theme) = (values["keys"], values["theme"])
    source = values["source"]
    country = values["country"]
    certificates = values["certificates"]
    template = values["template"]
    preference = values["prefer"]
    belongings = values["with"]
    replaced = values["replaced"]?.split(separator: " ").map(String.init) ?? []
  }
}
