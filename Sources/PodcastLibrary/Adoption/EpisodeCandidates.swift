import PodcastModel

/// Finds listed episodes by what a file may say about one: each query is a table lookup, whatever
/// the number of episodes and files.
package struct EpisodeCandidates: Sendable {
  /// A listed episode in the form in which it is compared with files.
  package struct Entry: Sendable {
    let match: EpisodeMatcher.Match
    let podcast: String
    let title: String
    let address: ComparableAddress?
    let fileName: String
    /// Days since 1970.
    let day: Int?

    init(match: EpisodeMatcher.Match, podcast: String) {
      self.match = match
      self.podcast = podcast
      let episode = match.episode
      title = EpisodeMatcher.comparable(episode.title)
      address = ComparableAddress(episode.enclosure.url)
      fileName = address.flatMap { $0.place.split(separator: "/").last.map(String.init) } ?? ""
      day = episode.date.map { CivilDay($0).daysSince1970 }
    }

    /// The days between the episode's date and the file's date, 0 or 1; nil when one of them has no
    /// day, or they are further apart. Tools write the day of their own time zone.
    func distance(to file: FoundFile) -> Int? {
      guard let day else { return nil }
      let nearest = file.days.map { abs($0.daysSince1970 - day) }.min()
      return nearest.flatMap { $0 <= 1 ? $0 : nil }
    }

    /// Whether neither the day nor the duration contradicts.
    func agrees(with file: FoundFile) -> Bool {
      if day != nil, !file.days.isEmpty, distance(to: file) == nil { return false }
      guard let published = match.episode.duration, published > .zero, let played = file.duration
      else { return true }
      let difference = played > published ? played - published : published - played
      return difference <= max(.seconds(180), published / 4)
    }
  }

  /// Episodes that a file may be, by one way of comparison.
  struct Rung {
    package var entries: [Entry]
    var rank: Int
    var isTitle = true
    /// Whether every podcast has such a title, or every host such a file name.
    var isCommon = false
  }

  /// From this number of entries with the same value, only those of the file's day are compared.
  private static let crowd = 64
  /// The minimum number of letters of a title that may be truncated.
  private static let cutLength = 30
  /// The minimum number of letters of a title that is searched within a name.
  private static let partLength = 8

  private let entries: [Entry]
  private var guids: [String: [Int]] = [:]
  private var addresses: [ComparableAddress: [Int]] = [:]
  private var places: [String: [Int]] = [:]
  private var titles: [String: [Int]] = [:]
  private var fileNames: [String: [Int]] = [:]
  private var days: [Int: [Int]] = [:]
  /// The positions of the entries in the order of their titles.
  private let byTitle: [Int]

  /// Builds the tables, from the oldest episode on.
  init(_ listed: [Entry]) {
    let entries = listed.sorted { ($0.day ?? .min) < ($1.day ?? .min) }
    self.entries = entries
    byTitle = entries.indices.filter { entries[$0].title.count >= Self.cutLength }
      .sorted { entries[$0].title < entries[$1].title }
    for (place, entry) in entries.enumerated() {
      if let guid = entry.match.episode.guid, !guid.isEmpty { guids[guid, default: []] += [place] }
      if let address = entry.address {
        addresses[address, default: []] += [place]
        places[address.place, default: []] += [place]
      }
      if !entry.title.isEmpty {
        titles[entry.title, default: []] += [place]
        if !entry.podcast.isEmpty { titles[entry.podcast + entry.title, default: []] += [place] }
      }
      if !entry.fileName.isEmpty { fileNames[entry.fileName, default: []] += [place] }
      if let day = entry.day { days[day, default: []] += [place] }
    }
  }

  var isEmpty: Bool { entries.isEmpty }

  /// The podcast of all episodes; nil if there are several.
  var podcast: Podcast? {
    guard let first = entries.first?.match.podcast,
      entries.allSatisfy({ $0.match.podcast == first })
    else { return nil }
    return first
  }

  /// The verdict on a file that identifies its episode itself, by guid or address; nil when it does
  /// not.
  func named(by file: FoundFile) -> EpisodeMatcher.Verdict? {
    let titles = Set(file.titleTags.map(EpisodeMatcher.comparable)).subtracting([""])
    let guids = [file.tags.guid].compactMap(\.self) + (file.sidecar?.guids ?? [])
    let addresses = (file.sidecar?.addresses ?? []).compactMap(ComparableAddress.init)
    let ids = file.sidecar?.ids ?? []
    func speaksFor(_ entry: Entry) -> Bool {
      titles.contains(entry.title) || entry.distance(to: file) != nil
    }
    func speaksAgainst(_ entry: Entry) -> Bool {
      !titles.isEmpty && !titles.contains(entry.title) && !entry.agrees(with: file)
    }
    let rungs: [() -> [Entry]] = [
      { near(guids.compactMap { self.guids[$0] }, file).filter { !speaksAgainst($0) } },
      { near(addresses.compactMap { self.addresses[$0] }, file).filter { !speaksAgainst($0) } },
      // The query may identify the episode; without it, only a unique match counts.
      {
        let named = addresses.filter { $0.fileName != nil }.compactMap { self.places[$0.place] }
        return near(named.filter { $0.count == 1 }, file).filter { $0.agrees(with: file) }
      },
      // Names that tools generate are often only numbers.
      { near(ids.compactMap { self.guids[$0] }, file).filter(speaksFor) },
    ]
    for (rank, rung) in rungs.enumerated() {
      let found = rung()
      guard !found.isEmpty else { continue }
      let likely = found.filter(speaksFor)
      return EpisodeMatcher.settled(likely.isEmpty ? found : likely, rank: rank)
    }
    return nil
  }

  /// Episodes with the same title, with the same name on the server, and those whose title is a
  /// part of the file's name or begins with it, as truncated names do; the most certain first.
  func rungs(_ file: FoundFile) -> some Sequence<Rung> {
    let titles = Set(file.titles.map(EpisodeMatcher.comparable)).subtracting([""]).sorted()
    return (10..<13).lazy.map { rank -> Rung in
      switch rank {
      case 10:
        let found = near(titles.compactMap { self.titles[$0] }, file)
        return Rung(
          entries: found, rank: rank, isCommon: found.contains { Self.isCommon($0.title) })
      case 11:
        let found = near([fileNames[file.name]].compactMap(\.self), file)
        return Rung(
          entries: found, rank: rank, isTitle: false,
          isCommon: found.contains {
            ComparableAddress.isCommonName(FileName.stem(of: $0.fileName))
          })
      default: return Rung(entries: parts(of: file) + cut(titles), rank: rank)
      }
    }
  }
}

