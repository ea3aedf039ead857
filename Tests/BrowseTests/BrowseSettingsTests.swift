import BrowseScreen
import Testing

/// What podget passes to the program.
struct BrowseSettingsTests {
  @Test func `settings arrive as they were given`() {
    var settings = BrowseSettings()
    settings.library = "/a b/=c"
    settings.source = "https://example.org/feed?a=b"
    settings.directoryURL = "http://127.0.0.1:1"
    settings.country = "gb"
    settings.jobs = 7
    settings.jobsPerHost = 6
    settings.bytesPerSecond = 5_000_000_000
    settings.retries = 0
    settings.retryDelay = 0.25
    settings.stallTimeout = 12.5
    settings.passwordTimeout = 7
    settings.certificates = "/etc/a=b.pem"
    settings.userAgent = "podget/1"
    settings.allowsInsecureRedirects = true
    settings.skipsBusyEpisodes = true
    settings.resumesByOverlap = true
    settings.takesChecksums = false
    settings.writesTags = true
    settings.longestUnknownLength = 0
    settings.keptFreeBytes = 10 << 30
    // With the sign before it, this is one character.
    settings.template = "\u{301}{title}.{ext}"
    settings.preference = "audio/opus"
    settings.belongings = "notes,cover"
    settings.replaced = ["template", "user-agent"]
    settings.trashDays = 0
    settings.afterDownload = "a=b {title}"
    settings.hookTimeout = 0.5
    settings.player = "vlc {path}"
    settings.keys = "play=Space, sort=="
    settings.theme = "complete=blue"
    settings.hasColor = false
    settings.isUTF8 = false
    settings.images = .sixel
    settings.usesMouse = false
    #expect(BrowseSettings(arguments: settings.arguments) == settings)
    // None of them is what it is without being given.
    let values = Mirror(reflecting: settings).children.map { "\($0.value)" }
    let defaults = Mirror(reflecting: BrowseSettings()).children.map { "\($0.value)" }
    #expect(zip(values, defaults).allSatisfy { $0 != $1 })
    #expect(settings.arguments.count == values.count)
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
