/// How a terminal shows images: by the user's choice, else by its environment and its answers so far.
package struct TerminalImages: Sendable {
  /// Terminals that claim sixels or kitty's graphics, and draw them wrongly or never delete them, by
  /// the beginnings of their names.
  private static let faulty: (kitty: [String], sixel: [String]) = (
    kitty: ["WezTerm"], sixel: ["Konsole", "contour"]
  )
  /// More colors take more time, and nobody sees them in a small image.
  private static let mostSixelColors = 128

  private let choice: ImageChoice
  private let environment: TerminalEnvironment
  private let hasColor: Bool
  private let isUTF8: Bool
  private var name = ""
  private var hasKitty = false
  private var hasSixel = false
  private var sixelColors = mostSixelColors
  private var answeredCell: CellSize?
  /// Whether the background is light, as the terminal says.
  private var isLight: Bool?

  /// The pixels of a cell by the window's size, which is newer than any answer.
  package var windowCell: CellSize?
  /// Whether frames may be bracketed.
  package private(set) var isSynchronized = false
  /// Whether the last answer has come.
  package private(set) var isAnswered = false

  /// Creates what is known at the beginning.
  ///
  /// - Parameters:
  ///   - choice: what the user wants.
  ///   - environment: what the environment says.
  ///   - hasColor: whether colors are wanted.
  ///   - isUTF8: whether there are characters beyond ASCII.
  package init(
    _ choice: ImageChoice, _ environment: TerminalEnvironment, hasColor: Bool, isUTF8: Bool
  ) {
    self.choice = choice
    self.environment = environment
    self.hasColor = hasColor
    self.isUTF8 = isUTF8
  }

  /// What the terminal is asked; nil for nothing.
  package var questions: String? {
    environment.isAsked ? TerminalQuestions.text(images: choice != .none, colors: hasColor) : nil
  }

  /// The pixels of a cell.
  package var cell: CellSize { windowCell ?? answeredCell ?? .assumed }

  /// Takes an answer. A terminal that was asked nothing has none.
  package mutating func take(_ answer: TerminalAnswer) {
    guard environment.isAsked else { return }
    switch answer {
    case .version(let name): self.name = name
    case .background(let isLight): self.isLight = isLight
    case .kittyGraphics(let hasKitty): self.hasKitty = hasKitty
    case .cell(let cell): answeredCell = cell
    case .sixelColors(let count): sixelColors = min(count, Self.mostSixelColors)
    case .synchronizedOutput(let isKnown): isSynchronized = isKnown
    case .attributes(let hasSixel):
      self.hasSixel = hasSixel
      isAnswered = true
    }
  }

  /// How images are shown; nil for not at all.
  package var method: ImageMethod? {
    switch choice {
    case .none: return nil
    case .kitty: return .kitty
    case .sixel: return .sixel(colors: sixelColors)
    case .blocks: return isUTF8 ? .blocks(environment.depth ?? .palette) : nil
    case .auto: break
    }
    if environment.isConsole { return nil }
    if !environment.isMultiplexed, !environment.isLying {
      // Programs between, such as zellij, keep the name and do not pass images on.
      let hasKitty = hasKitty || environment.hasKittyGraphics && !isAnswered
      if hasKitty, !isFaulty(Self.faulty.kitty) { return .kitty }
      // In cells of unknown size an image would be drawn over other cells.
      if hasSixel, windowCell ?? answeredCell != nil, !isFaulty(Self.faulty.sixel) {
        return .sixel(colors: sixelColors)
      }
    }
    // Half blocks are nothing but colors.
    guard hasColor, isUTF8, let depth = environment.depth else { return nil }
    return .blocks(depth)
  }

  /// The colors that can be read.
  package var palette: CellPalette {
    guard isLight ?? environment.isLight else { return .usual }
    return environment.depth == nil ? .darkOfSixteen : .dark
  }

  private func isFaulty(_ names: [String]) -> Bool { names.contains { name.hasPrefix($0) } }
}
