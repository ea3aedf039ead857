/// Finds the local episode that a listed one is, whatever the publisher changed about it since.
public struct LibraryIndex: Sendable {
  private var byKey: [String: LocalEpisode] = [:]
  private var byAlias: [String: [String]] = [:]

  /// Indexes the episodes that are complete or were.
  public init(_ episodes: [LocalEpisode]) {
    for episode in episodes {
      byKey[episode.plan.key] = episode
      for alias in Self.aliases(episode.plan.episode) {
        byAlias[alias, default: []].append(episode.plan.key)
      }
    }
  }

  /// The local episode for a plan: by its key, else by what identifies it within its podcast.
  public func local(for plan: DownloadPlan) -> LocalEpisode? {
    if let local = byKey[plan.key] { return local }
    for alias in Self.aliases(plan.episode) {
      for key in byAlias[alias] ?? [] {
        guard let local = byKey[key], Self.isSamePodcast(local.plan.podcast, plan.podcast),
          EpisodeIdentity.isSame(local.plan.episode, plan.episode)
        else { continue }
        return local
      }
    }
    return nil
  }

  private static func isSamePodcast(_ first: Podcast, _ second: Podcast) -> Bool {
    if let one = first.id, let other = second.id { return one == other }
    if let one = first.feedURL, let other = second.feedURL { return one == other }
    return first.title == second.title
  }

  private static func aliases(_ episode: Episode) -> [String] {
    var aliases: [String] = []
    if let guid = episode.guid { aliases.append("guid \(guid)") }
    if let id = episode.id { aliases.append("id \(id)") }
    aliases.append("url \(episode.enclosure.url.prefix { $0 != "?" && $0 != "#" })")
    return aliases
  }
}
