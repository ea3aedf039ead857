import ArgumentParser
import PodcastKit

/// Sources from the command line.
enum SourceArguments {
  /// The argument that stands for the sources on standard input.
  static let standardInput = "-"

  /// How a podcast is named: all commands that take one understand all of this.
  static let forms = "a subscription's name, a title, an Apple Podcasts id or link, or a feed"

  /// The help of an argument that names podcasts.
  ///
  /// - Parameters:
  ///   - what: what is named.
  ///   - isList: whether there may be several, also from standard input.
  static func help(
    _ what: String, isList: Bool = true, valueName: String? = nil
  ) -> ArgumentHelp {
    ArgumentHelp(
      "\(what), by \(forms)\(isList ? "; - reads them from standard input" : "").",
      valueName: valueName)
  }

  /// The sources as named, `-` replaced by those on standard input, which is read once.
  ///
  /// Nil if none is named: that often means all, and an empty standard input must never mean that.
  /// - Throws: a ``PodgetError`` when standard input is not a list of sources.
  static func expanded(
    _ sources: [String], from input: StandardInput
  ) async throws(PodgetError) -> [String]? {
    guard !sources.isEmpty else { return nil }
    guard let place = sources.firstIndex(of: standardInput) else { return sources }
    var expanded = sources
    expanded.replaceSubrange(place...place, with: try await input.sources())
    return expanded.prefix(place) + expanded[place...].filter { $0 != standardInput }
  }
}
