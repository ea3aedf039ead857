import BrowseScreen
import Testing

/// What podget passes to the program.
struct BrowseSettingsTests {
  @Test func `settings arrive as they were given`() {
    var settings = BrowseSettings()
    settings.library = "/a b/=c"
    settings.source = "https://example.org/feed?a=b"
    settings.directoryURL = "http://127.0.0.1:1"
    settings.userAgent = "podget/1"
    settings.retryDelay = 0
    settings.template = "{title}.{ext}"
    settings.hasColor = false
    #expect(BrowseSettings(arguments: settings.arguments) == settings)
  }

  @Test func `other arguments are refused`() {
    var settings = BrowseSettings()
    settings.library = "l"
    #expect(BrowseSettings(arguments: []) == nil)
    #expect(BrowseSettings(arguments: ["--help"]) == nil)
    settings.jobs = 0
    #expect(BrowseSettings(arguments: settings.arguments) == nil)
    settings.jobs = 4
    settings.stallTimeout = .nan
    #expect(BrowseSettings(arguments: settings.arguments) == nil)
  }
}
