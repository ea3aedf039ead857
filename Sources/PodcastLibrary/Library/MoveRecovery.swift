internal import CFiles
import FoundationEssentials
import Glibc
import PodcastModel
public import PodcastTransfer

/// The list of the moves of one run. While it is held, other processes see that the run has not been
/// killed.
public struct MoveList: Sendable {
  /// The path of the file below the library.
  public let path: String
  private let file: OpenFile

  init(path: String, file: OpenFile) {
    (self.path, self.file) = (path, file)
  }

  /// Marks that the run has ended: every file that was moved is recorded.
  ///
  /// - Throws: a `DiskError` when the line cannot be written.
  public func end() throws(DiskError) {
    let name = LibraryPath.split(path).name
    var last: UInt8 = 0x0A
    // A kill may have cut the last line.
    if let size = file.status?.size, size > 0 { pread(file.number, &last, 1, off_t(size) - 1) }
    try file.writeAll((last == 0x0A ? Data() : Data([0x0A])) + Library.endOfMoves + [0x0A], name)
  }
}

/// What a killed run of `rename` has left.
extension Library {
  /// Ends the lists of moves of killed runs. Files that were moved are recorded in their new places, and
  /// of those that were copied to another disk the old ones are removed; no other file moves.
  ///
  /// A list stays open if something could not be read, recorded or locked: the next call tries it again.
  func endKilledMoves() {
    guard let folder = movesFolder() else { return }
    let killed = folder.entries().compactMap { killedList($0, in: folder) }
    guard !killed.isEmpty else { return }
    let reading = reading()
    guard reading.problems.isEmpty, reading.incomplete.isEmpty else { return }
    var episodes = reading.episodes
    guard findInterrupted(&episodes, isRecording: true) else { return }
    var places: [EpisodeKey: Set<RelativePath>] = [:]
    for local in episodes + reading.copies where local.status == .complete {
      if let path = RelativePath(local.path) {
        places[local.plan.episodeKey, default: []].insert(path)
      }
    }
    for list in killed {
      let listed = moves(in: LibraryPath.split(list.path).name, of: folder)
      let copied = listed.filter { move in
        guard places[move.key]?.contains(move.from) == true,
          let here = root.mediaStatus(of: move.from.text),
          let there = root.mediaStatus(of: move.to.text)
        else { return false }
        return !here.isSameFile(as: there) && move.isFile(here) && move.isFile(there)
      }
      var mover = FileMover(self, episodes)
      guard mover.perform(copied.map(\.move)).isEmpty, !mover.hasStrays else { continue }
      removeOriginals(of: listed)
      removeEmptied(after: listed.map(\.move))
      try? list.end()
    }
  }

  /// Removes what a killed run has copied to another disk and recorded there: no record names the old
  /// files any more.
  private func removeOriginals(of moves: [ListedMove]) {
    let groups = Dictionary(grouping: moves) { [$0.from.split?.folder, $0.to.split?.folder] }
    for group in groups.values {
      guard let from = group.first?.from.split?.folder, let to = group.first?.to.split?.folder,
        from != to, let source = try? OpenFile.folder(from, in: root, creating: false),
        let target = try? OpenFile.folder(to, in: root, creating: false),
        !source.isSameFolder(as: target), let owned = try? OwnedNames(in: source),
        let entries = try? entries(group.map(\.key), in: target, at: to)
      else { continue }
      let others = BelongingMoves(source: source, target: target, left: owned)
      for move in group {
        guard let name = move.from.split?.name, let newName = move.to.split?.name,
          let entry = entries[move.key], entry.finishedFile == newName, owned.isNobodys(name),
          let there = target.status(of: newName.text)
        else { continue }
        others.removeLeft(by: entry, from: name)
        guard let here = source.status(of: name.text), !here.isSameFile(as: there),
          move.isFile(here), move.isFile(there),
          let old = try? PartFile.opened(name.text, in: source),
          (try? old.hasSameBytes(as: newName.text, in: target, isCancelled: { false })) == true
        else { continue }
        _ = try? source.remove(name.text, ifStill: here)
      }
    }
  }

  /// The list of a run that was killed, locked; nil if the run has ended or goes on.
  private func killedList(_ name: String, in folder: OpenFile) -> MoveList? {
    guard isOpenList(name, in: folder),
      let file = try? OpenFile.writableOwnFile(name, in: folder, flags: O_RDWR | O_APPEND),
      flock(file.number, LOCK_EX | LOCK_NB) == 0, isOpenList(name, in: folder)
    else { return nil }
    return MoveList(path: "\(Self.renamesPath)/\(name)", file: file)
  }
}
