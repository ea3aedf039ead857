import PodcastKit

/// Selects the episodes of the library that command lines name; an unknown name is a failure, and
/// then nothing is done.
struct LibrarySelection: Sendable {
  let output: ListingOutput
  /// The library's path, as given.
  let library: String
  /// Whether the command changes nothing, so that a title may mean several podcasts.
  var onlyReads = false

  /// The episodes of the sources; all if there are no names.
  func episodes(of names: [String]?, among episodes: [LocalEpisode]) throws -> [LocalEpisode] {
    guard let names else { return episodes }
    return try chosen(names, among: episodes, podcast: \.podcast) { $0.places(of: $1) }
  }

  /// The elements that the names mean; a name without any element is a failure, and so is a title of
  /// several podcasts, unless the command only reads.
  ///
  /// - Parameter places: the positions of the sources that mean an element.
  func chosen<Element>(
    _ names: [String], among elements: [Element], podcast: (Element) -> Podcast,
    places: (SourceTable, Element) -> [Int]
  ) throws -> [Element] {
    let sources = try LibrarySources(
      names, in: try Library.open(library, creating: false), warn: output.warn)
    let table = sources.table(of: elements.lazy.map(podcast))
    var known: Set<Int> = []
    var leftOut: [LibraryPodcasts.Key: Int] = [:]
    let chosen = elements.filter { element in
      let places = places(table, element)
      known.formUnion(places)
      if places.isEmpty, !table.namesakes.isEmpty {
        let key = table.podcasts.key(of: podcast(element))
        if table.namesakes[key] != nil { leftOut[key, default: 0] += 1 }
      }
      return !places.isEmpty
    }
    for (key, count) in leftOut.sorted(by: { $0.key.text < $1.key.text }) {
      let name = AddressRedaction.shown(names[table.namesakes[key]?.first ?? 0])
      output.note(
        "\(name): \(EventText.episodes(count)) of another podcast with its title "
          + "\(count == 1 ? "is" : "are") left out: \(table.podcasts.name(of: key)).")
    }
    var errors: [PodgetError] = []
    for (place, name) in names.enumerated() {
      do throws(PodgetError) {
        _ = try sources.meanings[place].get()
        guard known.contains(place) else {
          throw PodgetError.noEpisode
        }
        guard let ambiguity = table.ambiguity(at: place) else { continue }
        guard onlyReads else { throw ambiguity }
        output.note("\(AddressRedaction.shown(name)): \(ambiguity.sentence)")
      } catch {
        errors.append(PodgetError(error.code, error.sentence, of: name))
      }
    }
    try output.require(noneOf: errors)
    return chosen
  }

  /// Identifies the podcasts of episodes. Without the file of the subscriptions, fewer records are
  /// known to be of one podcast.
  func podcasts(of episodes: [LocalEpisode]) throws -> LibraryPodcasts {
    let sources = try LibrarySources([], in: try Library.open(library, creating: false))
    return LibraryPodcasts(
      episodes.lazy.map(\.podcast), subscriptions: sources.subscriptions, facts: sources.facts)
  }

  /// The named episodes, each once; `-` has been replaced in the arguments.
  ///
  /// - Parameter areRemoved: whether removed episodes are meant first; a whole podcast then has no
  ///   others.
  func episodes(
    _ arguments: EpisodeArguments, among episodes: [LocalEpisode], areRemoved: Bool = false
  ) throws -> [LocalEpisode] {
    let sources = arguments.sources.isEmpty ? nil : arguments.sources
    let among = try self.episodes(of: sources, among: episodes)
    if arguments.all { return among.filter { ($0.status == .removed) == areRemoved } }
    let folder = AbsolutePath.currentFolder
    var table = EpisodeTable(among)
    var removed = areRemoved ? EpisodeTable(among.filter { $0.status == .removed }) : nil
    var found: [LocalEpisode] = []
    var seen: Set<String> = []
    var errors: [PodgetError] = []
    for name in arguments.episodes {
      do throws(PodgetError) {
        let reference = EpisodeReference(name, library: library, folder: folder)
        let episode = try Self.episode(reference, first: &removed, then: &table)
        if seen.insert(episode.key).inserted { found.append(episode) }
      } catch {
        errors.append(error)
      }
    }
    try output.require(noneOf: errors)
    return found
  }

  /// The episode with a name: among the first ones if they have it, otherwise among the others.
  private static func episode(
    _ reference: EpisodeReference, first: inout EpisodeTable?, then others: inout EpisodeTable
  ) throws(PodgetError) -> LocalEpisode {
    guard var table = first else { return try reference.episode(among: &others) }
    defer { first = table }
    do throws(PodgetError) {
      return try reference.episode(among: &table)
    } catch {
      // An ambiguous name stays one.
      guard reference.isNone(in: &table), let other = try? reference.episode(among: &others) else {
        throw error
      }
      return other
    }
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
