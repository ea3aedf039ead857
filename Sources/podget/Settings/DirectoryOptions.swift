import ArgumentParser
import PodcastKit

/// The option for Apple's directory.
struct DirectoryOptions: ParsableArguments {
  /// The directory's address and the country's store.
  struct Settings: Equatable {
    /// The base address of `lookup` and `search`.
    var baseURL: String
    /// Two letters in lower case; nil leaves the choice to ``ITunesDirectory``.
    var country: String?
  }

  @Option(
    help: ArgumentHelp(
      "Use this country's store, unless a link names one (default: us).", valueName: "cc"))
  var country: String?

  func validate() throws {
    if let country { try Self.check(country, "--country") }
  }

  /// The settings: the option, otherwise PODGET_COUNTRY; PODGET_ITUNES_URL sets another directory.
  func resolved(environment: [String: String]) throws -> Settings {
    let environment = Environment(environment)
    let inherited = environment.text("PODGET_COUNTRY")
    if country == nil, let inherited { try Self.check(inherited, "PODGET_COUNTRY") }
    let base = environment.text("PODGET_ITUNES_URL") ?? ITunesDirectory.standardBaseURL
    let scheme = base.prefix(8).lowercased()
    guard scheme.hasPrefix("http://") || scheme == "https://" else {
      let shown = AddressRedaction.shown(base)
      throw ValidationError("PODGET_ITUNES_URL holds \"\(shown)\", which is not a web address.")
    }
    return Settings(baseURL: base, country: (country ?? inherited)?.lowercased())
  }

  private static func check(_ country: String, _ name: String) throws {
    let isCode =
      country.utf8.count == 2
      && country.utf8.allSatisfy {
        (0x61...0x7A).contains($0 | 0x20)
      }
    try ValidationError.require(isCode, name, "a country in two letters, such as us or gb")
  }
}
