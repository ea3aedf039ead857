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
  /// The most attributes of one element. libxml2 compares each with all others.
  static let attributes = 200
  /// The most attributes of a list.
  static let allAttributes = 4_000_000
  /// The most declarations of namespaces. libxml2 looks through them for each attribute.
  static let declarations = 1000
}
