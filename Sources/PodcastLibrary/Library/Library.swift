internal import CFiles
import FoundationEssentials
import Glibc
public import PodcastModel
package import PodcastTransfer

/// A folder that contains everything: podcasts with their records, and unfinished downloads.
///
/// Every question is answered from the disk. Only the positions of lines in the records are kept in
/// memory, so that a record is not read again for the next episode.
public struct Library: Sendable {
  /// The folder's path, for messages.
  public let path: String
  package let root: OpenFile
  private let lines = RecordLines()

  /// Opens the library, and creates its folder when `creating`.
  ///
  /// - Returns: nil when there is no such folder and none was to be created.
  /// - Throws: a ``PodgetError`` with the code `disk` when the path is not a folder or may not be
  ///   read.
  public static func open(_ path: String, creating: Bool) throws(PodgetError) -> Library? {
    do throws(DiskError) {
      let root = try OpenFile.folder(path, creating: creating).asLibrary()
      return Library(path: path, root: root)
    } catch {
      if error.number == ENOENT, !creating { return nil }
      throw PodgetError(
        error.isFull ? .diskFull : .disk,
        "Cannot open the library \(path): \(String(cString: strerror(error.number))).")
    }
  }

  /// Makes sure that podget may write to the library, before any network request.
  ///
  /// - Throws: a ``PodgetError`` with the code `disk` that names the library.
  public func requireWritable() throws(PodgetError) {
    for folder in [".podget", ".podget/partial"] {
      if let status = root.status(of: folder), !status.is_folder, !status.is_link {
        throw PodgetError(.disk, "\(path)/\(folder) is not a folder; move it away.")
      }
    }
    // Missing folders are created in the parent folder. AT_EACCESS checks the effective user, in
    // case it is not the real one.
    for folder in [".podget/partial", ".podget", "."] {
      if faccessat(root.number, folder, W_OK | X_OK, AT_EACCESS) == 0 { return }
      guard errno != ENOENT else { continue }
      throw PodgetError(
        .disk, "The library \(path) cannot be written: \(String(cString: strerror(errno))).")
    }
  }

  /// Checks that downloads can be recorded, and creates the folder for that.
  ///
  /// - Throws: a ``PodgetError`` with the code `disk` if they cannot.
  package func requirePartialFolder() throws(PodgetError) {
    do throws(DiskError) {
      _ = try PartialFolder(library: root)
    } catch {
      throw PodgetError(
        .disk, "The library \(path) cannot be used. \(error.podgetError.message)")
    }
  }

  /// An empty library, for a dry run where no folder exists yet.
  public static func absent(_ path: String) throws(PodgetError) -> Library {
    // A folder that was removed while open stays empty forever.
    var name = Array("/tmp/podget-XXXXXX".utf8CString)
    guard mkdtemp(&name) != nil,
      let root = try? OpenFile.folder(
        String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self),
        creating: false)
    else { throw PodgetError(.disk, "Cannot work below /tmp.") }
    rmdir(name)
    return Library(path: path, root: root)
  }

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
    reading(query, hasDetails: true, isEnough: isEnough)
  }

  /// The same, but without `hasDetails` the episodes have no enclosure, no checksum, and nothing
  /// else that ``EpisodeSummary`` lacks; if these are not enough, all have them.
  func reading(
    _ query: EpisodeQuery = .all, hasDetails: Bool,
    isEnough: ([LocalEpisode]) -> Bool
  ) -> LibraryReading {
    let records = partialRecords()
    let partials = partials(records)
    var notice: String?
    var found: FoundEpisodes
    do throws(LibraryDatabase.Failure) {
      found = try LibraryDatabase(library: self).episodes(
        query, and: records.kept.map(\.key), hasDetails: hasDetails
      ) { some in
        var some = some
        some.add(partials: partials)
        return isEnough(some.all)
      }
    } catch {
      if error == .newer {
        notice =
          "The index of the library \(path) was written by a newer podget; this one leaves it "
          + "alone and reads the records instead, which takes longer."
      }
      found = FoundEpisodes(FolderScan(root: root).changes(since: []))
    }
    found.episodes.add(partials: partials)
    return LibraryReading(
      episodes: found.episodes.all, areAll: found.areAll, notice: notice,
      errors: found.unreadable.map { unreadable($0) },
      refusals: found.refused.map { refused($0) } + records.refused.map { refused($0) },
      emptied: found.emptied.map {
        LibraryReading.Emptied(folder: $0.path, error: emptied($0))
      },
      copies: found.episodes.copies, absent: found.episodes.absent,
      unfinished: Self.newestFirst(records.kept))
  }

  /// The unfinished downloads, begun or not, newest episodes first.
  public func unfinished() -> [UnfinishedDownload] {
    Self.newestFirst(partialRecords().kept)
  }

  /// The refused plans of unfinished downloads, by their paths below the library, and why.
  public func refusedPlans() -> [(path: String, error: PodgetError)] {
    partialRecords().refused.map { error in
      let explanation = error.explanation
      let sentence = explanation.prefix(1).uppercased() + explanation.dropFirst()
      return (error.path, PodgetError(.disk, "\(sentence)."))
    }
  }

  /// The episode of a plan, if it is recorded in the plan's folder now.
  package func recorded(_ plan: DownloadPlan) throws(DiskError) -> LocalEpisode? {
    guard let folder = try existing(plan.folder) else { return nil }
    let path = plan.file.folder
    return try entry(plan.episodeKey, in: folder, at: path)
      .flatMap { LocalEpisode($0, in: folder, at: path) }
  }

  /// The current entry of an episode in the record of a folder; nil if there is no such folder.
  private func recordedEntry(
    _ key: EpisodeKey, in path: RelativePath
  ) throws(DiskError) -> FolderContents.Entry? {
    guard let folder = try existing(path.text) else { return nil }
    return try entry(key, in: folder, at: path)
  }

  /// The current entry of an episode in the record of a folder; nil if there is none.
  func entry(
    _ key: EpisodeKey, in folder: OpenFile, at path: RelativePath
  ) throws(DiskError) -> FolderContents.Entry? {
    let facts = try lines.facts(about: key, in: folder, at: path)
    guard let entry = FolderContents(facts).entry(key) else { return nil }
    // The disk may spell the name in another Unicode form, unless that is another episode's file.
    if let file = entry.file?.text, !file.utf8.allSatisfy({ $0 < 0x80 }),
      folder.status(of: file) == nil, folder.entries().contains(file),
      let found = FolderContents(try FolderRecords.read(in: folder), in: folder).entry(key)
    {
      return found
    }
    return entry
  }

  /// The folder `.podget`; nil when there is none and none is to be created.
  package func ownFolder(creating: Bool) throws(DiskError) -> OpenFile? {
    do throws(DiskError) {
      return try OpenFile.ownFolder(nil, in: root, creating: creating)
    } catch {
      guard error.number == ENOENT, !creating else { throw error }
      return nil
    }
  }

  /// A folder in `.podget` for what podget can get again, such as artworks; nil when there is none
  /// and none is to be created.
  package func ownFolder(named name: String, creating: Bool) throws(DiskError) -> OpenFile? {
    do throws(DiskError) {
      return try OpenFile.ownFolder(name, in: root, creating: creating)
    } catch {
      guard error.number == ENOENT, !creating else { throw error }
      return nil
    }
  }

  /// Whether the file of an episode exists now.
  package func holds(_ episode: LocalEpisode) -> Bool { root.status(of: episode.path) != nil }

  /// The planned names: those of unfinished downloads, and of files that were being adopted.
  ///
  /// - Parameters:
  ///   - unfinished: the unfinished downloads.
  ///   - isLeaving: whether the episode with a key releases its name.
  func plannedNames(
    _ unfinished: [UnfinishedDownload], without isLeaving: (EpisodeKey) -> Bool = { _ in false }
  ) -> TakenNames {
    var taken = TakenNames()
    for plan in unfinished.map(\.plan) where !isLeaving(plan.episodeKey) {
      taken.add(folder: plan.folder, stem: plan.stem, owner: plan.key)
    }
    for record in (try? existingPartialFolder())?.adoptions.all() ?? []
    where !isLeaving(record.key) {
      taken.add(folder: record.folder.text, stem: record.stem.text, owner: record.key.text)
    }
    return taken
  }
}

