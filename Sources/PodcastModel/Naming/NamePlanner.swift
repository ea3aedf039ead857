/// Gives each episode its unique name, before the first byte moves.
///
/// Names depend on the complete list and on the recorded names, never on the order of the list or
/// on which of its episodes are chosen.
package struct NamePlanner: Sendable {
  private let template: FilenameTemplate

  /// Creates a planner for a template.
  package init(template: FilenameTemplate = .standard) {
    self.template = template
  }

  /// The plans of the chosen episodes, in their order, one for each identity.
  ///
  /// A name that is recorded for an episode stays. Episodes of the list whose names conflict all
  /// get a suffix from their identity; so does an episode whose name a foreign file or another
  /// episode's record has.
  ///
  /// - Parameters:
  ///   - podcast: the podcast of all the episodes.
  ///   - named: the same as names have it, if that differs.
  ///   - episodes: the episodes to plan.
  ///   - all: every episode that the source listed, usually including the chosen ones.
  ///   - keys: the keys of the listed episodes.
  ///   - folders: how folders are spelled, by their names from the template.
  ///   - taken: the names that are not free.
  package func plans(
    for podcast: Podcast, named: Podcast? = nil, episodes: [Episode], among all: [Episode],
    keys: EpisodeKeys = EpisodeKeys(), folders: [String: String] = [:], taken: TakenNames
  ) -> [DownloadPlan] {
    let wanted = wantedNames(podcast, named ?? podcast, all + episodes, keys, folders)
    let names = Dictionary(
      uniqueKeysWithValues: zip(wanted.keys, settled(wanted.map { ($0, $1) }, taken: taken)))
    var planned: Set<String> = []
    return episodes.compactMap { episode in
      let key = keys.key(podcast: podcast, episode: episode)
      // Templates and keys create nothing else; if they did, nothing must be written there.
      guard let name = names[key], planned.insert(key).inserted,
        let episodeKey = EpisodeKey(key),
        let file = PlannedFile(
          folder: name.folder, stem: name.stem,
          fileExtension: FileExtension.announced(for: episode.enclosure))
      else { return nil }
      return DownloadPlan(key: episodeKey, podcast: podcast, episode: episode, file: file)
    }
  }

  /// The new, unique names of episodes that are already on the disk, in their order.
  ///
  /// - Parameters:
  ///   - wanted: the keys, each once, and the names by the template.
  ///   - taken: the names that are not free; none of the episodes themselves.
  package func names(
    _ wanted: [(key: String, name: FilenameTemplate.Name)], taken: TakenNames
  ) -> [FilenameTemplate.Name] {
    var folder: (text: String, comparable: String)?
    let claims = wanted.map { key, name in
      if folder?.text != name.folder {
        folder = (name.folder, FileName.comparisonKey(name.folder))
      }
      return (
        key: key,
        name: Name(
          folder: name.folder, stem: name.stem, comparableFolder: folder?.comparable ?? "")
      )
    }
    return settled(claims, taken: taken).map { ($0.folder, $0.stem) }
  }
}

extension NamePlanner {
  private struct Name {
    let folder: String
    let stem: String
    let comparableFolder: String
    let comparable: ComparableName

    init(folder: String, stem: String, comparableFolder: String? = nil) {
      self.folder = folder
      self.stem = stem
      self.comparableFolder = comparableFolder ?? FileName.comparisonKey(folder)
      comparable = ComparableName(comparableFolder: self.comparableFolder, name: stem)
    }

    func suffixed(_ suffix: String) -> Name {
      Name(folder: folder, stem: "\(stem) [\(suffix)]", comparableFolder: comparableFolder)
    }
  }

  /// The name of each identity by the template. A guid may be listed twice with different titles;
  /// the smallest name is used, because the order must not matter.
  private func wantedNames(
    _ podcast: Podcast, _ named: Podcast, _ episodes: [Episode], _ keys: EpisodeKeys,
    _ folders: [String: String]
  ) -> [String: Name] {
    var names: [String: Name] = [:]
    for episode in episodes {
      let (folder, stem) = template.components(podcast: named, episode: episode)
      let key = keys.key(podcast: podcast, episode: episode)
      if let other = names[key], other.stem <= stem { continue }
      names[key] = Name(folder: folders[folder] ?? folder, stem: stem)
    }
    return names
  }

  /// The final names, in the order of the requests.
  private func settled(_ wanted: [(key: String, name: Name)], taken: TakenNames) -> [Name] {
    var names: [Name?] = wanted.map { key, _ in
      taken.recorded(key).map { Name(folder: $0.folder, stem: $0.stem) }
    }
    var used = Set(names.lazy.compactMap { $0?.comparable })
    var pending = wanted.indices.filter { names[$0] == nil }

    // Recorded episodes count here too: an episode with the same title gets a suffix, whether the
    // other was downloaded in this run or in an earlier one.
    var claims: [ComparableName: Int] = [:]
    for (_, name) in wanted { claims[name.comparable, default: 0] += 1 }
    pending.removeAll { place in
      let (key, name) = wanted[place]
      guard claims[name.comparable] == 1, !used.contains(name.comparable),
        taken.isFree(name.comparable, for: key)
      else { return false }
      names[place] = name
      used.insert(name.comparable)
      return true
    }

    for length in [6, 8, 12, 16, 24, 32] where !pending.isEmpty {
      let candidates = pending.map { place in
        wanted[place].name.suffixed(EpisodeIdentity.suffix(wanted[place].key, length: length))
      }
      claims = [:]
      for name in candidates { claims[name.comparable, default: 0] += 1 }
      var rest: [Int] = []
      // Each is the only one with its name, so the order does not matter.
      for (place, name) in zip(pending, candidates) {
        guard claims[name.comparable] == 1, !used.contains(name.comparable),
          taken.isFree(name.comparable, for: wanted[place].key)
        else {
          rest.append(place)
          continue
        }
        names[place] = name
        used.insert(name.comparable)
      }
      pending = rest
    }

    // Only files that were named on purpose can conflict with a complete key.
    for place in pending {
      let (key, name) = wanted[place]
      var number = 2
      var candidate = name.suffixed("\(key)-\(number)")
      while !taken.isFree(candidate.comparable, for: key) {
        number += 1
        candidate = name.suffixed("\(key)-\(number)")
      }
      names[place] = candidate
    }
    return zip(names, wanted).map { $0 ?? $1.name }
  }
}
