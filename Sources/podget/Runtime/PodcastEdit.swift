import PodcastKit

/// What `edit` does to a podcast.
struct PodcastEdit: Sendable {
  /// What a person says.
  enum Change: Sendable {
    /// The title, the folder, or both.
    case correct(PodcastCorrection)
    /// All corrections are taken back.
    case undo
  }

  let change: Change
  let podcast: NamedPodcast
  let named: NamedPodcasts
  let library: Library
  let reading: LibraryReading
  /// The library's path, as given.
  let path: String
  /// How the files of the podcast are named.
  let template: FilenameTemplate
  let output: ListingOutput
  let isDryRun: Bool

  func run(in context: CommandContext) throws {
    guard let key = named.facts.wholeKey(of: podcast) else { throw PodgetError.noEpisode }
    // The settings that count are those of the whole.
    if let own = named.facts.key(for: podcast.podcasts), own != key {
      throw PodgetError(
        .notFound,
        "It is a part of \(named.facts.corrected(podcast.podcast).shownTitle), by podget merge; edit "
          + "that podcast.", of: podcast.name)
    }
    switch change {
    case .correct(let correction):
      guard let folder = correction.folder else {
        guard !isDryRun else { return }
        try say(correction, moves: nil, of: key)
        return try write()
      }
      try move(to: folder, correction, of: key, in: context)
    case .undo: try undo(of: key, in: context)
    }
  }
}

extension PodcastEdit {
  /// The episodes of the podcast, and of those that are parts of it.
  private var episodes: [LocalEpisode] {
    get throws {
      let podcasts = try LibrarySelection(output: output, library: path).podcasts(
        of: reading.episodes)
      let own = podcasts.key(of: podcast.podcast)
      return reading.episodes.filter { podcasts.key(of: $0.podcast) == own }
    }
  }

  /// Records what a person says.
  ///
  /// - Parameter moves: a list of files that are about to move.
  private func say(
    _ correction: PodcastCorrection, moves: String?, of key: EpisodeKey
  ) throws(PodgetError) {
    let facts = named.facts
    // The descriptions of a part are not those of the whole.
    let isWhole = facts.key(for: podcast.podcasts) == key
    var line = PodcastFact(key, names: isWhole ? podcast.podcasts : [])
    if let title = correction.title { line.title = PodcastFact.Said(title) }
    if let folder = correction.folder { line.folder = PodcastFact.Said(folder) }
    if let moves {
      let all = facts.moves(of: key) + [moves]
      line.moves = PodcastFact.Said(Array(all.suffix(PodcastFact.mostNames)))
    }
    try library.say([line], after: facts)
  }

  /// Says again what was true before.
  private func takeBack(of key: EpisodeKey) throws(PodgetError) {
    let before = named.facts.correction(of: key)
    var line = PodcastFact(key, names: [])
    line.title = PodcastFact.Said(before.title)
    line.folder = PodcastFact.Said(before.folder)
    let moves = named.facts.moves(of: key)
    line.moves = PodcastFact.Said(moves.isEmpty ? nil : moves)
    try library.say([line], after: try library.podcastFacts())
  }

  private func move(
    to folder: String, _ correction: PodcastCorrection, of key: EpisodeKey,
    in context: CommandContext
  ) throws {
    if let subscription = podcast.subscription, subscription.settings[.folder] != nil {
      throw PodgetError(
        .notFound,
        "The folder of \(subscription.name) is a setting of its subscription, which podget subscribe "
          + "--folder changes.", of: podcast.name)
    }
    guard template.hasPodcastFolder else {
      throw PodgetError(
        .notFound,
        "The template has no {podcast} in the name of a folder, so podcasts have no folders of their "
          + "own.", of: podcast.name)
    }
    guard !AbsolutePath.exists("\(path)/\(folder)") || AbsolutePath.exists("\(path)/\(folder)/.")
    else {
      throw PodgetError(.disk, "\(path)/\(folder) is no folder.", of: podcast.name)
    }
    let files = FileMoves(library: library, path: path, reading: reading, output: output)
    let unfinished = library.unfinishedKeys
    let moved = try episodes.map { local in
      var podcast = local.podcast
      podcast.correction.folder = folder
      return local.with(podcast)
    }
    let moves = try library.moves(to: template, of: moved, in: reading, keepsNames: true)
    files.noteUnfinished(moved.count { $0.isUnfinished(among: unfinished) })
    if isDryRun { return try files.explain(moves, json: { try write(moves) }) }
    guard !moves.isEmpty else {
      try say(correction, moves: nil, of: key)
      return try write()
    }
    // New downloads go to the folder from now on; a killed run is finished by the same command.
    try files.perform(moves, in: context) { list throws(PodgetError) in
      try say(correction, moves: list, of: key)
    } takingBack: { () throws(PodgetError) in
      try takeBack(of: key)
    } json: {
      try write()
    }
  }

  /// Moves the files back that are where the edits put them, the last edit first, and takes back what
  /// was said.
  private func undo(of key: EpisodeKey, in context: CommandContext) throws {
    guard
      named.facts.correction(of: key) != PodcastCorrection() || !named.facts.moves(of: key).isEmpty
    else { throw PodgetError(.notFound, "It has no corrections to take back.", of: podcast.name) }
    var reading = reading
    for list in named.facts.moves(of: key).reversed() {
      let file = "\(path)/\(list)"
      // Who deletes the list keeps the files where they are.
      guard AbsolutePath.exists(file) else { continue }
      let undoing = try library.undoing(file, among: reading.episodes)
      guard !undoing.moves.isEmpty else { continue }
      let files = FileMoves(library: library, path: path, reading: reading, output: output)
      if isDryRun { return try files.explain(undoing.moves, json: { try write(undoing.moves) }) }
      try files.perform(undoing.moves, in: context, json: {})
      reading = library.reading()
    }
    guard !isDryRun else {
      return try FileMoves(library: library, path: path, reading: reading, output: output)
        .explain([], json: { try write([]) })
    }
    var line = PodcastFact(key, names: [])
    line.title = PodcastFact.Said(nil)
    line.folder = PodcastFact.Said(nil)
    line.moves = PodcastFact.Said(nil)
    try library.say([line], after: named.facts)
    try write()
  }

  /// Writes the episodes, as they are, whose files would move.
  private func write(_ moves: [FileMove]) throws {
    let keys = Set(moves.map(\.key.text))
    try output.write(
      reading.episodes.filter { keys.contains($0.key) }.map { JSONForms.localEpisode($0) },
      lines: [])
  }

  /// Writes the podcast, or its episodes as JSON, as they are now.
  private func write() throws {
    let facts = try library.podcastFacts()
    var now = library.withPlanned(library.reading()).episodes
    let keys = Set(try episodes.map(\.key))
    now = now.filter { keys.contains($0.key) }
    facts.correct(&now)
    try output.writeResults {
      try output.write(
        now.map { JSONForms.localEpisode($0) },
        lines: [
          ResultLine(verb: "edited", name: facts.corrected(podcast.podcast).shownTitle)
        ])
    }
  }
}
