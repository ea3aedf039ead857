import Glibc
import PodcastKit

/// The user's name for one episode of the library: a track id, a guid, a path, or a part of the
/// title that no other episode has.
struct EpisodeReference: Sendable {
  /// How many candidates are named in a message.
  private static let namedCandidates = 5

  private let text: String
  private let paths: Set<String>

  /// Creates a reference.
  ///
  /// - Parameters:
  ///   - text: the name as typed.
  ///   - library: the library's path, as given.
  ///   - folder: the current folder, absolute.
  init(_ text: String, library: String, folder: String) {
    self.text = text
    let root = AbsolutePath.normalized(library, in: folder)
    let path = AbsolutePath.normalized(text, in: folder)
    // The same folder may have been reached by a link.
    let roots = Set([root, AbsolutePath.resolved(root)])
    let candidates = [path, AbsolutePath.resolved(path)]
    var paths: Set<String> = [AbsolutePath.normalized(text, in: "/")]
    for path in candidates {
      for root in roots where path.hasPrefix(root + "/") {
        paths.insert(String(path.dropFirst(root.count)))
      }
    }
    self.paths = paths
  }

  /// The one episode with this name.
  ///
  /// An id, a guid, a path or a complete title has priority over a part of a title; removed
  /// episodes count only if no other one matches.
  /// - Throws: a ``PodgetError`` with the code `notFound` when there is none, or several.
  func episode(among table: inout EpisodeTable) throws(PodgetError) -> LocalEpisode {
    for test in tests {
      let found = test(&table).map { table.episodes[$0] }
      let present = found.filter { $0.status != .removed }
      let meant = present.isEmpty ? found : present
      if meant.count == 1 { return meant[0] }
      if meant.count > 1 { throw Self.ambiguous(text, meant) }
    }
    let episodes = table.episodes
    let shown = AddressRedaction.shown(text)
    if episodes.contains(where: { $0.podcast.shownTitle.lowercased() == text.lowercased() }) {
      throw PodgetError(
        .notFound,
        "\"\(shown)\" is a podcast and no episode; --source with its name and --all mean all of its "
          + "episodes.")
    }
    // restore searches only the removed ones.
    let isAmongRemoved = !episodes.isEmpty && episodes.allSatisfy { $0.status == .removed }
    throw PodgetError(
      .notFound,
      isAmongRemoved
        ? "No removed episode matches \"\(shown)\"; podget list --removed shows what was removed."
        : "The library has no episode \"\(shown)\"; podget list shows what it has.")
  }
}

extension EpisodeReference {
  /// How it is looked up, from the surest way to the last one.
  private var tests: [(inout EpisodeTable) -> [Int]] {
    [
      { $0.named(text) }, { $0.lying(at: paths) }, { $0.titled(text) },
      { $0.titled(withPart: text) },
    ]
  }

  /// The episodes that have the name whole, and not only as a part of the title.
  func exact(in table: inout EpisodeTable) -> [LocalEpisode] {
    for test in tests.dropLast() {
      let found = test(&table)
      if !found.isEmpty { return found.map { table.episodes[$0] } }
    }
    return []
  }

  /// Whether no episode has the name.
  func isNone(in table: inout EpisodeTable) -> Bool {
    tests.allSatisfy { $0(&table).isEmpty }
  }

  private static func ambiguous(_ text: String, _ episodes: [LocalEpisode]) -> PodgetError {
    let names = ListOrder().sorted(episodes).prefix(namedCandidates).map { local in
      let episode = local.episode
      return "\(episode.title) (\(episode.id.map { String($0) } ?? episode.guid ?? local.path))"
    }
    let more = episodes.count > names.count ? " and others" : ""
    return PodgetError(
      .notFound,
      "\"\(AddressRedaction.shown(text))\" matches \(episodes.count) episodes; use an id: "
        + "\(names.joined(separator: ", "))\(more).")
  }
}
