internal import CFiles
import Glibc
import PodcastModel
import PodcastTransfer

/// Moves the files beside an episode to its file's new name.
///
/// It may be repeated after a kill: a file that has moved already is recognized by its bytes, or if a
/// person has edited it since, by its name and time. So it is called before the new names are recorded,
/// and again when a killed move is recorded.
struct BelongingMoves {
  /// A file that got another name.
  struct Move {
    var old: EntryName
    var new: EntryName
    /// The old file, if it was copied to another file system and must be removed.
    var copied: podget_file_status?
  }

  let source: OpenFile
  let target: OpenFile
  /// The files that the record of the source folder names.
  var left = OwnedNames()
  /// The files that the record of the target folder names.
  var owned = OwnedNames()
  /// When a killed run began to move them, in nanoseconds since 1970; nil if none did.
  var movedSince: Int64?
  /// Why a file could not move to the other folder.
  private(set) var failure: DiskError?

  /// Moves the files of an entry.
  ///
  /// - Parameters:
  ///   - entry: the episode as the source folder's record has it.
  ///   - media: the new name of the episode's file.
  ///   - isMoving: whether files that are still in the source folder move, too.
  /// - Returns: what is to be recorded in the target folder, and which files have moved. A file that
  ///   cannot move stays where it is, and is recorded only if that is the same folder; otherwise
  ///   ``failure`` says why.
  mutating func follow(
    _ entry: FolderContents.Entry, to media: EntryName, isMoving: Bool = true
  ) -> (files: [EpisodeFile], moves: [Move]) {
    let isOne = source.isSameFolder(as: target)
    failure = nil
    var files: [EpisodeFile] = []
    var moves: [Move] = []
    for file in entry.otherFiles {
      // A file that another record names, too, stays with that one.
      guard left.isFree(file.path, for: entry.key) else { continue }
      var followed = file
      if let move = move(file, of: entry.key, to: media, isMoving: isMoving) {
        followed.path = move.new
        if move.new != move.old || !isOne { moves.append(move) }
      } else if !isOne {
        continue
      }
      owned.note(followed.path, of: entry.key)
      files.append(followed)
    }
    return (files, moves)
  }

  /// Gives the files their old names back, the last one first.
  ///
  /// - Returns: whether all have them.
  func undo(_ moves: [Move]) -> Bool {
    var areBack = true
    for move in moves.reversed() where move.copied == nil {
      guard target.status(of: move.new.text) != nil else { continue }
      let isBack =
        source.status(of: move.old.text) == nil
        && (try? MoveBatch.place(move.new.text, in: target, as: move.old.text, in: source)) != nil
      areBack = areBack && isBack
    }
    return areBack
  }

  /// Removes the old files of those that were copied.
  func removeCopied(_ moves: [Move]) {
    for move in moves {
      if let copied = move.copied { _ = try? source.remove(move.old.text, ifStill: copied) }
    }
  }

  /// Moves a file; nil if it stays where it is.
  private mutating func move(
    _ file: EpisodeFile, of key: EpisodeKey, to media: EntryName, isMoving: Bool
  ) -> Move? {
    let here = source.status(of: file.path.text)
    let names = BelongingName.candidates(
      beside: media, key: key, ending: BelongingName.ending(of: file.path)
    ).filter { owned.isFree($0, for: key) }
    if here == nil, let name = moved(file, among: names) { return Move(old: file.path, new: name) }
    for name in names {
      guard let there = target.status(of: name.text) else {
        // What a person has deleted stays so, whatever its name would be.
        guard let here else { return Move(old: file.path, new: name) }
        guard isMoving, here.is_regular || here.is_link else { return nil }
        do throws(DiskError) {
          let copied = try MoveBatch.place(file.path.text, in: source, as: name.text, in: target)
          return Move(old: file.path, new: name, copied: copied)
        } catch {
          if error.number == EEXIST { continue }
          failure = error
          return nil
        }
      }
      if let here, here.isSameFile(as: there) {
        guard file.path != name, isMoving else { return nil }
        // Another spelling of its name, on a file system that ignores case.
        let placed = try? MoveBatch.place(file.path.text, in: source, as: name.text, in: target)
        return placed == nil ? nil : Move(old: file.path, new: name)
      }
      if has(file, there, name, in: target) {
        // The old file is the source of a copy only if it is still the same: a person may have edited
        // it since, or copied the file by hand.
        let isCopied = isMoving && here.map { has(file, $0, file.path, in: source) } == true
        return Move(old: file.path, new: name, copied: isCopied ? here : nil)
      }
    }
    return nil
  }

  /// The name under which a killed run has put a file; nil if there is none. The file with the recorded
  /// bytes is the one, else the last one that has changed since: the rename was such a change, and so
  /// was each edit. What is older was there before.
  private func moved(_ file: EpisodeFile, among names: [EntryName]) -> EntryName? {
    guard let movedSince else { return nil }
    let there = names.compactMap { name in target.status(of: name.text).map { (name, $0) } }
    return there.first { has(file, $1, $0, in: target) }?.0
      ?? there.last { ($1.is_regular || $1.is_link) && $1.changed >= movedSince }?.0
  }

  /// Removes the old files of those that a killed run has copied and recorded, but for those that a
  /// person has edited since.
  ///
  /// - Parameters:
  ///   - entry: the episode as the target folder's record has it.
  ///   - old: the name that the episode's file had in the source folder.
  func removeLeft(by entry: FolderContents.Entry, from old: EntryName) {
    for file in entry.otherFiles {
      guard let there = target.status(of: file.path.text), has(file, there, file.path, in: target)
      else { continue }
      let names = BelongingName.candidates(
        beside: old, key: entry.key, ending: BelongingName.ending(of: file.path))
      for name in names where left.isNobodys(name) {
        guard let here = source.status(of: name.text), !here.isSameFile(as: there),
          has(file, here, name, in: source)
        else { continue }
        _ = try? source.remove(name.text, ifStill: here)
      }
    }
  }

  /// Whether a file of a folder has the recorded bytes.
  private func has(
    _ file: EpisodeFile, _ status: podget_file_status, _ name: EntryName, in folder: OpenFile
  ) -> Bool {
    guard let sha256 = file.sha256, status.is_regular, status.size == file.bytes else {
      return false
    }
    return (try? folder.mediaFile(name.text).sha256(name.text)) == sha256
  }
}
