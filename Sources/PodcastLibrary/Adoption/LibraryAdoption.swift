public import PodcastModel

/// Adopts files of other tools: matches them with episodes, names them, and copies or moves them into a
/// library one by one.
public actor LibraryAdoption {
  /// What is done with files that match.
  public struct Options: Sendable {
    /// Names new files.
    public var template: FilenameTemplate
    /// Whether files leave their old places.
    public var moves: Bool
    /// Whether episodes that were removed on purpose are adopted.
    public var isForced: Bool
    /// Whether nothing is changed.
    public var isDryRun: Bool
    /// Whether files are adopted that have only a name, as episodes that their podcast does not list.
    public var takesNames = false

    /// Creates options.
    public init(
      template: FilenameTemplate = .standard, moves: Bool = false, isForced: Bool = false,
      isDryRun: Bool = false
    ) {
      self.template = template
      self.moves = moves
      self.isForced = isForced
      self.isDryRun = isDryRun
    }
  }

  /// The files below a folder with the episodes that they are.
  package struct Matched: Sendable {
    var files: [(adoption: AdoptedFile, file: FoundFile?, match: EpisodeMatcher.Match?)]
    var plans: [String: DownloadPlan] = [:]
    /// The plans of what the library has lost and no podcast lists.
    var lost: [String: DownloadPlan] = [:]
    /// The podcasts with their episodes, and those that only files know.
    var listings: [IdentifiedListing]
  }

  /// The results so far, so that no file is adopted as two episodes, and no episode from two files.
  private struct Taken {
    var files: [String: String] = [:]
    var paths: [FoundFile.Inode: String] = [:]
  }

  private let library: Library
  private let location: LibraryLocation
  let index: EpisodeLookup
  /// The episodes that have files, by the paths of those files.
  private let owners: [String: LocalEpisode]
  /// All episodes of the library.
  let locals: [LocalEpisode]
  private let listings: [IdentifiedListing]
  private let names: LibraryNames
  private let reading: LibraryReading
  let options: Options
  private let progress = VerificationProgress()

  /// Creates an adoption.
  ///
  /// - Parameters:
  ///   - library: where the files go.
  ///   - reading: what the library holds, with the new places of moved files.
  ///   - listings: the podcasts whose episodes the files may be.
  ///   - options: what is done with files that match.
  public init(
    library: Library, reading: LibraryReading, listings: [PodcastListing], options: Options
  ) {
    self.reading = reading
    locals = reading.episodes
    self.library = library
    location = LibraryLocation(library)
    index = EpisodeLookup(
      reading.episodes, unfinished: reading.unfinished, facts: reading.facts)
    owners = Dictionary(
      reading.episodes.lazy.filter { $0.status == .complete }.map { ($0.path, $0) }
    ) { first, _ in first }
    self.listings = listings.map(index.identify)
    names = LibraryNames(library, reading)
    self.options = options
  }

  /// Adopts the media files below a folder, in the order of their paths, the best matches first.
  ///
  /// - Returns: one result for each file; after ``cancel()`` those that were not reached are left out.
  /// - Throws: a ``PodgetError`` when the folder itself cannot be opened.
  public func adopt(filesBelow folder: String) async throws(PodgetError) -> [AdoptedFile] {
    await adopt(matched(try FoundFiles.below(folder)))
  }

  /// Stops after the file that is being read; it stays where it is.
  public nonisolated func cancel() { progress.cancel() }

  /// Finds out which episodes files are, and their names. It changes nothing.
  package func matched(_ found: [(path: String, result: FoundFiles.Result)]) -> Matched {
    let matcher = EpisodeMatcher(listings)
    var matched = Matched(
      files: found.map { path, result in self.matched(path, result, matcher) },
      listings: listings)
    addUnlisted(to: &matched, matcher)
    do throws(PodgetError) {
      matched.plans = try plans(
        for: matched.files.compactMap(\.match).filter { matched.lost[$0.key] == nil },
        of: matched.listings)
      matched.plans.merge(matched.lost) { _, lost in lost }
    } catch {
      for place in matched.files.indices {
        matched.files[place].adoption.obstacle =
          matched.files[place].adoption.obstacle ?? .error(error)
      }
    }
    return matched
  }

  /// Adopts files whose episodes are known.
  package func adopt(_ matched: Matched) async -> [AdoptedFile] {
    let (matched, plans) = (matched.files, matched.plans)
    let adopter =
      options.isDryRun
      ? nil
      : Result { () throws(PodgetError) in
        try Adopter(library: library, progress: progress)
      }
    var adoptions: [Int: AdoptedFile] = [:]
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
        // A rule would remove for good what no feed lists any more.
        await take(file, adopter, isKept: !match.isListed, &taken, &adoption)
      }
      if !progress.isCancelled || adoption.status == .adopted { adoptions[place] = adoption }
    }
    return matched.indices.compactMap { adoptions[$0] }
  }

  /// The result for a file before anything is done with it, and its episode.
  private func matched(
    _ path: String, _ result: FoundFiles.Result, _ matcher: EpisodeMatcher
  ) -> (adoption: AdoptedFile, file: FoundFile?, match: EpisodeMatcher.Match?) {
    var adoption = AdoptedFile(file: path)
    switch result {
    case .failure(let error):
      adoption.obstacle = .error(error)
      return (adoption, nil, nil)
    case .success(let file):
      adoption.bytes = file.bytes
      if let path = location.pathInLibrary(file), let owner = owners[path] {
        (adoption.status, adoption.path, adoption.plan) = (.known, path, owner.plan)
        return (adoption, nil, nil)
      }
      if location.isPodgets(file) {
        adoption.obstacle = .isPodgets
        return (adoption, nil, nil)
      }
      switch matcher.verdict(on: file) {
      case .certain(let match): return (adoption, file, match)
      case .unknown(let reason): adoption.obstacle = .noMatch(reason)
      case .ambiguous(let matches):
        adoption.obstacle = .ambiguous(matches.prefix(3).map(\.episode.title))
      }
      return (adoption, file, nil)
    }
  }

  /// The plans of all episodes that files were found for, by their keys: names are planned once,
  /// for all episodes of a podcast.
  private func plans(
    for matches: [EpisodeMatcher.Match], of listings: [IdentifiedListing]
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
    _ file: FoundFile, _ adopter: Result<Adopter, PodgetError>?, isKept: Bool,
    _ taken: inout Taken, _ adoption: inout AdoptedFile
  ) async {
    guard let plan = adoption.plan else { return }
    let known = index.local(for: plan)
    switch known?.status {
    case .complete:
      (adoption.status, adoption.path) = (.known, known?.path)
      return
    case .removed where !options.isForced:
      adoption.obstacle = .removed
      return
    case .removed, .partial, .planned, .missing, nil: break
    }
    if let other = taken.files[plan.key] {
      adoption.obstacle = .sameEpisode(other)
      return
    }
    if let inode = file.inode, let other = taken.paths[inode] {
      adoption.obstacle = .sameFile(other)
      return
    }
    func take() {
      taken.files[plan.key] = file.path
      if let inode = file.inode { taken.paths[inode] = file.path }
    }
    do throws(PodgetError) {
      // Before the complete file is read, and also in a dry run.
      if location.pathInLibrary(file) == nil,
        let obstacle = reading.obstacle(to: plan.file)
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
      switch try await adopter.adopt(
        file, as: plan, known: known, isKept: isKept, moving: options.moves)
      {
      case .busy: adoption.obstacle = .busy
      case .adopted(let finished, let leftover):
        take()
        (adoption.status, adoption.path) = (.adopted, finished.path)
        adoption.sha256 = finished.sha256
        adoption.obstacle = leftover.map { .error($0) }
      }
    } catch {
      adoption.obstacle = .error(error)
    }
  }
}
