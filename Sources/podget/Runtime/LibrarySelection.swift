import PodcastKit

/// Selects the episodes of the library that command lines name; an unknown name is a failure, and
/// then nothing is done.
struct LibrarySelection: Sendable {
  let output: ListingOutput
  /// The library's path, as given.
  let library: String

  /// The episodes of the sources; all if there are no names.
  func episodes(of names: [String]?, among episodes: [LocalEpisode]) throws -> [LocalEpisode] {
    guard let names else { return episodes }
    return try chosen(names, among: episodes) { $0.places(of: $1) }
  }

  /// The elements that the names mean; a name without any element is a failure.
  ///
  /// - Parameter places: the positions of the sources that mean an element.
  func chosen<Element>(
    _ names: [String], among elements: [Element], places: (SourceTable, Element) -> [Int]
  ) throws -> [Element] {
    let subscribed = try SubscribedSources(
      names, in: try Library.open(library, creating: false), warn: output.warn)
    let sources = subscribed.titles.map { name in
      Result { () throws(PodgetError) in try Source.parse(name) }
    }
    // A source that cannot be parsed means nothing.
    let table = SourceTable(sources.map { (try? $0.get()) ?? .standardInput })
    var known: Set<Int> = []
    let chosen = elements.filter { element in
      let places = places(table, element)
      known.formUnion(places)
      return !places.isEmpty
    }
    var errors: [PodgetError] = []
    for (place, name) in names.enumerated() {
      do throws(PodgetError) {
        _ = try sources[place].get()
        guard known.contains(place) else {
          throw PodgetError(
            .notFound, "The library has no episode of this podcast; podget list shows all.")
        }
      } catch {
        errors.append(PodgetError(error.code, "\(name): \(error.sentence)"))
      }
    }
    try output.require(noneOf: errors)
    return chosen
  }

  /// The named episodes, each once; `-` has been replaced in the arguments.
  func episodes(
    _ arguments: EpisodeArguments, among episodes: [LocalEpisode]
  ) throws -> [LocalEpisode] {
    let sources = arguments.sources.isEmpty ? nil : arguments.sources
    let among = try self.episodes(of: sources, among: episodes)
    let folder = AbsolutePath.currentFolder
    var table = EpisodeTable(among)
    var found: [LocalEpisode] = []
    var seen: Set<String> = []
    var errors: [PodgetError] = []
    for name in arguments.episodes {
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

  /// The library, which must exist.
  func open() throws(PodgetError) -> Library {
    guard let library = try Library.open(library, creating: false) else {
      throw PodgetError(
        .notFound, "There is no library \(library) yet; podget download creates it.")
    }
    return library
  }
}
