internal import CFiles
import FoundationEssentials
import Glibc
import PodcastModel
import PodcastTransfer

/// A line about an episode, and where it is in the record.
struct IndexedFact {
  var fact: FolderFact
  var line: IndexedLine
}

/// Looks up single episodes and lines of a folder in the index.
struct FolderIndex {
  private let db: SQLiteConnection

  /// Looks into an open index.
  init(_ db: SQLiteConnection) { self.db = db }

  /// A folder as it was when it was read last; nil if it is not known.
  func folder(_ path: RelativePath) throws -> KnownFolder? {
    let query: SQLQuery = "SELECT id, path, stamp, trace FROM folder WHERE path = \(path.text)"
    return try IndexRows.first(db, query) { try KnownFolder(&$0) }
  }

  /// The episodes of a folder with these keys, by their keys.
  func episodes(
    _ keys: [EpisodeKey], in folder: KnownFolder
  ) throws -> [EpisodeKey: LocalEpisode] {
    guard !keys.isEmpty else { return [:] }
    // In the order of the rows, SQLite would read all of them.
    let condition: SQLQuery = """
      WHERE key IN (\(EpisodeQuery.listed(keys))) AND episode.folder = \(folder.id)
      ORDER BY +episode.id
      """
    let rows = try LibraryRows.rows(db, condition, [])
    return Dictionary(rows.map { ($0.plan.episodeKey, $0) }) { first, _ in first }
  }

  /// The files of the complete episodes of a folder, and those that are lost.
  func completeFiles(of path: RelativePath) throws -> Set<EntryName> {
    guard let folder = try folder(path) else { return [] }
    let rows = try IndexRows(
      db,
      """
      SELECT stem, fileExtension FROM episode
      WHERE podcast IN (SELECT id FROM podcast WHERE folder = \(folder.id)) AND status = 'complete'
      """)
    var files: Set<EntryName> = []
    while var columns = try rows.next() {
      let name = LibraryPath.join("", stem: try columns.text(), ending: try columns.text())
      if let file = EntryName(name) { files.insert(file) }
    }
    let lost = try IndexRows(db, "SELECT file FROM lost WHERE folder = \(folder.id)")
    while var columns = try lost.next() {
      if let file = EntryName(try columns.text()) { files.insert(file) }
    }
    return files
  }

  /// What a record says about an episode, in the order of its lines; nil if the index does not fit to
  /// the record.
  ///
  /// - Parameters:
  ///   - folder: the folder's row.
  ///   - record: the folder's record, proven by the trace of that row.
  ///   - end: what the trace says was read.
  func facts(
    about key: EpisodeKey, in folder: Int64, of record: OpenFile, before end: Int64
  ) throws -> [IndexedFact]? {
    let rows = try IndexRows(
      db,
      """
      SELECT start, length FROM line WHERE folder = \(folder) AND key = \(key.number)
      ORDER BY start
      """)
    let decoder = JSONDecoder()
    var facts: [IndexedFact] = []
    while var columns = try rows.next() {
      let (start, length) = (try columns.integer(), try columns.integer())
      guard start >= 0, (0...Int64(FolderRecords.maximumLineBytes)).contains(length),
        start <= end - length, let line = try record.bytes(Int(length), at: start),
        let fact = try? decoder.decode(FolderFact.self, from: line)
      else { return nil }
      // Another key may have the same number; a line of any other key was changed in place.
      guard fact.key?.number == key.number else { return nil }
      guard fact.key == key else { continue }
      let place = LinePlace(offset: start, length: Int32(clamping: length))
      facts.append(IndexedFact(fact: fact, line: IndexedLine(key: key.number, place: place)))
    }
    return facts
  }

  /// Whether an episode with another key has a file of this name in a folder.
  func hasFile(_ file: EntryName, in folder: Int64, besides keys: [EpisodeKey]) throws -> Bool {
    let stem = PlannedFile(folder: .library, file: file).stem.text
    let rows = try IndexRows(
      db,
      "SELECT key, stem, fileExtension FROM episode WHERE stem = \(stem) AND folder = \(folder)")
    while var columns = try rows.next() {
      let key = try columns.text()
      let name = LibraryPath.join("", stem: try columns.text(), ending: try columns.text())
      if EntryName(name) == file, !keys.contains(where: { $0.text == key }) { return true }
    }
    return false
  }
}

extension OpenFile {
  /// Bytes of the file; nil if it has not so many.
  fileprivate func bytes(_ count: Int, at offset: Int64) throws(DiskError) -> Data? {
    var bytes = Data(count: count)
    let read = try retryingInterrupts("read", FolderRecords.name) {
      bytes.withUnsafeMutableBytes { pread(number, $0.baseAddress, count, off_t(offset)) }
    }
    return read == count ? bytes : nil
  }
}

extension RecordLog<FolderFact>.Reading {
  /// The lines about episodes, and where they are.
  var indexedFacts: [IndexedFact] {
    zip(lines, places).compactMap { fact, place in
      fact.key.map {
        IndexedFact(fact: fact, line: IndexedLine(key: $0.number, place: place))
      }
    }
  }

  /// Where these lines are, by the keys in them.
  var indexedLines: [IndexedLine] { indexedFacts.map(\.line) }
}

extension PlannedFile {
  /// The name of the file in its folder; nil if it would be too long for one.
  var name: EntryName? {
    EntryName(LibraryPath.join("", stem: stem.text, ending: fileExtension))
  }
}

extension KnownFolder {
  /// Reads a row: its number, its path, its stamp and its trace.
  init(_ columns: inout RowColumns) throws {
    id = try columns.integer()
    path = try columns.path()
    (stamp, trace) = (columns.optionalText(), columns.optionalText())
  }
}
