import BrowseScreen

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
}
