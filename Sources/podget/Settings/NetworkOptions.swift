import ArgumentParser
import PodcastKit

/// The options for every request.
struct NetworkOptions: ParsableArguments {
  /// The settings of requests.
  struct Settings: Equatable {
    /// How often and how soon failures are retried.
    var retries: RetryPolicy
    /// The time without any byte after which an attempt is aborted.
    var stallTimeout: Duration
    /// The file of trusted certificates; nil for the system's.
    var certificates: String?
    /// The User-Agent; nil for podget's own.
    var userAgent: String?
    /// Whether an https address may redirect to an http one.
    var allowsInsecureRedirects: Bool
  }

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Retry N times after a failure (default: 3).", valueName: "n"))
  var retries: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Wait at most this before the first retry; doubles for each retry (default: 1).",
      valueName: "seconds"))
  var retryDelay: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Abort an attempt after this long without data (default: 30).", valueName: "seconds"))
  var stallTimeout: Double?

  @Option(
    help: ArgumentHelp(
      "Trust the certificates in this PEM file instead of the system's.", valueName: "file"),
    completion: .file())
  var cacert: String?

  @Option(help: ArgumentHelp("Send this as the User-Agent.", valueName: "ua"))
  var userAgent: String?

  @Flag(help: "Follow redirects from https to http.")
  var allowInsecureRedirects = false

  /// The maximum is twenty attempts for any request.
  private static let mostRetries = 19

  func validate() throws {
    try Self.check(retries: retries, "--retries")
    try Self.check(delay: retryDelay, "--retry-delay")
    try Self.check(timeout: stallTimeout, "--stall-timeout")
    try Self.check(userAgent: userAgent, "--user-agent")
    if cacert?.isEmpty == true { throw ValidationError("--cacert is empty.") }
    if userAgent?.isEmpty == true { throw ValidationError("--user-agent is empty.") }
  }

  /// The settings: the options, otherwise the variables `PODGET_*`, otherwise the defaults.
  /// Certificates come from --cacert, PODGET_CACERT, SSL_CERT_FILE, CURL_CA_BUNDLE, the system, in
  /// this order.
  func resolved(environment: [String: String]) throws -> Settings {
    let environment = Environment(environment)
    let retries = try retries ?? environment.number("PODGET_RETRIES")
    let delay = try retryDelay ?? environment.number("PODGET_RETRY_DELAY")
    let timeout = try stallTimeout ?? environment.number("PODGET_STALL_TIMEOUT")
    let userAgent = userAgent ?? environment.text("PODGET_USER_AGENT")
    try Self.check(retries: retries, "PODGET_RETRIES")
    try Self.check(delay: delay, "PODGET_RETRY_DELAY")
    try Self.check(timeout: timeout, "PODGET_STALL_TIMEOUT")
    try Self.check(userAgent: userAgent, "PODGET_USER_AGENT")
    return Settings(
      retries: RetryPolicy(
        retries: min(retries ?? 3, Self.mostRetries), baseDelay: .seconds(delay ?? 1)),
      stallTimeout: .seconds(timeout ?? 30),
      certificates: cacert ?? environment.text("PODGET_CACERT")
        ?? environment.text("SSL_CERT_FILE") ?? environment.text("CURL_CA_BUNDLE"),
      userAgent: userAgent, allowsInsecureRedirects: allowInsecureRedirects)
  }
}

extension NetworkOptions {
  private static func check(retries: Int?, _ name: String) throws {
    try ValidationError.require((retries ?? 0) >= 0, name, "a number that is 0 or more")
  }

  private static func check(delay: Double?, _ name: String) throws {
    try ValidationError.require(
      (0...3600).contains(delay ?? 0), name, "a number of seconds from 0 to 3600")
  }

  private static func check(timeout: Double?, _ name: String) throws {
    let isGood = timeout.map { $0 > 0 && $0 <= 86_400 } ?? true
    try ValidationError.require(isGood, name, "a number of seconds above 0, at most 86400")
  }

  /// A line break would start another header field.
  private static func check(userAgent: String?, _ name: String) throws {
    let isLine = userAgent?.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    try ValidationError.require(isLine ?? true, name, "one line without control characters")
  }
}
