import ArgumentParser
import PodcastKit

/// The options for every request.
struct NetworkOptions: ParsableArguments {
  /// The settings of subscriptions that count for requests: those that no option replaces.
  var counted: Set<SubscriptionSettings.Name> {
    SubscribedSettings.all.subtracting(userAgent == nil ? [] : [.userAgent])
  }

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
    help: ArgumentHelp(
      "Retry N times after a failure; 0 makes one attempt \(SettingTable.retries.defaultNote).",
      valueName: "n"))
  var retries: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Wait at most this long before the first retry, then twice as long each time, up to 60 "
        + "\(SettingTable.retryDelay.defaultNote).",
      valueName: "seconds"))
  var retryDelay: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Abort an attempt after this long without data \(SettingTable.stallTimeout.defaultNote).",
      valueName: "seconds"))
  var stallTimeout: Double?

  @Option(
    help: ArgumentHelp(
      "Trust the certificates in this PEM file instead of the system's.", valueName: "file"),
    completion: .file())
  var cacert: String?

  @Option(help: ArgumentHelp("Send this as the User-Agent.", valueName: "ua"))
  var userAgent: String?

  @Flag(inversion: .prefixedNo, help: "Follow redirects from https to http.")
  var allowInsecureRedirects: Bool?

  func validate() throws {
    try SettingTable.retries.require(retries)
    try SettingTable.retryDelay.require(retryDelay)
    try SettingTable.stallTimeout.require(stallTimeout)
    try SettingTable.cacert.require(cacert)
    try SettingTable.userAgent.require(userAgent)
  }

  /// The settings of requests. Certificates come from --cacert, PODGET_CACERT, the configuration
  /// file, SSL_CERT_FILE, CURL_CA_BUNDLE, the system, in this order.
  func resolved(_ settings: SettingSources) throws -> Settings {
    let retries = try settings.value(SettingTable.retries, option: retries)
    let delay = try settings.value(SettingTable.retryDelay, option: retryDelay)
    return Settings(
      retries: RetryPolicy(retries: retries, baseDelay: .seconds(delay)),
      stallTimeout: .seconds(
        try settings.value(SettingTable.stallTimeout, option: stallTimeout)),
      certificates: try settings.value(SettingTable.cacert, option: cacert),
      userAgent: try settings.given(SettingTable.userAgent, option: userAgent)?.value,
      allowsInsecureRedirects: try settings.value(
        SettingTable.allowInsecureRedirects, option: allowInsecureRedirects))
  }
}
