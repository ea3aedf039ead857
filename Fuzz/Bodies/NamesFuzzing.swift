import FoundationEssentials

@testable import PodcastModel

/// Templates, and the names that they make of what feeds say: legal, bounded, inside the library, the
/// same every time, and no two alike.
enum NamesFuzzing {
  private static let template = "{podcast}/{date} - {title}.{ext}"

  static func run(_ input: inout FuzzInput) throws {
    let text = input.flag() ? input.line() : template
    let parsed: FilenameTemplate
    do throws(FilenameTemplate.ParseError) {
      parsed = try FilenameTemplate(parsing: text)
    } catch {
      try FuzzFailure.require(!error.description.isEmpty, "An error without words.")
      return
    }
    let podcast = Podcast(
      id: input.flag() ? 7 : nil, title: input.line(), author: input.flag() ? input.line() : nil,
      feedURL: input.flag() ? FeedURL(input.line()) : nil)
    var episodes: [Episode] = []
    while !input.isAtEnd, episodes.count < 8 { episodes.append(episode(&input)) }

    for episode in episodes {
      let (folder, stem) = parsed.components(podcast: podcast, episode: episode)
      for part in folder.split(separator: "/", omittingEmptySubsequences: false) where folder != ""
      {
        try legal(String(part), FileName.maximumStemBytes)
      }
      try legal(stem, FileName.maximumStemBytes)
    }
    try plans(parsed, podcast, episodes)
  }

  private static func episode(_ input: inout FuzzInput) -> Episode {
    let has = input.byte()
    var episode = Episode(
      title: input.line(), enclosure: Enclosure(url: "https://example.com/\(input.line())"))
    if has & 1 != 0 { episode.guid = input.line() }
    if has & 2 != 0 { episode.id = input.number() }
    if has & 4 != 0 {
      // What decodes dates gives none beyond the calendar, and none that is no number.
      let seconds = Double(bitPattern: UInt64(bitPattern: input.number()))
      if Date.calendarRange.contains(seconds) {
        episode.date = Date(timeIntervalSince1970: seconds)
      }
    }
    if has & 8 != 0 { episode.duration = .milliseconds(input.number()) }
    if has & 16 != 0 { episode.season = Int(input.number()) }
    if has & 32 != 0 { episode.number = Int(input.number()) }
    if has & 64 != 0 { episode.enclosure.fileExtension = input.line() }
    if has & 128 != 0 { episode.enclosure.mimeType = input.line() }
    return episode
  }

  private static func plans(
    _ template: FilenameTemplate, _ podcast: Podcast, _ episodes: [Episode]
  ) throws {
    var taken = TakenNames()
    if let first = episodes.first {
      let (folder, stem) = template.components(podcast: podcast, episode: first)
      taken.add(folder: folder, name: "\(stem).mp3", owner: nil)
    }
    func planned(_ order: [Episode]) -> [DownloadPlan] {
      let keys = EpisodeKeys(of: order, podcast: podcast, known: [])
      return NamePlanner(template: template).plans(
        for: podcast, episodes: order, among: order, keys: keys, taken: taken)
    }
    let plans = planned(episodes)
    var names: Set<ComparableName> = []
    for plan in plans {
      try FuzzFailure.require(
        RelativePath(plan.path) != nil, "Outside: \(plan.path)")
      let file = LibraryPath.split(plan.path).name
      try legal(file, FileName.maximumBytes)
      try FuzzFailure.require(
        names.insert(ComparableName(folder: plan.folder, name: plan.stem)).inserted,
        "Twice: \(plan.path)")
      try FuzzFailure.require(
        taken.isFree(folder: plan.folder, stem: plan.stem, for: plan.key), "Taken: \(plan.path)")
    }
    // A name depends neither on the order of the list nor on chance.
    // Of items that are one episode the first one listed is fetched, with the extension that it has.
    let namesByKey = Dictionary(
      uniqueKeysWithValues: plans.map { ($0.key, LibraryPath.join($0.folder, $0.stem)) })
    for plan in planned(episodes.reversed()) {
      let name = LibraryPath.join(plan.folder, plan.stem)
      try FuzzFailure.require(
        namesByKey[plan.key].map { $0 == name } ?? false,
        "\(name), and before \(namesByKey[plan.key] ?? "nothing").")
    }
  }

  /// What ext4, exFAT, NTFS, SMB and APFS all accept.
  private static func legal(_ name: String, _ maximumBytes: Int) throws {
    let problem: String?
    if name.isEmpty || name == "." || name == ".." {
      problem = "It is no name"
    } else if name.utf8.count > maximumBytes {
      problem = "It has \(name.utf8.count) bytes"
    } else if name.hasPrefix(".") || name.hasPrefix(" ") {
      problem = "It is hidden or begins with a space"
    } else if name.hasSuffix(".") || name.hasSuffix(" ") {
      problem = "Its end gets lost"
    } else if name.unicodeScalars.contains(where: isIllegal) {
      problem = "It holds what some file system refuses"
    } else {
      problem = nil
    }
    if let problem { throw FuzzFailure(description: "\(problem): \"\(name)\"") }
  }

  private static func isIllegal(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || scalar.value == 0x7F || "/\\:*?\"<>|".unicodeScalars.contains(scalar)
      || (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
  }
}
