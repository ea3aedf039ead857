/// How images are to be shown.
package enum ImageChoice: String, Sendable, CaseIterable {
  /// As the terminal can.
  case auto
  /// By the graphics protocol of kitty.
  case kitty
  case sixel
  /// As colored half blocks, which nearly every terminal has.
  case blocks
  case none
}
