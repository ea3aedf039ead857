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
  /// Whether there was no folder, so that one was created.
  var isNew = false
  private let lines = RecordLines()

  /// Opens the library, and creates its folder when `creating`.
  ///
  /// - Returns: nil when there is no such folder and none was to be created.
  /// - Throws: a ``PodgetError`` with the code `disk` when the path is not a folder or may not be
  ///   read.
  public static func open(_ path: String, creating: Bool) throws(PodgetError) -> Library? {
    do throws(DiskError) {
      if creating { return try created(path) }
      return Library(path: path, root: try OpenFile.folder(path, creating: false).asLibrary())
    } catch {
      if error.number == ENOENT, !creating { return nil }
      throw PodgetError(
        error.isFull ? .diskFull : .disk,
        "Cannot open the library \(path): \(String(cString: strerror(error.number))).")
    }
  }

  /// Makes sure that podget may write to the library, before any network request, and ends what a
  /// killed `rename` or `tag` has left.
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
      if faccessat(root.number, folder, W_OK | X_OK, AT_EACCESS) == 0 {
        endKilledMoves()
        return endKilledTags()
      }
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
        String(decoding: name.dropLast().map(UInt8.init(truncatingIfNeeded:)), as: UTF8.self),
        creating: false)
    else { throw PodgetError(.disk, "Cannot work below /tmp.") }
    rmdir(name)
    return Library(path: path, root: root)
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
  func recordedEntry(
    _ key: EpisodeKey, in path: RelativePath
  ) throws(DiskError) -> FolderContents.Entry? {
    guard let folder = try existing(path.text) else { return nil }
    return try entry(key, in: folder, at: path)
  }

  /// The current entry of an episode in the record of a folder; nil if there is none.
  func entry(
    _ key: EpisodeKey, in folder: OpenFile, at path: RelativePath
  ) throws(DiskError) -> FolderContents.Entry? {
    try entries([key], in: folder, at: path)[key]
  }

  /// The current entries of episodes in the record of a folder, by their keys. The record is not read
  /// as a whole: it may have very many others.
  func entries(
    _ keys: [EpisodeKey], in folder: OpenFile, at path: RelativePath
  ) throws(DiskError) -> [EpisodeKey: FolderContents.Entry] {
    let facts = try lines.facts(about: keys, in: folder, at: path) { record in
      LibraryDatabase(library: self).facts(about: keys, in: folder, at: path, of: record)
    }
    let contents = FolderContents(keys.flatMap { facts[$0] ?? [] })
    var entries = Dictionary(contents.entries.map { ($0.key, $0) }) { first, _ in first }
    // The disk may spell a name in another Unicode form, unless that is another episode's file.
    let absent = contents.entries.flatMap { entry in
      [entry.file].compactMap(\.self)
        + (entry.removedAt == nil ? entry.otherFiles.map(\.path) : [])
    }.filter { !$0.text.isASCII && folder.status(of: $0.text) == nil }
    guard !absent.isEmpty,
      (try? FolderListing(folder, lookingFor: absent))?.hasOtherForms == true
    else { return entries }
    let found = FolderContents(try FolderRecords.read(in: folder), in: folder)
    for key in keys { entries[key] = found.entry(key) ?? entries[key] }
    return entries
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

  static func newestFirst(_ records: [PartialRecord]) -> [UnfinishedDownload] {
    records.map(UnfinishedDownload.init).sorted {
      ($0.plan.episode.date ?? .distantPast) > ($1.plan.episode.date ?? .distantPast)
    }
  }

  /// The records of unfinished downloads, and why others are refused.
  func partialRecords() -> (kept: [PartialRecord], refused: [DiskError]) {
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

  /// Nil when there is none.
  func existingPartialFolder() throws(DiskError) -> PartialFolder? {
    do throws(DiskError) {
      return PartialFolder(
        folder: try OpenFile.ownFolder("partial", in: root, creating: false))
    } catch {
      guard error.number == ENOENT else { throw error }
      return nil
    }
  }
}