extension EpisodeCandidates {
  /// Episodes that file names merely contain, on the days in the file.
  private func parts(of file: FoundFile) -> [Entry] {
    let stem = EpisodeMatcher.comparable(file.stem)
    let near = Set(file.days.flatMap { day in (-1...1).map { day.daysSince1970 + $0 } })
    let candidates = near.sorted().flatMap { days[$0] ?? [] }
    // A day with more episodes than these proves nothing.
    guard candidates.count <= 1000 else { return [] }
    return candidates.map { entries[$0] }.filter {
      $0.title.count >= Self.partLength && stem.contains($0.title)
    }
  }

  /// Episodes whose titles begin with a title that tools have truncated.
  private func cut(_ titles: [String]) -> [Entry] {
    titles.filter { $0.count >= Self.cutLength }.flatMap { title in
      var (low, high) = (0, byTitle.count)
      while low < high {
        let middle = low + (high - low) / 2
        if entries[byTitle[middle]].title < title { low = middle + 1 } else { high = middle }
      }
      return byTitle[low...].prefix(Self.crowd).map { entries[$0] }
        .prefix { $0.title.hasPrefix(title) }
    }
  }

  /// The entries of some lists, each once. If there are many: those of the file's days and those
  /// without a day, or enough to see that there are many.
  private func near(_ lists: [[Int]], _ file: FoundFile) -> [Entry] {
    var places: Set<Int> = []
    for list in lists {
      guard list.count > Self.crowd, !file.days.isEmpty else {
        places.formUnion(list.prefix(Self.crowd + 1))
        continue
      }
      places.formUnion(list.prefix(Self.crowd).filter { entries[$0].day == nil })
      for day in file.days {
        let first = day.daysSince1970 - 1
        let start = list.partition { (entries[$0].day ?? .min) >= first }
        places.formUnion(
          list[start...].prefix(Self.crowd).prefix { entry in
            entries[entry].day.map { $0 <= first + 2 } ?? false
          })
      }
    }
    return places.sorted().map { entries[$0] }
  }

  /// Whether every other podcast has an episode with this title, given as letters and digits only.
  private static func isCommon(_ title: String) -> Bool {
    let words = ["season", "series", "official", "the", "podcast"]
    var bare = title.filter { !$0.isNumber }
    for word in words { bare = bare.replacing(word, with: "") }
    return common.contains(bare)
  }

  private static let common: Set<String> = [
    "trailer", "teaser", "intro", "introduction", "bonus", "bonusepisode", "welcome", "preview",
    "pilot", "announcement", "update", "comingsoon", "introducing",
  ]
}

extension [Int] {
  /// The first position from which all elements match, in a list that is sorted accordingly.
  fileprivate func partition(_ fits: (Int) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if fits(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
