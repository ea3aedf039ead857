public import PodcastModel
import PodcastTransfer

/// The content of a library at one moment.
public struct LibraryReading: Sendable {
  /// The episodes: the recorded ones, complete or missing, then the partial ones.
  public var episodes: [LocalEpisode]
  /// Whether these are all that the library knows.
  public var areAll = true
  /// What a user should know about how the episodes were found, in a sentence or more: an index that
  /// could not be used and will not be, records that lost episodes. Nil if there is nothing.
  public var notice: String?
  /// The folders and records that could not be read, as errors with the code `disk`. If the index
  /// knows them, their episodes are in the list as they were; otherwise they are not.
  public var errors: [PodgetError] = []
  /// Records with refused parts, which lead outside the library or which podget never writes, as
  /// errors with the code `disk`. The rest of them is in the list.
  public var refusals: [PodgetError] = []
  /// Folders whose disks are missing; their episodes are missing too.
  public var emptied: [Emptied] = []
  /// The same episodes in copies of podcasts' folders, each complete or removed there; few
  /// libraries have any.
  public var copies: [LocalEpisode] = []
  /// The same episodes in records whose files are gone; their names are still taken.
  package var absent: [LocalEpisode] = []
  /// Folders of which not all could be read, and those whose disks are missing.
  package var incomplete: [RelativePath] = []
  /// Folders whose records have conflict copies, which are read too.
  package var conflicts: [RelativePath] = []
  /// The planned downloads that are not finished, begun or not.
  package var unfinished: [UnfinishedDownload] = []
  /// What a person said of the podcasts; the episodes have it.
  package var facts = PodcastFacts()
  /// What later readings of the same moment need; nil if this one has all episodes.
  package var moment: LibraryMoment?

  /// The copies of some episodes: for existing ones the complete copies, for removed ones those
  /// that were removed at the same time.
  public func copies(of episodes: [LocalEpisode]) -> [LocalEpisode] {
    guard !copies.isEmpty else { return [] }
    let chosen = Dictionary(episodes.map { ($0.key, $0) }) { first, _ in first }
    return copies.filter { copy in
      guard let episode = chosen[copy.key] else { return false }
      return copy.status == .complete
        || episode.status == .removed && copy.removedAt == episode.removedAt
    }
  }

  /// A folder that is empty, although episodes were complete in it before: most likely its disk is
  /// not mounted. Nothing is downloaded into it.
  public struct Emptied: Sendable {
    /// Its path below the library.
    public var folder: RelativePath
    /// The message about it, with the code `disk`.
    public var error: PodgetError
    /// What is wrong, for use after a colon.
    package var reason: String
  }

  /// Everything that is wrong with the library, for the user.
  public var problems: [PodgetError] { errors + refusals + emptied.map(\.error) }

  /// A folder with files that its record named when podget read it before, and does not name now: most
  /// likely the record was deleted or replaced.
  struct Lost: Sendable {
    /// Its path below the library.
    var folder: RelativePath
    /// How many files.
    var count: Int
  }

  /// Why nothing may be downloaded to a file; nil if it may be.
  public func obstacle(to file: PlannedFile) -> PodgetError? {
    emptied(around: file.folder)?.error
  }

  /// The folder without its disk that a folder is or is in.
  func emptied(around folder: RelativePath) -> Emptied? {
    guard !emptied.isEmpty else { return nil }
    let components = folder.components
    return emptied.first { emptied in
      // Compared as text: a folder is also found by its name in another Unicode form.
      zip(emptied.folder.components, components).allSatisfy { $0.text == $1.text }
        && emptied.folder.components.count <= components.count
    }
  }
}

extension Library {
  /// Every local episode: the recorded ones, complete or missing, then the partial ones.
  public func episodes() -> [LocalEpisode] { reading().episodes }

  /// Local episodes, and what a user should know about how they were found.
  ///
  /// The index is used if possible; otherwise the records themselves are read. If no name in a
  /// folder has changed, the sizes of its files are those of the last check.
  ///
  /// - Parameters:
  ///   - query: the requested episodes; all unfinished ones are there too.
  ///   - isEnough: whether these episodes are enough; if not, all are read.
  public func reading(
    _ query: EpisodeQuery = .all, isEnough: ([LocalEpisode]) -> Bool = { _ in true }
  ) -> LibraryReading {
    reading(query, at: nil, isEnough: isEnough)
  }

  /// Local episodes as a table shows them, without their enclosures and checksums: reading those
  /// takes as long as everything else. Missing files are searched as in
  /// ``locatedReading(of:recording:isEnough:)``.
  package func listing(
    of query: EpisodeQuery = .all, isEnough: ([LocalEpisode]) -> Bool = { _ in true }
  ) -> LibraryReading {
    // The search needs the checksums.
    let reading = reading(query, hasDetails: false) { episodes in
      !episodes.contains { $0.status == .missing } && isEnough(episodes)
    }
    return located(reading, recording: false)
  }

