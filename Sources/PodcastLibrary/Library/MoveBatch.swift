internal import CFiles
import FoundationEssentials
import Glibc
import PodcastModel
import PodcastTransfer

/// The moves of some files from one folder of the library to another, or within one, which are
/// recorded together.
///
/// Each episode is locked as a download locks it, so that its file and its record do not change.
/// Only stars may change, and another library may share the folder: so the records are read again
/// when they are written.
final class MoveBatch {
  /// A file that moves.
  struct Item {
    let move: FileMove
    let name: EntryName
    let newName: EntryName
    /// The entry of the file in the record of the old folder.
    var entry: FolderContents.Entry
    var placement = Placement.none
    /// The files beside it, as they are to be recorded, and which of them have moved.
    var others: [EpisodeFile] = []
    var otherMoves: [BelongingMoves.Move] = []
  }

  /// How a file got its new name.
  package enum Placement {
    case none, moved
    /// By a copy of the old file, which was this one.
    case copied(podget_file_status)
  }

  private let library: Library
  private let partials: PartialFolder
  private var locks: [PartFile] = []
  let from: RelativePath
  let to: RelativePath
  /// The record of the old folder.
  var source: FolderRecord
  /// The record of the new folder; nil if it is the same.
  var target: FolderRecord?
  var items: [Item] = []
  /// Why files could not be moved.
  var failures: [EpisodeKey: PodgetError] = [:]
  /// Whether a file has its new name but is not recorded there.
  var hasStrays = false
  /// Moves of killed runs, which may be recorded in the new place only.
  private lazy var interrupted = Set(library.interruptedMoves().map(\.move))

  /// Locks the episodes and looks up their records.
  init(
    _ moves: [FileMove], in library: Library, from source: FolderRecord, at from: RelativePath,
    to target: FolderRecord?, at to: RelativePath
  ) throws(DiskError) {
    self.library = library
    partials = try PartialFolder(library: library.root)
    (self.source, self.target, self.from, self.to) = (source, target, from, to)
    for move in moves {
      attempt(move) { () throws(DiskError) in try lock(move) }
    }
    // Read only now: a locked episode does not change any more.
    try self.source.refresh()
    try self.target?.refresh()
    for move in moves where failures[move.key] == nil {
      attempt(move) { () throws(DiskError) in items.append(try item(move)) }
    }
  }

  deinit {
    // A part that was created for the lock only is removed.
    for lock in locks where (try? lock.size()) == 0 { lock.remove() }
  }

  private func attempt(_ move: FileMove, _ body: () throws(DiskError) -> Void) {
    do throws(DiskError) {
      try body()
    } catch {
      failures[move.key] = error.podgetError
    }
  }

  private func lock(_ move: FileMove) throws(DiskError) {
    let name = LibraryPath.split(move.from.text).name
    guard let lock = try partials.openPart(move.key.text) else {
      throw DiskError(EBUSY, "move", name, reason: "another podget is using the episode")
    }
    locks.append(lock)
    // A download may be meant to replace the file by its name.
    guard try partials.read(move.key.text) == nil else {
      throw DiskError(
        EBUSY, "move", name,
        reason: "the download of the episode is not finished", remedy: .finishDownload)
    }
  }

  private func item(_ move: FileMove) throws(DiskError) -> Item {
    guard let name = move.from.split?.name, let newName = move.to.split?.name else {
      throw DiskError(EINVAL, "move", move.from.text, reason: "it is not the path of a file")
    }
    guard let entry = source.contents.entry(move.key), entry.finishedFile == name else {
      throw DiskError(
        ENOENT, "move", name.text, reason: "it is not on record under that name any more")
    }
    if let target, target.contents.entry(move.key)?.finishedFile == newName,
      target.folder.status(of: newName.text) != nil, !interrupted.contains(move)
    {
      throw DiskError(
        EEXIST, "move", name.text,
        reason: "the episode is on record as \(move.to) too; both files are kept")
    }
    return Item(move: move, name: name, newName: newName, entry: entry)
  }
}

