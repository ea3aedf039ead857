internal import CFiles
public import FoundationEssentials
import Glibc
import PodcastModel
public import PodcastTransfer

/// A line of the file that lists the moves of one `rename`: the move, and the identity of its file,
/// in case of a kill between the move and the record.
struct ListedMove: Codable, Sendable, Hashable {
  var key: EpisodeKey
  var from: RelativePath
  var to: RelativePath
  /// The length of the file before the move; nil if podget may not be the one that created the file
  /// at the new path.
  var bytes: Int64?
  /// The modification time of the file, in nanoseconds since 1970.
  var modified: Int64?
  /// When the list was written, in the same unit: no file moved before. The list itself does not say it.
  var began: Int64 = .max

  private enum CodingKeys: String, CodingKey {
    case key, from, to, bytes, modified
  }

  /// The move itself.
  var move: FileMove { FileMove(key: key, from: from, to: to) }

  /// Whether a file is the one that moved. Both numbers survive a rename and a reboot; device and
  /// inode numbers do not on every file system.
  func isFile(_ status: podget_file_status) -> Bool {
    status.is_regular && status.size == bytes && status.modified == modified
  }
}

/// The files below `.podget/renames`, one for each run of `rename`. They can undo it, and until it
/// has ended they say where its files may be.
extension Library {
  private static let movesName = "renames"
  /// The folder of these files, below the library.
  package static let renamesPath = ".podget/\(movesName)"
  /// The last line of a run that has ended.
  static let endOfMoves = Data(#"{"ended":true}"#.utf8)

  /// Writes moves, one JSON object per line, for a later undo: below `.podget/renames` in the
  /// library. ``MoveList/end()`` marks that they have been made.
  ///
  /// - Returns: the list, to be held until then.
  public func writeUndo(
    of moves: [FileMove], at date: Date
  ) throws(DiskError) -> MoveList {
    let folder = try OpenFile.ownFolder(Self.movesName, in: root, creating: true)
    let time = date.timestamp.filter { $0 != ":" && $0 != "-" }
    let leaving = Set(moves.map(\.from))
    var lines = Data()
    for move in moves {
      var listed = ListedMove(key: move.key, from: move.from, to: move.to)
      if let file = root.mediaStatus(of: move.from.text),
        leaving.contains(move.to)
          || root.mediaStatus(of: move.to.text)?.isSameFile(as: file) ?? true
      {
        (listed.bytes, listed.modified) = (file.size, file.modified)
      }
      lines += try RecordEncoder.data(listed, for: time) + [0x0A]
    }
    for number in 1...1_000 {
      let name = number == 1 ? "\(time).ndjson" : "\(time)-\(number).ndjson"
      do throws(DiskError) {
        let file = try OpenFile.writableOwnFile(
          name, in: folder, flags: O_RDWR | O_APPEND | O_EXCL)
        // Without locks on this file system, the list stays open after a kill.
        flock(file.number, LOCK_EX | LOCK_NB)
        try file.writeAll(lines, name)
        try file.synchronize(name)
        try folder.synchronize(name)
        return MoveList(path: "\(Self.renamesPath)/\(name)", file: file)
      } catch {
        guard error.number == EEXIST else { throw error }
      }
    }
    throw DiskError(EEXIST, "create", "\(time).ndjson")
  }

  /// The moves of runs that were killed or have not ended, the latest run first; without those
  /// whose files cannot be identified.
  func interruptedMoves() -> [ListedMove] {
    guard let folder = movesFolder() else { return [] }
    return folder.entries().reversed().filter { isOpenList($0, in: folder) }.flatMap {
      moves(in: $0, of: folder)
    }
  }

  /// The folder of the lists; nil if there is none.
  func movesFolder() -> OpenFile? {
    try? OpenFile.ownFolder(Self.movesName, in: root, creating: false)
  }

  /// Whether a file is a list of moves whose run has not ended.
  func isOpenList(_ name: String, in folder: OpenFile) -> Bool {
    guard name.hasSuffix(".ndjson"),
      let file = try? OpenFile.ownFile(name, in: folder, limit: FolderRecords.maximumBytes)
    else { return false }
    return !file.isEndedList
  }

  /// The moves in a list, without those whose files cannot be identified.
  func moves(in name: String, of folder: OpenFile) -> [ListedMove] {
    let limit = FolderRecords.maximumBytes
    let decoder = JSONDecoder()
    var moves: [ListedMove] = []
    let file = try? OpenFile.ownFile(name, in: folder, limit: limit)
    let began = file?.status?.modified ?? .max
    try? file?.forEachLine(name, limit: limit) { line in
      guard let line, var move = try? decoder.decode(ListedMove.self, from: line),
        move.bytes != nil, move.from != .library, move.to != .library
      else { return }
      move.began = began
      moves.append(move)
    }
    return moves
  }

  /// Finds the files of missing episodes that a killed `rename` has moved but not recorded.
  ///
  /// - Parameter isRecording: whether the records are updated with the new places.
  /// - Returns: whether no record refused that.
  @discardableResult
  func findInterrupted(_ episodes: inout [LocalEpisode], isRecording: Bool) -> Bool {
    guard episodes.contains(where: { $0.status == .missing }) else { return true }
    let moves = interruptedMoves()
    guard !moves.isEmpty else { return true }
    var areRecorded = true
    var missing: [EpisodeKey: Int] = [:]
    var recorded: Set<RelativePath> = []
    for (place, episode) in episodes.enumerated() {
      if episode.status == .missing { missing[episode.plan.episodeKey] = place }
      if episode.status == .complete, let path = RelativePath(episode.path) {
        recorded.insert(path)
      }
    }
    for move in moves {
      guard let place = missing[move.key],
        case let paths = [move.to, move.move.interim, move.from],
        paths.contains(where: { $0.text == episodes[place].path })
      else { continue }
      for path in paths where path.text != episodes[place].path && !recorded.contains(path) {
        guard let (folderPath, name) = path.split,
          let folder = try? OpenFile.folder(folderPath, in: root, creating: false),
          let status = folder.mediaStatus(of: name.text), move.isFile(status)
        else { continue }
        let old = episodes[place]
        episodes[place] = old.located(at: PlannedFile(folder: folderPath, file: name))
        episodes[place].bytes = status.size
        missing[move.key] = nil
        recorded.insert(path)
        do throws(DiskError) {
          if isRecording {
            try record(old, in: folder, at: folderPath, as: name, interrupted: move)
          }
        } catch {
          areRecorded = false
        }
        break
      }
    }
    return areRecorded
  }
}

extension OpenFile {
  /// Whether the file of moves ends like that of a run that has ended.
  fileprivate var isEndedList: Bool {
    let wanted = Array(Library.endOfMoves) + [0x0A]
    guard let size = status?.size, size >= Int64(wanted.count) else { return false }
    var last = [UInt8](repeating: 0, count: wanted.count)
    let count = pread(number, &last, last.count, off_t(size) - off_t(wanted.count))
    return count == wanted.count && last == wanted
  }
}