  /// Makes the next reading read all records as a whole, as for a check: lines that the index has read
  /// are not read again otherwise. It blocks on the disk.
  package func forgetReadings() { LibraryDatabase(library: self).forgetReadings() }

  /// The same, but without `hasDetails` the episodes have no enclosure and no checksum; if these are
  /// not enough, all have them.
  ///
  /// - Parameter moment: that of an earlier reading, whose state counts if it is recent; nil for the state
  ///   of now.
  func reading(
    _ query: EpisodeQuery, hasDetails: Bool = true, at moment: LibraryMoment? = nil,
    isEnough: ([LocalEpisode]) -> Bool = { _ in true }
  ) -> LibraryReading {
    let now = moment.flatMap { $0.isRecent ? $0 : nil } ?? self.moment()
    // Episodes of another podcast may be those of this one.
    var query = query
    if case .podcast(let podcast) = query, now.facts.joins, now.facts.wholeKey(of: podcast) != nil {
      query = .all
    }
    var notice: String?
    var found: FoundEpisodes
    do throws(LibraryDatabase.Failure) {
      found = try LibraryDatabase(library: self).episodes(
        query, and: now.records.kept.map(\.key), hasDetails: hasDetails, at: now.found
      ) { some in
        var some = some
        some.add(partials: now.partials)
        return isEnough(some.all)
      }
    } catch {
      notice = self.notice(about: error)
      found = FoundEpisodes(FolderScan(root: root).changes(since: []))
    }
    let later = found.areAll ? nil : now.later(found)
    found.episodes.add(partials: now.partials)
    let reading = LibraryReading(
      episodes: found.episodes.all, areAll: found.areAll,
      notice: notice ?? self.notice(about: found.lost),
      errors: found.unreadable.map { unreadable($0) } + [now.factsError].compactMap(\.self),
      refusals: found.refused.map { refused($0) } + now.records.refused.map { refused($0) },
      emptied: found.emptied.map {
        LibraryReading.Emptied(folder: $0.path, error: emptied($0), reason: "it \($0.reason)")
      },
      copies: found.episodes.copies, absent: found.episodes.absent,
      incomplete: found.incomplete, conflicts: found.conflicts,
      unfinished: Self.newestFirst(now.records.kept), moment: later)
    return reading.corrected(by: now.facts)
  }

  /// What a reading of now needs beside the folders.
  private func moment() -> LibraryMoment {
    let records = partialRecords()
    var moment = LibraryMoment(records: records, partials: partials(records))
    do throws(DiskError) {
      moment.facts = try PodcastLog.facts(of: root)
    } catch {
      moment.factsError = unreadable(error)
    }
    return moment
  }

  /// What a user should know about an index that is not used.
  private func notice(about failure: LibraryDatabase.Failure) -> String? {
    switch failure {
    case .newer:
      return "The index of the library \(path) was written by a newer podget; this one leaves it "
        + "alone and reads the records instead, which takes longer."
    case .damaged, .unavailable:
      guard LibraryDatabase(library: self).isClosed else { return nil }
      return "The index \(path)/\(LibraryDatabase.name) cannot be used; podget reads the records "
        + "instead, which takes longer."
    }
  }

  /// What a user should know about files that are in no record any more.
  private func notice(about lost: [LibraryReading.Lost]) -> String? {
    guard let first = lost.first else { return nil }
    let count = lost.reduce(0) { $0 + $1.count }
    let folder = first.folder.text.isEmpty ? path : "\(path)/\(first.folder)"
    return
      "\(count == 1 ? "1 file is" : "\(count) files are") not on record any more "
      + (lost.count == 1 ? "in \(folder)" : "in \(lost.count) folders, such as \(folder)")
      + "; podget verify lists them, and podget adopt takes them in."
  }

  private func refused(_ error: DiskError) -> PodgetError {
    PodgetError(.disk, "Cannot \(error.operation) \(path)/\(error.path): \(error.explanation).")
  }

  private func emptied(_ folder: EmptiedFolder) -> PodgetError {
    PodgetError(.disk, "The folder \(path)/\(folder.path) \(folder.reason).")
  }

  /// The episodes with bytes on disk.
  private func partials(
    _ records: (kept: [PartialRecord], refused: [DiskError])
  ) -> [LocalEpisode] {
    guard !records.kept.isEmpty, let folder = try? existingPartialFolder() else { return [] }
    return records.kept.compactMap { record in
      guard let bytes = folder.partSize(record.key.text), bytes > 0 else { return nil }
      let entry = try? recordedEntry(record.key, in: record.folder)
      return LocalEpisode(
        plan: record.plan,
        file: LocalEpisode.File(
          status: .partial, bytes: bytes, total: record.state?.total,
          marks: entry?.marks ?? EpisodeMarks()))
    }
  }
}
