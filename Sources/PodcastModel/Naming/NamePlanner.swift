/// Gives each episode its name, free of clashes, before the first byte moves.
///
/// Names depend on the whole list and on what is recorded, never on the order of the list or on
/// which of its episodes are chosen.
package struct NamePlanner: Sendable {
  private let template: FilenameTemplate

  /// Makes a planner that names by a template.
  package init(template: FilenameTemplate = .standard) {
    self.template = template
  }

  /// The plans of the chosen episodes, in their order, one for each identity.
  ///
  /// A name that is recorded for an episode stays. Episodes of the list whose names clash all get a
  /// suffix made from their identity; so does an episode whose name a foreign file or another
  /// episode's record has.
  ///
  /// - Parameters:
  ///   - podcast: the podcast of all the episodes.
  ///   - episodes: the episodes to plan.
  ///   - all: every episode that the source listed, to which the chosen ones may but need not belong.
  ///   - keys: the keys of the listed episodes.
  ///   - taken: the names that are not free.
  package func plans(
    for podcast: Podcast, episodes: [Episode], among all: [Episode],
    keys: EpisodeKeys = EpisodeKeys(), taken: TakenNames
  ) -> [DownloadPlan] {
    let wanted = wantedNames(podcast, all + episodes, keys)
    let names = settled(wanted, taken: taken)
    var planned: Set<String> = []
    return episodes.compactMap { episode in
      let key = keys.key(podcast: podcast, episode: episode)
      // Templates and keys make nothing else; were it otherwise, nothing may be written there.
      guard let name = names[key], planned.insert(key).inserted,
        let episodeKey = EpisodeKey(key),
        let file = PlannedFile(
          folder: name.folder, stem: name.stem,
          fileExtension: FileExtension.announced(for: episode.enclosure))
      else { return nil }
      return DownloadPlan(key: episodeKey, podcast: podcast, episode: episode, file: file)
    }
  }

  /// The new names of episodes that are on the disk already, free of clashes, by their keys.
  ///
  /// - Parameters:
  ///   - wanted: what the template makes of them.
  ///   - taken: the names that are not free; those of the episodes themselves do not count.
  package func names(
    _ wanted: [String: FilenameTemplate.Name], taken: TakenNames
  ) -> [String: FilenameTemplate.Name] {
    settled(
      wanted.mapValues { Name(folder: $0.folder, stem: $0.stem) },
      taken: taken.releasing(Set(wanted.keys))
    ).mapValues { ($0.folder, $0.stem) }
  }
}

extension NamePlanner {
  private struct Name {
    let folder: String
    let stem: String
    let comparable: ComparableName

    init(folder: String, stem: String) {
      self.folder = folder
      self.stem = stem
      self.comparable = ComparableName(folder: folder, name: stem)
    }

    func suffixed(_ suffix: String) -> Name {
      Name(folder: folder, stem: "\(stem) [\(suffix)]")
    }
  }

  /// What the template makes of each identity. A guid may be listed twice with different titles;
  /// the least name is taken, since the order must not matter.
  private func wantedNames(
    _ podcast: Podcast, _ episodes: [Episode], _ keys: EpisodeKeys
  ) -> [String: Name] {
    var names: [String: Name] = [:]
    for episode in episodes {
      let (folder, stem) = template.components(podcast: podcast, episode: episode)
      let key = keys.key(podcast: podcast, episode: episode)
      if let other = names[key], other.stem <= stem { continue }
      names[key] = Name(folder: folder, stem: stem)
    }
    return names
  }

  private func settled(_ wanted: [String: Name], taken: TakenNames) -> [String: Name] {
    var names: [String: Name] = [:]
    var used: Set<ComparableName> = []
    func settle(_ key: String, _ name: Name) {
      names[key] = name
      used.insert(name.comparable)
    }
    for key in wanted.keys {
      if let (folder, stem) = taken.recorded(key) { settle(key, Name(folder: folder, stem: stem)) }
    }
    var pending = wanted.filter { names[$0.key] == nil }

    // Recorded episodes count here too: whoever shares a title gets a suffix, whether the other
    // was fetched in this run or in an earlier one.
    let claims = wanted.values.reduce(into: [ComparableName: Int]()) {
      $0[$1.comparable, default: 0] += 1
    }
    for (key, name) in pending where claims[name.comparable] == 1 {
      guard taken.isFree(name.comparable, for: key) else { continue }
      guard !used.contains(name.comparable) else { continue }
      settle(key, name)
      pending[key] = nil
    }

    for length in [6, 8, 12, 16, 24, 32] where !pending.isEmpty {
      let candidates = pending.map { key, name in
        (key: key, name: name.suffixed(EpisodeIdentity.suffix(key, length: length)))
      }
      let claims = candidates.reduce(into: [ComparableName: Int]()) {
        $0[$1.name.comparable, default: 0] += 1
      }
      let before = used
      for (key, name) in candidates
      where claims[name.comparable] == 1 && !before.contains(name.comparable)
        && taken.isFree(name.comparable, for: key)
      {
        settle(key, name)
        pending[key] = nil
      }
    }

    // Only files named on purpose can be in the way of a whole key.
    for (key, name) in pending {
      var number = 2
      var candidate = name.suffixed("\(key)-\(number)")
      while !taken.isFree(candidate.comparable, for: key) {
        number += 1
        candidate = name.suffixed("\(key)-\(number)")
      }
      settle(key, candidate)
    }
    return names
  }
}
