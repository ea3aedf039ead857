internal import CFiles
import FoundationEssentials
import Glibc
public import PodcastModel
import PodcastTransfer

/// Moves files of the library, so that a kill at any point loses none of them.
///
/// Each file's checksum is recorded before the file moves. After the move, the record of the new
/// folder is updated, then that of the old one. If it is killed between the move and the record,
/// podget finds the file by its checksum or by the list of moves that ``Library/writeUndo(of:at:)``
/// has written.
public struct FileMover: Sendable {
  /// How many files of one folder move before their records are written together.
  private static let batchSize = 64

  private let library: Library
  private var owners: [RelativePath: EpisodeKey] = [:]
  /// The records of the folders of the last batch.
  private var records: [RelativePath: FolderRecord] = [:]
  /// Whether a file was moved but not recorded in its new place: the next reading of the library
  /// finds it by the list of moves.
  public private(set) var hasStrays = false

  /// Creates a mover of the library's episodes.
  ///
  /// - Parameters:
  ///   - library: the library.
  ///   - episodes: its episodes.
  public init(_ library: Library, _ episodes: [LocalEpisode]) {
    self.library = library
    for local in episodes where local.status == .complete {
      if let path = RelativePath(local.path) { owners[path] = local.plan.episodeKey }
    }
  }

  /// Makes moves in an order in which none blocks another.
  ///
  /// A file that cannot move stays where it is, and the others continue.
  ///
  /// - Returns: why files could not be moved, by their keys.
  public mutating func perform(_ moves: [FileMove]) -> [EpisodeKey: PodgetError] {
    var failures: [EpisodeKey: PodgetError] = [:]
    var batch: [FileMove] = []
    var leaving: Set<ComparableName> = []
    func folders(_ move: FileMove) -> [RelativePath?] {
      [move.from.split?.folder, move.to.split?.folder]
    }
    for move in FileMove.ordered(moves) {
      // Until a file is recorded under its new name, its old name must not be used again: after a
      // kill its record would describe the other file.
      if let first = batch.first,
        batch.count == Self.batchSize || folders(first) != folders(move)
          || batch.contains(where: { $0.key == move.key })
          || leaving.contains(FileMove.comparable(move.to))
      {
        perform(batch: batch, &failures)
        batch = []
        leaving = []
      }
      batch.append(move)
      leaving.insert(FileMove.comparable(move.from))
    }
    if !batch.isEmpty { perform(batch: batch, &failures) }
    library.removeEmptied(after: moves)
    return failures
  }
}

extension FileMover {
  private mutating func perform(
    batch moves: [FileMove], _ failures: inout [EpisodeKey: PodgetError]
  ) {
    guard let first = moves.first else { return }
    var batch: MoveBatch?
    do throws(DiskError) {
      guard let from = first.from.split?.folder, let to = first.to.split?.folder else {
        throw DiskError(EINVAL, "move", first.from.text, reason: "it is not the path of a file")
      }
      let source = try record(of: from, creating: false)
      // Two paths may be one folder if they differ in the Unicode form.
      let target = from == to ? source : try record(of: to, creating: true)
      let isOne = source.folder.isSameFolder(as: target.folder)
      records = [:]
      let made = try MoveBatch(
        moves.filter { failures[$0.key] == nil }, in: library, from: source, at: from,
        to: isOne ? nil : target, at: to)
      batch = made
      try made.secureChecksums()
      made.place(owners: owners)
      for move in try made.record() {
        owners[move.from] = nil
        owners[move.to] = move.key
      }
      records[from] = made.source
      records[to] = made.target ?? made.source
    } catch {
      for move in moves where failures[move.key] == nil && batch?.failures[move.key] == nil {
        failures[move.key] = error.podgetError
      }
    }
    failures.merge(batch?.failures ?? [:]) { first, _ in first }
    if batch?.hasStrays == true { hasStrays = true }
  }

  /// The record of a folder, kept from before or read again.
  private func record(
    of path: RelativePath, creating: Bool
  ) throws(DiskError) -> FolderRecord {
    let folder =
      try creating
      ? library.episodeFolder(path) : OpenFile.folder(path, in: library.root, creating: false)
    if let known = records[path], known.folder.isSameFolder(as: folder) { return known }
    return try FolderRecord(in: folder)
  }
}

extension Library {
  /// Removes the folders that moves have emptied.
  func removeEmptied(after moves: [FileMove]) {
    let targets = Dictionary(
      moves.map { ($0.from.split?.folder, $0.to.split?.folder) }
    ) { first, _ in first }
    for (folder, target) in targets {
      if let folder { removeIfEmptied(folder, movedTo: target ?? nil) }
    }
  }

  /// Removes a folder in which only a record of former files is left, and then its empty parent
  /// folders. The image of a podcast goes along with its episodes.
  ///
  /// - Parameter target: the folder to which one of its files has moved.
  private func removeIfEmptied(_ path: RelativePath, movedTo target: RelativePath?) {
    guard let (above, name) = path.split,
      let folder = try? OpenFile.folder(path, in: root, creating: false)
    else { return }
    var names = folder.entries()
    let sidecars = Set(folder.sidecars(among: names.compactMap(EntryName.init)))
    names.removeAll { name in EntryName(name).map { sidecars.contains($0) } ?? false }
    if let target, names.count <= 2, names.contains(FolderRecords.name),
      let facts = try? FolderRecords.read(in: folder), case let contents = FolderContents(facts),
      let cover = contents.cover, names.contains(cover.path.text),
      contents.entries.allSatisfy({ $0.finishedFile == nil }),
      moveCover(cover, of: contents, from: folder, to: target)
    {
      names.removeAll { $0 == cover.path.text }
    }
    guard names.isEmpty || names == [FolderRecords.name] else { return }
    if !names.isEmpty {
      // The lock stops other processes that are about to write a line. A program that this one is starting
      // has its open files, and so the lock, until it runs.
      let patience = ContinuousClock.now + .seconds(1)
      guard
        let record = try? OpenFile.ownFile(
          FolderRecords.name, in: folder, limit: FolderRecords.maximumBytes),
        (try? record.waitForLock(FolderRecords.name) { .now > patience }) != nil,
        // The last holder of the lock may have replaced the file.
        let locked = record.status, let named = folder.status(of: FolderRecords.name),
        named.isSameFile(as: locked)
      else { return }
      // A record that cannot be read may contain anything, and so may an unreadable line.
      guard let reading = try? FolderRecords.log(in: folder).reading(), reading.refusal == nil,
        !reading.hasUnknownLines
      else { return }
      let isOver = FolderContents(reading.lines).entries.allSatisfy {
        // What is said of a file that has left was said again where it is.
        $0.file == nil && !$0.isStarred && $0.removedAt == nil
          && ($0.parts.others.isEmpty || $0.parts.file > .never)
      }
      guard isOver, unlinkat(folder.number, FolderRecords.name, 0) == 0 else { return }
    }
    for sidecar in sidecars { unlinkat(folder.number, sidecar.text, 0) }
    guard let parent = try? OpenFile.folder(above, in: root, creating: false),
      // A link to a folder stays: it says where the podcast belongs.
      unlinkat(parent.number, name.text, AT_REMOVEDIR) == 0
    else { return }
    removeIfEmptied(above, movedTo: target?.split?.folder)
  }
}
