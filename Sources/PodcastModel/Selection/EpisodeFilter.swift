/// Which of a podcast's episodes are wanted.
///
/// An episode must meet every condition that is set. A missing value does not meet a condition: an
/// episode without a date is neither since nor until a day.
public struct EpisodeFilter: Sendable, Hashable {
  /// How many episodes to select, the newest ones, counted after all conditions; nil for all.
  public var limit: Int?
  /// The first day wanted (UTC).
  public var since: CivilDay?
  /// The last day wanted (UTC), all of it.
  public var until: CivilDay?
  /// What a title must match somewhere.
  public var match: TitlePattern?
  /// What a title must not match anywhere.
  public var exclude: TitlePattern?
  /// The shortest duration wanted.
  public var minimumDuration: Duration?
  /// The longest duration wanted.
  public var maximumDuration: Duration?
  /// The only episodes wanted, by track id or guid; empty for any.
  public var episodes: [String]
  /// The type of episode wanted.
  public var kind: Episode.Kind?
  /// The season wanted.
  public var season: Int?

  /// Creates a filter; without conditions and limit everything passes.
  public init(
    limit: Int? = nil, since: CivilDay? = nil, until: CivilDay? = nil,
    match: TitlePattern? = nil, exclude: TitlePattern? = nil,
    minimumDuration: Duration? = nil, maximumDuration: Duration? = nil,
    episodes: [String] = [], kind: Episode.Kind? = nil, season: Int? = nil
  ) {
    self.limit = limit
    self.since = since
    self.until = until
    self.match = match
    self.exclude = exclude
    self.minimumDuration = minimumDuration
    self.maximumDuration = maximumDuration
    self.episodes = episodes
    self.kind = kind
    self.season = season
  }

  /// The wanted episodes, newest first, at most ``limit``.
  public func select(from episodes: some Sequence<Episode>) -> [Episode] {
    let chosen = matching(episodes).newestFirst()
    return limit.map { Array(chosen.prefix(max(0, $0))) } ?? chosen
  }

  /// Every episode that meets the conditions, in the order given, whatever the limit.
  public func matching(_ episodes: some Sequence<Episode>) -> [Episode] {
    matching(episodes) { $0 }
  }

  /// Everything whose episode meets the conditions, in the order given, whatever the limit.
  public func matching<Element>(
    _ elements: some Sequence<Element>, episode: (Element) -> Episode
  ) -> [Element] {
    var unconditional = EpisodeFilter()
    unconditional.limit = limit
    if self == unconditional { return Array(elements) }
    let wanted = Set(self.episodes)
    let matches = match?.test()
    let excludes = exclude?.test()
    return elements.filter { element in
      let episode = episode(element)
      return (wanted.isEmpty || !wanted.isDisjoint(with: Self.names(of: episode)))
        && (kind == nil || episode.kind == kind) && (season == nil || episode.season == season)
        && liesInDays(episode) && lastsAsWanted(episode)
        && matches?(episode.title) != false && excludes?(episode.title) != true
    }
  }

  /// Whether the newest episodes of a podcast have all that can be wanted: older ones need not be
  /// read.
  package func isSatisfied(byNewest episodes: [Episode]) -> Bool {
    if !self.episodes.isEmpty { return unknownEpisodes(among: episodes).isEmpty }
    if let limit, select(from: episodes).count >= limit { return true }
    // Older episodes cannot be wanted. One old date, as of a trailer that stays on top, says nothing.
    guard let since else { return false }
    let last = episodes.suffix(5).map { $0.date.map { CivilDay($0) < since } ?? false }
    return !last.isEmpty && last.allSatisfy(\.self)
  }

  /// Those of the ``episodes`` named that are not among the ones given.
  public func unknownEpisodes(among episodes: some Sequence<Episode>) -> [String] {
    guard !self.episodes.isEmpty else { return [] }
    let known = Set(episodes.lazy.flatMap(Self.names))
    return self.episodes.filter { !known.contains($0) }
  }
}

extension EpisodeFilter {
  private static func names(of episode: Episode) -> [String] {
    [episode.id.map { String($0) }, episode.guid].compactMap(\.self)
  }

  private func liesInDays(_ episode: Episode) -> Bool {
    guard since != nil || until != nil else { return true }
    guard let date = episode.date else { return false }
    let day = CivilDay(date)
    return since.map { day >= $0 } != false && until.map { day <= $0 } != false
  }

  private func lastsAsWanted(_ episode: Episode) -> Bool {
    guard minimumDuration != nil || maximumDuration != nil else { return true }
    guard let duration = episode.duration else { return false }
    return minimumDuration.map { duration >= $0 } != false
      && maximumDuration.map { duration <= $0 } != false
  }
}
