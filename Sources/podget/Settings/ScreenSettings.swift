import BrowseScreen
import PodcastBrowse

/// The full screen.
extension SettingTable {
  static let images = Setting<ImageChoice>(
    "images", "how podget browse shows images: auto, kitty, sixel, blocks or none",
    .word("auto, kitty, sixel, blocks or none"), example: "auto"
  ) { _ in .auto }

  static let noMouse = flag("no-mouse", "leave the mouse to the terminal in podget browse")

  static let player = Setting<String?>(
    "player", "the command that plays episodes in podget browse; {path} stands for the file",
    command.optional, example: "'vlc {path}'", standardText: "mpv"
  ) { _ in nil }

  static let keys = Setting<String?>(
    "keys", "other keys for actions of podget browse",
    choice { text throws(BrowseChoiceProblem) in _ = try BrowseKeyMap(text) },
    example: "'play=Space, mark=M'", standardText: ""
  ) { _ in nil }

  static let theme = Setting<String?>(
    "theme", "other colors for what podget browse shows",
    choice { text throws(BrowseChoiceProblem) in _ = try BrowseTheme(text) },
    example: "'complete=blue, heading=bold'", standardText: ""
  ) { _ in nil }

  private static func choice(
    _ read: @escaping @Sendable (String) throws(BrowseChoiceProblem) -> Void
  ) -> SettingForm<String?> {
    SettingForm<String>.text { text in
      do throws(BrowseChoiceProblem) {
        try read(text)
        return nil
      } catch {
        return .wrong(error.sentence)
      }
    }.optional
  }
}
