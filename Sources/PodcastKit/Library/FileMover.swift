internal import CFiles
import FoundationEssentials
import Glibc

/// Moves files of the library, so that a kill at any point loses none of them.
///
/// Each file's checksum is on record before it moves. After the move, the record of its new folder
/// learns of it, then that of the old one. Killed between the move and the record, podget finds the
/// file by its checksum.
public struct FileMover: Sendable {
  /// How many files of one folder move before their records are written in one go.
  private static let batchSize = 64

  private let library: Library
  private let emptied: [LibraryReading.Emptied]
  private var locals: [EpisodeKey: LocalEpisode] = [:]
  private var owners: [RelativePath: EpisodeKey] = [:]

  /// Makes a mover of the library's episodes.
  ///
  /// - Parameters:
  ///   - library: the library.
  ///   - episodes: its episodes.
  ///   - emptied: folders whose disks are not there, as a reading of the library found them: no file
  ///     moves into one.
  public init(
    _ library: Library, _ episodes: [LocalEpisode], emptied: [LibraryReading.Emptied] = []
  ) {
    self.library = library
    self.emptied = emptied
    for local in episodes where local.status == .complete {
      let key = local.plan.episodeKey
      locals[key] = local
      if let path = RelativePath(local.path) { owners[path] = key }
    }
  }

  /// Makes moves in an order in which none is in the way of another.
  ///
  /// A file that cannot move stays where it is, and the others go on.
  ///
  /// - Returns: why files could not be moved, by their keys.
  public mutating func perform(_ moves: [FileMove]) -> [EpisodeKey: PodgetError] {
    var failures: [EpisodeKey: PodgetError] = [:]
    for move in moves {
      guard let (folder, file) = move.to.split else { continue }
      failures[move.key] = emptied.obstacle(to: PlannedFile(folder: folder, file: file))
    }
    var batch: [FileMove] = []
    func folders(_ move: FileMove) -> [RelativePath?] {
      [move.from.split?.folder, move.to.split?.folder]
    }
    for move in FileMove.ordered(moves.filter({ failures[$0.key] == nil })) {
      if let first = batch.first,
        batch.count == Self.batchSize || folders(first) != folders(move)
          || batch.contains(where: { $0.key == move.key })
      {
        perform(batch: batch, &failures)
        batch = []
      }
      batch.append(move)
    }
    if !batch.isEmpty { perform(batch: batch, &failures) }
    for folder in Set(moves.compactMap { $0.from.split?.folder }) {
      library.removeIfEmptied(folder)
    }
    return failures
  }
}

extension FileMover {
  private mutating func perform(
    batch: [FileMove], _ failures: inout [EpisodeKey: PodgetError]
  ) {
    guard let first = batch.first else { return }
    do throws(DiskError) {
      guard let from = first.from.split?.folder, let to = first.to.split?.folder else {
        throw DiskError(EINVAL, "move", first.from.text, reason: "it is not the path of a file")
      }
      let source = try FileDescriptor.folder(from, in: library.root, creating: false)
      let target = try FileDescriptor.folder(to, in: library.root, creating: true)
      let pending = batch.filter { failures[$0.key] == nil && locals[$0.key] != nil }
      try secureChecksums(of: pending, in: source, at: from, &failures)
      var moved: [FileMove] = []
      var copied: [(name: String, before: podget_file_status)] = []
      for move in pending where failures[move.key] == nil {
        do throws(DiskError) {
          let (name, newName) = (
            LibraryPath.split(move.from.text).name, LibraryPath.split(move.to.text).name
          )
          // A file of the same bytes under the new name is what a killed run copied there, unless it
          // is another episode's.
          guard owners[move.to] ?? move.key == move.key else {
            throw DiskError(EEXIST, "move \(name) to", newName)
          }
          if let before = try Self.place(name, in: source, as: newName, in: target) {
            copied.append((name, before))
          }
          moved.append(move)
        } catch {
          failures[move.key] = error.podgetError
        }
      }
      try record(moved, source, target, from: from, to: to)
      // What came to the old name meanwhile is not podget's, and stays.
      for (name, before) in copied { _ = try source.remove(name, ifStill: before) }
    } catch {
      for move in batch where failures[move.key] == nil {
        failures[move.key] = error.podgetError
      }
    }
  }

