import PodcastKit

/// The episodes of a library by their possible names; each table is created on first use.
struct EpisodeTable {
  /// The episodes; the tables contain their positions.
  let episodes: [LocalEpisode]
  private var byName: [String: [Int]]?
  private var byPath: [String: [Int]]?
  private var byTitle: [String: [Int]]?

  /// Makes tables of episodes.
  init(_ episodes: [LocalEpisode]) { self.episodes = episodes }

  /// Those with this text as track id or guid.
  mutating func named(_ text: String) -> [Int] {
    let table =
      byName
      ?? places { local in
        let episode = local.episode
        return [episode.id.map { String($0) }, episode.guid].compactMap { $0 }
      }
    byName = table
    return table[text] ?? []
  }

  /// Those whose paths below the library, which begin with a slash here, are in the set.
  mutating func lying(at paths: Set<String>) -> [Int] {
    let table = byPath ?? places { ["/\($0.path)"] }
    byPath = table
    return paths.flatMap { table[$0] ?? [] }.sorted()
  }

  /// Those with this title; case and punctuation are ignored.
  mutating func titled(_ text: String) -> [Int] {
    titles()[FileName.comparisonKey(text)] ?? []
  }

  /// Those whose titles contain a text.
  mutating func titled(withPart text: String) -> [Int] {
    let wanted = FileName.comparisonKey(text)
    guard !wanted.isEmpty else { return [] }
    return titles().filter { $0.key.contains(wanted) }.flatMap(\.value).sorted()
  }

  private mutating func titles() -> [String: [Int]] {
    let table = byTitle ?? places { [FileName.comparisonKey($0.title)] }
    byTitle = table
    return table
  }

  private func places(_ names: (LocalEpisode) -> [String]) -> [String: [Int]] {
    var places: [String: [Int]] = [:]
    for (place, episode) in episodes.enumerated() {
      for name in Set(names(episode)) { places[name, default: []].append(place) }
    }
    return places
  }
}
