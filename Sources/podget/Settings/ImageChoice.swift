import ArgumentParser

/// How pictures are shown on a full screen.
enum ImageChoice: String, Sendable, CaseIterable, ExpressibleByArgument {
  /// As the terminal can.
  case auto
  /// By the graphics protocol of kitty.
  case kitty
  case sixel
  /// As coloured half blocks, which every terminal has.
  case blocks
  case none
}
