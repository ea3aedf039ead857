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
  private static let movesFolder = "renames"
  /// The folder of these files, below the library.
  package static let renamesPath = ".podget/\(movesFolder)"
  /// The last line of a run that has ended.
  static let endOfMoves = Data(#"{"ended":true}"#.utf8)

  /// Writes moves, one JSON object per line, for a later undo: below `.podget/renames` in the
  /// library. ``endUndo(_:)`` marks that they have been made.
  ///
  /// - Returns: the file's path below the library.
  public func writeUndo(
    of moves: [FileMove], at date: Date
  ) throws(DiskError) -> String {
    let folder = try OpenFile.ownFolder(Self.movesFolder, in: root, creating: true)
    let time = date.timestamp.filter { $0 != ":" && $0 != "-" }
    let leaving = Set(moves.map(\.from))
    var lines = Data()
    for move in moves {
      var listed = ListedMove(key: move.key, from: move.from, to: move.to)
      if let file = root.status(of: move.from.text),
        leaving.contains(move.to)
          || root.status(of: move.to.text)?.isSameFile(as: file) ?? true
      {
        (listed.bytes, listed.modified) = (file.size, file.modified)
      }
      lines += try RecordEncoder.data(listed, for: time) + [0x0A]
    }
    for number in 1...1_000 {
      let name = number == 1 ? "\(time).ndjson" : "\(time)-\(number).ndjson"
      do throws(DiskError) {
        let file = try OpenFile.writableOwnFile(
          name, in: folder, flags: O_WRONLY | O_EXCL)
        try file.writeAll(lines, name)
        try file.synchronize(name)
        try folder.synchronize(name)
        return "\(Self.renamesPath)/\(name)"
      } catch {
        guard error.number == EEXIST else { throw error }
      }
    }
    throw DiskError(EEXIST, "create", "\(time).ndjson")
  }

  /// Marks in a file of moves that the run has ended: every file that was moved is recorded.
  ///
  /// - Parameter path: the result of ``writeUndo(of:at:)``.
  public func endUndo(_ path: String) throws(DiskError) {
    let name = LibraryPath.split(path).name
    let folder = try OpenFile.ownFolder(Self.movesFolder, in: root, creating: false)
    let file = try OpenFile.writableOwnFile(name, in: folder, flags: O_WRONLY | O_APPEND)
    try file.writeAll(Self.endOfMoves + [0x0A], name)
  }

  /// The moves of runs that were killed or have not ended, the latest run first; without those
  /// whose files cannot be identified.
  func interruptedMoves() -> [ListedMove] {
    guard
      let folder = try? OpenFile.ownFolder(Self.movesFolder, in: root, creating: false)
    else { return [] }
    let limit = FolderRecords.maximumBytes
    let decoder = JSONDecoder()
    return folder.entries().reversed().filter { $0.hasSuffix(".ndjson") }.flatMap { name in
      var moves: [ListedMove] = []
      guard let file = try? OpenFile.ownFile(name, in: folder, limit: limit),
        !file.isEndedList
      else { return moves }
      try? file.forEachLine(name, limit: limit) { line in
        guard let line, let move = try? decoder.decode(ListedMove.self, from: line),
          move.bytes != nil, move.from != .library, move.to != .library
        else { return }
        moves.append(move)
      }
      return moves
    }
  }

  /// Finds the files of missing episodes that a killed `rename` has moved but not recorded.
  ///
  /// - Parameter isRecording: whether the records are updated with the new places.
  func findInterrupted(_ episodes: inout [LocalEpisode], isRecording: Bool) {
    guard episodes.contains(where: { $0.status == .missing }) else { return }
    let moves = interruptedMoves()
    guard !moves.isEmpty else { return }
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
          let status = folder.status(of: name.text), move.isFile(status)
        else { continue }
        let old = episodes[place]
        episodes[place] = old.located(at: PlannedFile(folder: folderPath, file: name))
        episodes[place].bytes = status.size
        missing[move.key] = nil
        recorded.insert(path)
        if isRecording { try? record(old, in: folder, at: folderPath, as: name) }
        break
      }
    }
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
