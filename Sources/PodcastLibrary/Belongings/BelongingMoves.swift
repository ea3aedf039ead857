internal import CFiles
import Glibc
import PodcastModel
import PodcastTransfer

/// Moves the files beside an episode to its file's new name.
///
/// It may be repeated after a kill: a file that has moved already is recognized by its bytes. So it is
/// called before the new names are recorded, and again when a killed move is recorded.
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