extension Library {
  /// Makes sure that the record of a folder can be read; a folder may have none, and may be
  /// missing.
  ///
  /// - Throws: a ``PodgetError`` with the code `disk`.
  func requireReadableRecord(in path: String) throws(PodgetError) {
    do throws(DiskError) {
      if let folder = try existing(path) { _ = try FolderRecords.read(in: folder) }
    } catch {
      throw unreadable(error.at("read", LibraryPath.join(path, FolderRecords.name)))
    }
  }

  /// A folder of the library; nil when there is none with that name.
  private func existing(_ path: String) throws(DiskError) -> OpenFile? {
    do throws(DiskError) {
      return try OpenFile.folder(path, in: root, creating: false)
    } catch {
      guard error.number == ENOENT || error.number == ENOTDIR else { throw error }
      return nil
    }
  }

  private static func newestFirst(_ records: [PartialRecord]) -> [UnfinishedDownload] {
    records.map(UnfinishedDownload.init).sorted {
      ($0.plan.episode.date ?? .distantPast) > ($1.plan.episode.date ?? .distantPast)
    }
  }

  /// The records of unfinished downloads, and why others are refused.
  private func partialRecords() -> (kept: [PartialRecord], refused: [DiskError]) {
    do throws(DiskError) {
      guard let contents = try existingPartialFolder()?.contents() else { return ([], []) }
      return (contents.records, contents.refused)
    } catch {
      return ([], [error])
    }
  }

  /// The error for a folder whose record is not known.
  func unreadable(_ error: DiskError) -> PodgetError {
    PodgetError(
      .disk,
      "Cannot read \(path)/\(error.path): \(error.explanation); what is "
        + "on record there is not known.")
  }

  private func refused(_ error: DiskError) -> PodgetError {
    PodgetError(.disk, "Cannot \(error.operation) \(path)/\(error.path): \(error.explanation).")
  }

  private func emptied(_ folder: EmptiedFolder) -> PodgetError {
    let files = folder.count == 1 ? "1 file" : "\(folder.count) files"
    return PodgetError(
      .disk,
      "The folder \(path)/\(folder.path) is empty, although its record lists \(files): mount the "
        + "disk that it is on, or remove the folder to forget them.")
  }

  /// Nil when there is none.
  private func existingPartialFolder() throws(DiskError) -> PartialFolder? {
    do throws(DiskError) {
      return PartialFolder(
        folder: try OpenFile.ownFolder("partial", in: root, creating: false))
    } catch {
      guard error.number == ENOENT else { throw error }
      return nil
    }
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
          isStarred: entry?.isStarred ?? false))
    }
  }
}
