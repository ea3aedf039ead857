/// Finds out which listed episode a file of another tool is.
///
/// Nothing is guessed: a file has one episode that fits and that nothing contradicts, or none.
public struct EpisodeMatcher: Sendable {
  /// An episode with its podcast.
  public struct Match: Sendable, Hashable {
    /// The key under which it is or will be known.
    public var key: String
    /// The podcast.
    public var podcast: Podcast
    /// The episode.
    public var episode: Episode
  }

  /// What came of a file.
  public enum Verdict: Sendable, Hashable {
    /// It is this episode.
    case certain(Match)
    /// It may be any of these.
    case ambiguous([Match])
    /// It is none; the sentence says why, without naming the file.
    case unknown(String)
  }

  private struct Entry: Sendable {
    var match: Match
    var podcast: String
    var title: String
    var address: String
    var fileName: String
  }

  private let entries: [Entry]

  /// Makes a matcher for what sources listed, as far as the library knows it.
  public init(_ listings: [IdentifiedListing]) {
    entries = listings.flatMap { identified in
      let (listing, keys) = (identified.listing, identified.keys)
      let podcast = Self.comparable(listing.podcast.title)
      return listing.episodes.map { episode in
        let key = keys.key(podcast: listing.podcast, episode: episode)
        let address = Self.address(episode.enclosure.url)
        let name = address.split(separator: "/").last.map(String.init) ?? ""
        return Entry(
          match: Match(key: key, podcast: listing.podcast, episode: episode),
          podcast: podcast, title: Self.comparable(episode.title), address: address, fileName: name)
      }
    }
  }

  /// The verdict on a file.
  public func verdict(on file: FoundFile) -> Verdict {
    guard !entries.isEmpty else { return .unknown("No podcast is known for it; name its source.") }
    let entries = entriesOfItsPodcast(file)
    let guids = Set([file.tags.guid].compactMap(\.self) + (file.sidecar?.guids ?? []))
    let addresses = Set((file.sidecar?.addresses ?? []).map(Self.address))
    // What names an episode needs no second witness.
    for rung in [
      entries.filter { $0.match.episode.guid.map(guids.contains) ?? false },
      entries.filter { addresses.contains($0.address) },
    ] where !rung.isEmpty {
      return Self.settled(rung)
    }
    var contradicted = false
    for fits in rungs(file) {
      let rung = entries.filter(fits)
      guard !rung.isEmpty else { continue }
      let agreeing = Self.agreeing(rung, with: file)
      if !agreeing.isEmpty { return Self.settled(agreeing) }
      contradicted = true
    }
    return .unknown(
      contradicted
        ? "The title fits an episode of another date or length."
        : "No listed episode has its title or its name.")
  }
}

extension EpisodeMatcher {
  /// Only the podcast's that tags or folders name, where they name one of those listed.
  private func entriesOfItsPodcast(_ file: FoundFile) -> [Entry] {
    for title in file.podcastTitles.map(Self.comparable) where !title.isEmpty {
      let own = entries.filter { $0.podcast == title }
      if !own.isEmpty { return own }
    }
    return entries
  }

  /// Those of the same title, of the same name at the server, and those whose title is a part of the
  /// file's name or begins with it, as names are cut; the surest first.
  private func rungs(_ file: FoundFile) -> [(Entry) -> Bool] {
    let titles = Set(file.titles.map(Self.comparable)).subtracting([""])
    let (name, days) = (file.name, file.days)
    let stem = Self.comparable(file.stem)
    return [
      { titles.contains($0.title) },
      { titles.contains($0.podcast + $0.title) },
      { !$0.fileName.isEmpty && $0.fileName == name },
      { !days.isEmpty && $0.title.count >= 8 && stem.contains($0.title) },
      { entry in titles.contains { $0.count >= 30 && entry.title.hasPrefix($0) } },
    ]
  }

  /// Those that neither the day nor the playing time contradicts; where several have the title, those
  /// of the very day.
  private static func agreeing(_ entries: [Entry], with file: FoundFile) -> [Entry] {
    let agreeing = entries.filter { agrees($0.match.episode, with: file) }
    guard agreeing.count > 1 else { return agreeing }
    let sameDay = agreeing.filter { entry in
      entry.match.episode.date.map { file.days.contains(CivilDay($0)) } ?? false
    }
    return sameDay.isEmpty ? agreeing : sameDay
  }

  private static func agrees(_ episode: Episode, with file: FoundFile) -> Bool {
    if let date = episode.date, !file.days.isEmpty {
      // Tools write the day of their own time zone.
      let day = CivilDay(date).daysSince1970
      guard file.days.contains(where: { abs($0.daysSince1970 - day) <= 1 }) else { return false }
    }
    guard let published = episode.duration, published > .zero, let played = file.duration else {
      return true
    }
    let difference = played > published ? played - published : published - played
    return difference <= max(.seconds(180), published / 4)
  }

  private static func settled(_ entries: [Entry]) -> Verdict {
    let first = entries[0].match
    let isOne = entries.allSatisfy { $0.match.key == first.key }
    return isOne ? .certain(first) : .ambiguous(entries.map(\.match))
  }

  /// A title as letters and digits alone, since tools replace what file systems refuse in many ways.
  static func comparable(_ text: String) -> String {
    var kept = String.UnicodeScalarView()
    for scalar in FileName.comparisonKey(text).unicodeScalars
    where scalar.properties.isAlphabetic || scalar.properties.numericType != nil {
      kept.append(scalar)
    }
    return String(kept)
  }

  private static func address(_ url: String) -> String {
    let bare = url.prefix { $0 != "?" && $0 != "#" }
    guard let scheme = bare.firstRange(of: "://") else { return String(bare) }
    return String(bare[scheme.upperBound...])
  }
}
