import BrowseScreen
import PodcastBrowse
import PodcastKit

extension PodgetError {
  /// What happened, and what to do: the full screen has no options.
  var said: String {
    guard remedy == .logIn, message.hasSuffix(".") else { return sentence }
    return "\(message.dropLast()); podget subscribe with --user and --password-command follows it "
      + "with a login."
  }
}

extension BrowseKeyMap {
  /// What a person has chosen; that was checked before the screen was used.
  init(of settings: BrowseSettings) {
    self = settings.keys.flatMap { try? BrowseKeyMap($0) } ?? BrowseKeyMap()
  }
}

extension BrowseEngine {
  /// What keys do, for sentences that name them.
  nonisolated var keyMap: BrowseKeyMap { BrowseKeyMap(of: settings) }
}

extension Podcast {
  /// What names it as a source: its feed, or Apple's id.
  var source: String? { feedURL?.text ?? id.map(String.init) }
}