extension MoveBatch {
  /// Computes the checksums that are not recorded yet; a file that cannot be read fails alone.
  func secureChecksums() throws(DiskError) {
    var sums: [EpisodeKey: (bytes: Int64, sha256: String)] = [:]
    for item in items where item.entry.sha256 == nil {
      attempt(item.move) { () throws(DiskError) in
        let name = item.name.text
        let file = try source.folder.mediaFile(name)
        guard let bytes = file.status?.size else { throw DiskError(errno, "examine", name) }
        // A length that differs from the recorded one means damage, which a new checksum would
        // hide.
        guard item.entry.bytes ?? bytes == bytes else { return }
        sums[item.move.key] = (bytes, try file.sha256(name))
      }
    }
    items.removeAll { failures[$0.move.key] != nil }
    try source.update { record in
      items.flatMap { item -> [FolderFact] in
        guard let sum = sums[item.move.key], var entry = record.contents.entry(item.move.key),
          entry.hasSameFile(as: item.entry)
        else { return [] }
        let before = entry
        (entry.bytes, entry.sha256, entry.audio) = (sum.bytes, sum.sha256, nil)
        return entry.arrival(as: item.name, after: before)
      }
    }
    for (index, item) in items.enumerated() {
      guard let now = source.contents.entry(item.move.key) else { continue }
      items[index].entry = now
    }
  }

  /// Gives the files their new names; one that cannot have it stays where it is.
  ///
  /// - Parameter owners: the owners of the library's paths.
  func place(owners: [RelativePath: EpisodeKey]) {
    let folder = target?.folder ?? source.folder
    var others = BelongingMoves(source: source.folder, target: folder)
    if items.contains(where: { !$0.entry.otherFiles.isEmpty }) {
      others.left = OwnedNames(source.contents)
      others.owned = target.map { OwnedNames($0.contents) } ?? others.left
    }
    for (index, item) in items.enumerated() {
      attempt(item.move) { () throws(DiskError) in
        // A file with the same bytes under the new name was copied there by a killed run, unless it
        // is another episode's.
        guard owners[item.move.to] ?? item.move.key == item.move.key else {
          throw DiskError(EEXIST, "move \(item.name) to", item.newName.text)
        }
        let before = try Self.place(
          item.name.text, in: source.folder, as: item.newName.text, in: folder)
        items[index].placement = before.map { Placement.copied($0) } ?? .moved
        (items[index].others, items[index].otherMoves) = others.follow(
          item.entry, to: item.newName)
        guard let failure = others.failure, target != nil else { return }
        // They stay together: a file that stayed behind alone would be nobody's.
        if !others.undo(items[index].otherMoves) { hasStrays = true }
        if case .moved = items[index].placement {
          let back = try? Self.place(
            item.newName.text, in: folder, as: item.name.text, in: source.folder)
          if back == nil, folder.status(of: item.newName.text) != nil { hasStrays = true }
        }
        throw failure
      }
    }
    items.removeAll { failures[$0.move.key] != nil }
  }

  /// Gives a file its new name.
  ///
  /// - Returns: the identity of the file before it was copied to another file system, or of a link
  ///   that was copied, if the old one must be removed; nil if it was moved.
  static func place(
    _ name: String, in source: OpenFile, as newName: String, in target: OpenFile
  ) throws(DiskError) -> podget_file_status? {
    if let link = source.status(of: name), link.is_link,
      target.status(of: newName)?.isSameFile(as: link) != true
    {
      guard try source.copyLink(name, as: newName, in: target) else {
        throw DiskError(EEXIST, "move \(name) to", newName)
      }
      return link
    }
    guard let file = try PartFile.opened(name, in: source) else {
      throw DiskError(ENOENT, "move", name)
    }
    try file.lock()
    let here = try file.status()
    if let there = target.status(of: newName), there.isSameFile(as: here) {
      // Another spelling of its current name, on a file system that ignores case.
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
}