  /// Takes the checksums that are not on record yet; a file that cannot be read fails by itself.
  private mutating func secureChecksums(
    of moves: [FileMove], in folder: FileDescriptor, at path: RelativePath,
    _ failures: inout [EpisodeKey: PodgetError]
  ) throws(DiskError) {
    var facts: [FolderFact] = []
    for move in moves {
      // A length that is not the recorded one tells of damage, which a new checksum would hide.
      guard var local = locals[move.key], local.sha256 == nil,
        local.total ?? local.bytes == local.bytes
      else { continue }
      guard let file = move.from.split?.name else { continue }
      let name = file.text
      do throws(DiskError) {
        local.sha256 = try FileDescriptor.ownFile(name, in: folder, limit: .max).sha256(name)
      } catch {
        failures[move.key] = error.podgetError
        continue
      }
      local.total = local.bytes
      locals[move.key] = local
      facts += local.arrival(in: path, as: file)
    }
    if !facts.isEmpty { try FolderRecords.append(facts, in: folder) }
  }

  /// Gives a file its new name.
  ///
  /// - Returns: what the file was before it was copied to another file system, where the old one is
  ///   to be removed; nil where it has moved.
  private static func place(
    _ name: String, in source: FileDescriptor, as newName: String, in target: FileDescriptor
  ) throws(DiskError) -> podget_file_status? {
    guard let file = try PartFile.opened(name, in: source) else {
      throw DiskError(ENOENT, "move", name)
    }
    try file.lock()
    let here = try file.status()
    if let there = target.status(of: newName), there.isSameFile(as: here) {
      // Another spelling of the name it has, on a file system that ignores case.
      _ = try retryingInterrupts("move", name) {
        renameat(source.number, name, target.number, newName)
      }
      return nil
    }
    switch try file.place(as: newName, in: target, replacing: false) {
    case .renamed: return nil
    case .copied: return here
    case .taken: throw DiskError(EEXIST, "move \(name) to", newName)
    }
  }

  private mutating func record(
    _ moves: [FileMove], _ source: FileDescriptor, _ target: FileDescriptor,
    from: RelativePath, to: RelativePath
  ) throws(DiskError) {
    guard !moves.isEmpty else { return }
    // Before a record says that a file is there, its name must be durable.
    try target.synchronize(to.text)
    var arrivals: [FolderFact] = []
    var departures: [FolderFact] = []
    for move in moves {
      guard let local = locals[move.key], let (folder, name) = move.to.split else { continue }
      arrivals += local.arrival(in: to, as: name)
      departures.append(local.departure)
      locals[move.key] = local.located(at: PlannedFile(folder: folder, file: name))
      owners[move.from] = nil
      owners[move.to] = move.key
    }
    try FolderRecords.append(arrivals, in: target)
    // Two paths may still be one folder, where they differ in the Unicode form.
    guard from != to, !source.isSameFolder(as: target) else { return }
    try source.synchronize(from.text)
    try FolderRecords.append(departures, in: source)
  }
}

extension Library {
  /// Removes a folder that nothing is left of but the record of what it held once, and then those
  /// above it that are empty.
  fileprivate func removeIfEmptied(_ path: RelativePath) {
    guard let (above, name) = path.split,
      let folder = try? FileDescriptor.folder(path, in: root, creating: false)
    else { return }
    let names = folder.entries()
    guard names.isEmpty || names == [FolderRecords.name] else { return }
    if !names.isEmpty {
      // The lock keeps away whoever is about to write a line.
      guard
        let record = try? FileDescriptor.ownFile(
          FolderRecords.name, in: folder, limit: FolderRecords.maximumBytes),
        flock(record.number, LOCK_EX | LOCK_NB) == 0,
        // Whoever held the lock before may have put another file in its place.
        let locked = record.status, let named = folder.status(of: FolderRecords.name),
        named.isSameFile(as: locked)
      else { return }
      // A record that cannot be read may say anything.
      guard let reading = try? FolderRecords.reading(in: folder), reading.refusal == nil else {
        return
      }
      let isOver = FolderContents(reading.facts).entries.allSatisfy {
        $0.file == nil && !$0.isStarred && $0.removedAt == nil
      }
      guard isOver, unlinkat(folder.number, FolderRecords.name, 0) == 0 else { return }
    }
    guard let parent = try? FileDescriptor.folder(above, in: root, creating: false),
      // A link to a folder stays: it says where the podcast is to be.
      unlinkat(parent.number, name.text, AT_REMOVEDIR) == 0
    else { return }
    removeIfEmptied(above)
  }
}
