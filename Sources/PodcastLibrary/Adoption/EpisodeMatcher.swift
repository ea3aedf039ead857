import FoundationEssentials
package import PodcastModel

/// Finds out which listed episode a file of another tool is.
///
/// Nothing is guessed: a file has one episode that matches and that nothing contradicts, or none.
package struct EpisodeMatcher: Sendable {
  /// An episode with its podcast.
  package struct Match: Sendable, Hashable {
    /// The key that it has or will have.
    package var key: String
    /// The podcast.
    package var podcast: Podcast
    /// The episode.
    package var episode: Episode
    /// The quality of the match, from 0 on, smaller is better: if two files are the same episode,
    /// the better match is adopted.
    package var rank = 0
    /// Whether a source lists the episode.
    package var isListed = true
  }

  /// The verdict on a file.
  package enum Verdict: Sendable, Hashable {
    /// It is this episode.
    case certain(Match)
    /// It may be any of these, and perhaps others.
    case ambiguous([Match])
    /// It is none; the sentence says why, without the name of the file.
    case unknown(String)
  }

  private let all: EpisodeCandidates
  private var byPodcast: [String: EpisodeCandidates] = [:]

  /// Creates a matcher for the listings of sources, as far as the library knows them.
  package init(_ listings: [IdentifiedListing]) {
    let entries = listings.flatMap { identified in
      let (listing, keys) = (identified.listing, identified.keys)
      let podcast = Self.comparable(listing.podcast.title)
      return listing.episodes.map { episode in
        EpisodeCandidates.Entry(
          match: Match(
            key: keys.key(podcast: listing.podcast, episode: episode), podcast: listing.podcast,
            episode: episode),
          podcast: podcast)
      }
    }
    all = EpisodeCandidates(entries)
    byPodcast = Dictionary(grouping: entries, by: \.podcast).mapValues(EpisodeCandidates.init)
  }

  /// The verdict on a file.
  package func verdict(on file: FoundFile) -> Verdict {
    guard !all.isEmpty else { return .unknown("No podcast is known for it; name its source.") }
    if let named = all.named(by: file) { return named }
    let podcast = podcast(of: file)
    var reason: String?
    for rung in (podcast.entries ?? all).rungs(file) where !rung.entries.isEmpty {
      let agreeing = rung.entries.filter { $0.agrees(with: file) }
      guard !agreeing.isEmpty else {
        reason = reason ?? "The title matches an episode of another date or length."
        continue
      }
      let dated = agreeing.filter { $0.distance(to: file) != nil }
      let onDay = dated.filter { $0.distance(to: file) == 0 }
      // If tags name another podcast, the day must prove that they are wrong.
      let isWeak = podcast.entries == nil && (rung.isCommon || podcast.other != nil)
      guard !isWeak || !dated.isEmpty && rung.isTitle else {
        reason =
          podcast.other.map { "Its tags name a podcast that no source lists: \($0)." }
          ?? "Its name alone does not identify the podcast."
        continue
      }
      let likely = isWeak ? (onDay.isEmpty ? dated : onDay) : onDay.isEmpty ? agreeing : onDay
      return Self.settled(likely, rank: rung.rank * 2 + (dated.isEmpty ? 1 : 0))
    }
    return .unknown(reason ?? "No listed episode has its title or its name.")
  }
}

extension EpisodeMatcher {
  /// The episode that a file says it is, and that its podcast does not list any more; nil if it does not
  /// say enough, or if a listed episode has its title or its name.
  ///
  /// Its podcast must be one that a source lists, by its tags or its folder.
  ///
  /// - Parameter takesNames: whether the name of the file is enough for a title, without a guid and a day.
  package func unlisted(_ file: FoundFile, takesNames: Bool) -> (
    podcast: Podcast, episode: Episode
  )? {
    guard let own = podcast(of: file).entries, let podcast = own.podcast,
      own.rungs(file).allSatisfy(\.entries.isEmpty)
    else { return nil }
    let guids = Set([file.tags.guid].compactMap(\.self) + (file.sidecar?.guids ?? []))
    let days = file.days
    // What contradicts itself says nothing.
    guard guids.count <= 1, days.count <= 1 else { return nil }
    var title = file.sidecar?.title ?? file.tags.title
    if takesNames, title == nil { title = file.titles.last }
    let address = file.sidecar?.enclosure.flatMap { WebAddress($0) == nil ? nil : $0 }
    // Tools write times of their own. Where nothing else is certain, the day is: if a feed lists the
    // episode again, it is the same one.
    let isDayOnly = guids.isEmpty && address == nil
    let date =
      (isDayOnly ? nil : file.sidecar?.date)
      ?? days.first.map {
        Date(timeIntervalSince1970: Double($0.daysSince1970) * 86_400)
      }
    guard let title, !Self.comparable(title).isEmpty,
      takesNames || !guids.isEmpty || date != nil
    else { return nil }
    return (
      podcast,
      Episode(
        // A file may say any amount.
        guid: guids.first?.prefix(maximumBytes: EpisodeCorrection.longestTitle),
        title: title.prefix(maximumBytes: EpisodeCorrection.longestTitle), date: date,
        duration: file.duration,
        enclosure: Enclosure(
          url: address ?? "", length: file.bytes, fileExtension: file.fileExtension))
    )
  }

  /// The episodes of the podcast that tags or folders name, if it is one of those listed; otherwise
  /// the podcast that tags name, if they name one.
  private func podcast(of file: FoundFile) -> (entries: EpisodeCandidates?, other: String?) {
    let tagged = file.podcastTags.filter { !Self.comparable($0).isEmpty }
    for title in tagged {
      if let own = byPodcast[Self.comparable(title)] { return (own, nil) }
    }
    // A folder's name does not overrule a tag.
    if let other = tagged.first { return (nil, other) }
    for folder in file.folders {
      if let own = byPodcast[Self.comparable(folder)] { return (own, nil) }
    }
    return (nil, nil)
  }

  /// One episode or several, each once.
  package static func settled(_ entries: [EpisodeCandidates.Entry], rank: Int) -> Verdict {
    var seen: Set<String> = []
    let matches = entries.map(\.match).filter { seen.insert($0.key).inserted }
    guard matches.count == 1, var match = matches.first else { return .ambiguous(matches) }
    match.rank = rank
    return .certain(match)
  }

  /// A title as letters and digits only, because tools replace characters that file systems refuse
  /// in many ways.
  package static func comparable(_ text: String) -> String {
    var kept = String.UnicodeScalarView()
    for scalar in FileName.comparisonKey(text).unicodeScalars
    where scalar.properties.isAlphabetic || scalar.properties.numericType != nil {
      kept.append(scalar)
    }
    return String(kept)
  }
}
