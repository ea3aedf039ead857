/// How large a list may be. Real ones have a few thousand outlines at most.
enum OPMLLimits {
  /// The most bytes.
  static let bytes = 64 * 1024 * 1024
  /// How deep elements may lie in one another.
  static let depth = 100
  /// The most outlines.
  static let outlines = 200_000
  /// The most elements, comments and texts.
  static let nodes = 1_000_000
}
