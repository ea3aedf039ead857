import PodcastKit

/// One run of `adopt`: matches files with episodes, names them, and adopts them one by one.
actor AdoptionRun {
  /// The options.
  struct Options: Sendable {
    var template: FilenameTemplate
    /// Whether files leave their old places.
    var moves: Bool
    /// Whether removed episodes are adopted.
    var isForced: Bool
    var isDryRun: Bool
  }

  /// The results so far, so that no file is adopted as two episodes, and no episode from two files.
  private struct Taken {
    var files: [String: String] = [:]
    var paths: [FoundFile.Inode: String] = [:]
  }

  private let library: Library
  private let location: LibraryLocation
  private let index: EpisodeLookup
  /// The episodes that have files, by the paths of those files.
  private let owners: [String: LocalEpisode]
  private let listings: [IdentifiedListing]
  private let names: LibraryNames
  private let emptied: [LibraryReading.Emptied]
  private let options: Options
  private let signals: any ProcessSignals
  private let progress = VerificationProgress()

  /// The status for a signal; nil when there was none.
  private(set) var interruptedWith: Int32?

  /// Creates a run for the listings of sources.
  init(
    library: Library, index: EpisodeLookup, reading: LibraryReading, listings: [PodcastListing],
    options: Options, signals: any ProcessSignals
  ) {
    self.signals = signals
    emptied = reading.emptied
    self.library = library
    location = LibraryLocation(library)
    self.index = index
    owners = Dictionary(
      reading.episodes.lazy.filter { $0.status == .complete }.map { ($0.path, $0) }
    ) { first, _ in first }
    self.listings = listings.map(index.identify)
    names = LibraryNames(library, reading)
    self.options = options
  }

  /// Adopts files in their order; after a signal the rest is left out.
  func run(_ found: [(path: String, result: FoundFiles.Result)]) async -> [Adoption] {
    // Nothing is changed while files are matched and names planned: then a signal ends podget
    // immediately.
    let matcher = EpisodeMatcher(listings)
    let matched = found.map { path, result in self.matched(path, result, matcher) }
    let plans: [String: DownloadPlan]
    do throws(PodgetError) {
      plans = try self.plans(for: matched.compactMap(\.match))
    } catch {
      return matched.map { adoption, _, _ in
        var adoption = adoption
        adoption.reason = adoption.reason ?? error.sentence
        return adoption
      }
    }
    let session = Session(signals, stop: { [progress] in progress.cancel() })
    let result = await session.run { await adoptions(of: matched, plans) }
    interruptedWith = session.interruptedWith
    return result
  }

  private func adoptions(
    of matched: [(adoption: Adoption, file: FoundFile?, match: EpisodeMatcher.Match?)],
    _ plans: [String: DownloadPlan]
  ) async -> [Adoption] {
    let adopter =
      options.isDryRun
      ? nil
      : Result { () throws(PodgetError) in
        try Adopter(library: library, emptied: emptied, progress: progress)
      }
    var adoptions: [Int: Adoption] = [:]
    var taken = Taken()
    // The best matches first: another file that may be the same episode must be another one.
    let order = matched.indices.sorted { first, second in
      (matched[first].match?.rank ?? 0, first) < (matched[second].match?.rank ?? 0, second)
    }
    for place in order {
      guard !progress.isCancelled else { break }
      var adoption = matched[place].adoption
      let (file, match) = (matched[place].file, matched[place].match)
      if let file, let match, let plan = plans[match.key] {
        adoption.plan = plan.with(announcedExtension: Adopter.fileExtension(of: file))
        await take(file, adopter, &taken, &adoption)
      }
      if !progress.isCancelled || adoption.status == .adopted { adoptions[place] = adoption }
    }
    return matched.indices.compactMap { adoptions[$0] }
  }

  /// The result for a file before anything is done with it, and its episode.
  private func matched(
    _ path: String, _ result: FoundFiles.Result, _ matcher: EpisodeMatcher
  ) -> (adoption: Adoption, file: FoundFile?, match: EpisodeMatcher.Match?) {
    var adoption = Adoption(file: path)
    switch result {
    case .failure(let error):
      adoption.reason = error.sentence
      return (adoption, nil, nil)
    case .success(let file):
      adoption.bytes = file.bytes
      if let path = location.pathInLibrary(file), let owner = owners[path] {
        (adoption.status, adoption.path, adoption.plan) = (.known, path, owner.plan)
        return (adoption, nil, nil)
      }
      if location.isPodgets(file) {
        adoption.reason = "It is podget's own file; podget restore brings removed episodes back."
        return (adoption, nil, nil)
      }
      switch matcher.verdict(on: file) {
      case .certain(let match): return (adoption, file, match)
      case .unknown(let reason): adoption.reason = reason
      case .ambiguous(let matches):
        let titles = matches.prefix(3).map(\.episode.title).joined(separator: "; ")
        adoption.reason = "It may be one of several episodes: \(titles)."
      }
      return (adoption, file, nil)
    }
  }

  /// The plans of all episodes that files were found for, by their keys: names are planned once,
  /// for all episodes of a podcast.
  private func plans(
    for matches: [EpisodeMatcher.Match]
  ) throws(PodgetError) -> [String: DownloadPlan] {
    let chosen = Dictionary(grouping: matches, by: \.podcast)
    var plans: [String: DownloadPlan] = [:]
    for identified in listings {
      let podcast = identified.listing.podcast
      guard let episodes = chosen[podcast]?.map(\.episode) else { continue }
      let planned = try names.plans(for: episodes, of: identified, template: options.template)
      for plan in planned { plans[plan.key] = plan }
    }
    return plans
  }

  private func take(
    _ file: FoundFile, _ adopter: Result<Adopter, PodgetError>?, _ taken: inout Taken,
    _ adoption: inout Adoption
  ) async {
    guard let plan = adoption.plan else { return }
    let known = index.local(for: plan)
    switch known?.status {
    case .complete:
      (adoption.status, adoption.path) = (.known, known?.path)
      return
    case .removed where !options.isForced:
      adoption.reason = "The episode was removed on purpose; --force adopts it."
      return
    case .removed, .partial, .missing, nil: break
    }
    if let other = taken.files[plan.key] {
      adoption.reason = "Another file is the same episode: \(other)."
      return
    }
    if let inode = file.inode, let other = taken.paths[inode] {
      adoption.reason = "It is the same file as \(other), which is another episode."
      return
    }
    func take() {
      taken.files[plan.key] = file.path
      if let inode = file.inode { taken.paths[inode] = file.path }
    }
    do throws(PodgetError) {
      // Before the complete file is read, and also in a dry run.
      if location.pathInLibrary(file) == nil,
        let obstacle = emptied.obstacle(to: plan.file)
      {
        throw obstacle
      }
      guard let adopter = try adopter?.get() else {
        adoption.status = .planned
        adoption.path = location.destination(of: file, as: plan)
        take()
        return
      }
      try await adopter.check(file, published: plan.episode.duration)
      switch try await adopter.adopt(file, as: plan, known: known, moving: options.moves) {
      case .busy: adoption.reason = "Another podget is downloading the episode."
      case .adopted(let finished, let leftover):
        take()
        (adoption.status, adoption.path) = (.adopted, finished.path)
        (adoption.sha256, adoption.reason) = (finished.sha256, leftover?.sentence)
      }
    } catch {
      adoption.reason = error.sentence
    }
  }
}
