/// What the environment says about a terminal.
package struct TerminalEnvironment: Sendable, Hashable {
  /// The variables that are read.
  package static let names = ["TERM", "COLORTERM", "TERM_PROGRAM", "TMUX", "STY", "COLORFGBG"]

  /// Whether tmux or screen is between the program and the terminal: they pass images on in their own
  /// ways, and answers to the wrong programs.
  package let isMultiplexed: Bool
  /// Whether it is a console of Linux, which has 16 colors and few characters.
  package let isConsole: Bool
  /// Whether it is a terminal with kitty's graphics by its own name.
  package let hasKittyGraphics: Bool
  /// Whether what it claims about images is wrong.
  package let isLying: Bool
  /// Whether it shows control strings that it does not know as text.
  package let showsUnknownStrings: Bool
  /// Whether it says that its background is light.
  package let isLight: Bool
  /// How many colors it has; nil if there are too few for images.
  package let depth: ColorDepth?

  /// Reads the environment.
  ///
  /// - Parameters:
  ///   - variables: the values of ``names``.
  ///   - isConsole: whether the system says that it is a console.
  package init(_ variables: [String: String], isConsole: Bool = false) {
    func value(_ name: String) -> String { variables[name] ?? "" }
    let term = value("TERM")
    isMultiplexed =
      !value("TMUX").isEmpty || !value("STY").isEmpty || term.hasPrefix("tmux")
      || term.hasPrefix("screen")
    self.isConsole = isConsole || term == "linux" || term.hasPrefix("linux-")
    hasKittyGraphics = ["xterm-kitty", "xterm-ghostty"].contains(term)
    // Warp answers kitty's question and draws nothing.
    isLying = value("TERM_PROGRAM") == "WarpTerminal"
    showsUnknownStrings = value("TERM_PROGRAM") == "Apple_Terminal"
    // The numbers of the sixteen colors of text and background, as in `0;15`.
    isLight = ["7", "15"].contains(value("COLORFGBG").split(separator: ";").last ?? "")
    let colors = value("COLORTERM").lowercased()
    if ["truecolor", "24bit"].contains(colors) || term.hasSuffix("-direct") {
      depth = .full
    } else if isMultiplexed || term.hasPrefix("xterm") || term.contains("256color")
      || !colors.isEmpty || ["alacritty", "foot"].contains(term)
    {
      depth = .palette
    } else {
      depth = nil
    }
  }

  /// Whether the terminal is asked questions.
  package var isAsked: Bool { !isMultiplexed && !isConsole && !showsUnknownStrings }

  /// Whether there may be images of kitty's protocol on the screen.
  package func mayHaveKittyImages(_ choice: ImageChoice) -> Bool {
    choice == .kitty || choice == .auto && isAsked
  }
}
