import Glibc
import PodcastKit

/// Chooses among the library's episodes what command lines name; what means nothing is a failure,
/// and then nothing is done.
struct LibrarySelection: Sendable {
  let output: ListingOutput
  /// The library's path, as given.
  let library: String

  /// The episodes of the sources; all where the names are nil.
  func episodes(of names: [String]?, among episodes: [LocalEpisode]) throws -> [LocalEpisode] {
    guard let names else { return episodes }
    let sources = try sources(names) { source in
      episodes.contains { source.names($0) }
    }
    return episodes.filter { episode in sources.contains { $0.names(episode) } }
  }

  /// What the names mean; a name of which the library has nothing is a failure.
  func sources(_ names: [String], isKnown: (Source) -> Bool) throws -> [Source] {
    var sources: [Source] = []
    var errors: [PodgetError] = []
    for name in names {
      do throws(PodgetError) {
        let source = try Source.parse(name)
        guard isKnown(source) else {
          throw PodgetError(.notFound, "The library has no episode of it; podget list shows all.")
        }
        sources.append(source)
      } catch {
        errors.append(PodgetError(error.code, "\(name): \(error.sentence)"))
      }
    }
    try output.require(noneOf: errors)
    return sources
  }

  /// The episodes that are named, each once.
  func episodes(
    _ arguments: EpisodeArguments, among episodes: [LocalEpisode]
  ) async throws -> [LocalEpisode] {
    let sources = arguments.sources.isEmpty ? nil : arguments.sources
    let among = try self.episodes(of: sources, among: episodes)
    let folder = Self.currentFolder
    var table = EpisodeTable(among)
    var found: [LocalEpisode] = []
    var seen: Set<String> = []
    var errors: [PodgetError] = []
    for name in try await SourceArguments.expanded(arguments.episodes) ?? [] {
      do throws(PodgetError) {
        let reference = EpisodeReference(name, library: library, folder: folder)
        let episode = try reference.episode(among: &table)
        if seen.insert(episode.key).inserted { found.append(episode) }
      } catch {
        errors.append(error)
      }
    }
    try output.require(noneOf: errors)
    return found
  }

  /// The library, which must be there.
  func open() throws(PodgetError) -> Library {
    guard let library = try Library.open(library, creating: false) else {
      throw PodgetError(
        .notFound, "There is no library \(library) yet; podget download makes it.")
    }
    return library
  }

  private static var currentFolder: String {
    guard let path = getcwd(nil, 0) else { return "/" }
    defer { free(path) }
    return String(cString: path)
  }
}
