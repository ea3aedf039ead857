import ArgumentParser
import PodcastKit

/// The option for Apple's catalog.
struct DirectoryOptions: ParsableArguments {
  /// The directory's address and the country's store.
  struct Settings: Equatable {
    /// The base address of `lookup` and `search`.
    var baseURL: String
    /// Two letters in lower case; nil leaves the choice to ``ITunesDirectory``.
    var country: String?

    /// The base address if the user named it.
    var namedURLs: [String] { baseURL == ITunesDirectory.standardBaseURL ? [] : [baseURL] }
  }

  @Option(
    help: ArgumentHelp(
      "Ask Apple's catalog of this country, such as gb, unless a link names one "
        + "\(SettingTable.country.defaultNote).",
      valueName: "cc"))
  var country: String?

  func validate() throws { try SettingTable.country.require(country) }

  /// The settings: the option, otherwise the setting; PODGET_ITUNES_URL sets another directory.
  func resolved(_ settings: SettingSources) throws -> Settings {
    let base = settings.text("PODGET_ITUNES_URL") ?? ITunesDirectory.standardBaseURL
    let scheme = base.prefix(8).lowercased()
    guard scheme.hasPrefix("http://") || scheme == "https://" else {
      let shown = AddressRedaction.shown(base)
      throw ValidationError("PODGET_ITUNES_URL is \"\(shown)\", which is not a web address.")
    }
    let country = try settings.given(SettingTable.country, option: country)?.value
    return Settings(baseURL: base, country: country?.lowercased())
  }
}
