internal import CFiles
import Glibc
import PodcastModel
internal import PodcastSystem
import PodcastTransfer

/// Reads only what was added to the records of folders that the index knows.
///
/// The result is that of reading such a folder as a whole. Where that is not sure, nothing is read,
/// and the caller reads all of it.
final class FolderTails {
  private let index: FolderIndex
  private let many: Int
  private let open: @Sendable () throws -> SQLiteConnection
  /// Why the index could not be read.
  private(set) var failure: (any Error)?
  private var count = 0
  /// What was read ahead, with the stamps of then.
  private var ahead: [RelativePath: Reading] = [:]

  /// Creates a reader for the folders of an index.
  ///
  /// - Parameters:
  ///   - many: from so many changed folders on, the rest is read on all processors.
  ///   - open: opens the index once more, for another thread.
  init(
    _ db: SQLiteConnection, readingAheadFrom many: Int = 64,
    open: @escaping @Sendable () throws -> SQLiteConnection
  ) {
    index = FolderIndex(db)
    self.many = many
    self.open = open
  }

  /// What was found.
  struct Found: Sendable {
    /// Nil if nothing has changed.
    var folder: ScannedFolder?
    /// Nil if they are the known ones.
    var subfolders: [RelativePath]?
  }

  private struct Reading: Sendable {
    var stamp: FolderStamp
    /// Nil if all of the folder must be read.
    var found: Found?
    var failure: (any Error)?
  }

  /// Reads what has changed in a folder; nil if all of it must be read.
  ///
  /// - Parameters:
  ///   - stamp: its stamp now.
  ///   - scan: knows the time before that.
  ///   - rest: the known folders that nobody has looked at yet, this one among them.
  func reading(
    of known: KnownFolder, _ stamp: FolderStamp, by scan: FolderScan,
    before rest: some Collection<KnownFolder>
  ) -> Found? {
    count += 1
    if count == many { readAhead(Array(rest), scan) }
    var reading = ahead.removeValue(forKey: known.path)
    if reading?.stamp != stamp { reading = Self.reading(of: known, stamp, by: scan, index) }
    failure = failure ?? reading?.failure
    return reading?.found
  }

  /// Reads all of these folders that have changed. One that changes later has another stamp then.
  private func readAhead(_ folders: [KnownFolder], _ scan: FolderScan) {
    let open = open
    let shares = Processors.shares(of: folders.count, fewest: many) { range in
      var readings: [(RelativePath, Reading)] = []
      do {
        let db = try open()
        try db.transaction(.deferred) {
          let index = FolderIndex(db)
          for known in folders[range] {
            guard let stamp = scan.changedStamp(of: known) else { continue }
            readings.append((known.path, Self.reading(of: known, stamp, by: scan, index)))
          }
        }
      } catch {
        // They are read one by one, and that says why.
      }
      return readings
    }
    for (path, reading) in shares.joined() { ahead[path] = reading }
  }

  private static func reading(
    of known: KnownFolder, _ stamp: FolderStamp, by scan: FolderScan, _ index: FolderIndex
  ) -> Reading {
    do {
      return Reading(stamp: stamp, found: try read(known, stamp, scan, index))
    } catch {
      // The reading as a whole reports what the disk refuses.
      return Reading(stamp: stamp, failure: error is DiskError ? nil : error)
    }
  }

  /// The files in a folder that its record named when it was read before, and does not name now.
  ///
  /// - Parameter contents: what the record says now.
  func lostFiles(
    of path: RelativePath, besides contents: FolderContents, in folder: OpenFile
  ) -> [EntryName] {
    do {
      var lost = try index.completeFiles(of: path)
      guard !lost.isEmpty else { return [] }
      lost.subtract(contents.entries.lazy.compactMap(\.file))
      return lost.filter { folder.mediaStatus(of: $0.text)?.is_regular == true }
        .sorted { $0.text < $1.text }
    } catch {
      failure = failure ?? error
      return []
    }
  }

  private static func read(
    _ known: KnownFolder, _ stamp: FolderStamp, _ scan: FolderScan, _ index: FolderIndex
  ) throws -> Found? {
    guard stamp.records != nil, let old = known.trace.flatMap(FolderTrace.init(text:)) else {
      return nil
    }
    let folder = try OpenFile.folder(known.path, in: scan.root, creating: false)
    let isLocal = !OperatingSystem.mayBeRemote(folder.number)
    let log = FolderRecords.log(in: folder)
    guard let record = try log.existing(), let status = record.status, old.isProven(by: record)
    else { return nil }
    let reading = try log.reading(of: record, from: old.end)
    guard reading.refusal == nil, !reading.isTorn else { return nil }
    let isSameFolder = stamp.folder.text == old.folder
    // Somebody else than podget changed the names.
    guard isSameFolder || !reading.lines.isEmpty else { return nil }

    var tail = try FolderTail(reading, after: old, of: known, record, index)
    guard tail.isSure else { return nil }
    var listing: FolderListing?
    if !isSameFolder || !old.isFolderSettled || !tail.newForms.isEmpty {
      // Before the files are looked at: a change between the two shows the next time.
      let found = try FolderListing(folder, lookingFor: tail.forms, middle: old.middle)
      guard !found.hasCopies, !found.hasOtherForms else { return nil }
      listing = found
    }
    guard !tail.look(into: folder, at: known.path) else { return nil }
    guard try tail.explains(listing?.names ?? old.names, since: old.names, index) else {
      return nil
    }
    let subfolders = listing?.subfolders.compactMap(EntryName.init).map(known.path.appending)
    guard subfolders?.contains(nil) != true,
      let trace = FolderTrace(
        record, status, end: reading.end, wholeEnd: old.wholeEnd, stamp.folder,
        listing?.names ?? old.names, middle: listing.map(\.middle) ?? old.middle, at: scan.now,
        isLocal: isLocal)
    else { return nil }
    let stampText = stamp.isSettled(at: scan.now, isLocal: isLocal) ? stamp.text : nil
    let isUnchanged = trace == old && stampText == known.stamp && reading.places.isEmpty
    return Found(
      folder: isUnchanged
        ? nil
        : ScannedFolder(
          path: known.path, stamp: stampText, trace: trace, episodes: tail.episodes,
          lines: reading.indexedLines.filter { !tail.superseded.contains($0) },
          superseded: tail.superseded.filter { $0.place.offset < old.end },
          touched: Set(tail.keys)),
      subfolders: subfolders?.compactMap(\.self))
  }
}

/// The episodes of a folder that new lines are about: as the index has them, and as they are now.
struct FolderTail {
  private let folder: Int64
  /// Their keys in the order of the lines.
  let keys: [EpisodeKey]
  private var entries: [FolderContents.Entry] = []
  private let known: [EpisodeKey: LocalEpisode]
  /// Those that have a file, or had one.
  private(set) var episodes: [LocalEpisode] = []
  /// The lines about them, earlier ones too, that say nothing any more.
  private(set) var superseded: Set<IndexedLine> = []
  /// Whether these lines and earlier ones about the same episodes say everything.
  private(set) var isSure = true

  /// Joins the new lines about each episode with the earlier ones.
  init(
    _ reading: RecordLog<FolderFact>.Reading, after old: FolderTrace, of known: KnownFolder,
    _ record: OpenFile, _ index: FolderIndex
  ) throws {
    folder = known.id
    let new = Dictionary(grouping: reading.indexedFacts) { $0.fact.key }
    var seen: Set<EpisodeKey> = []
    keys = reading.lines.compactMap(\.key).filter { seen.insert($0).inserted }
    self.known = try index.episodes(keys, in: known)
    for key in keys {
      guard let earlier = try index.facts(about: key, in: folder, of: record, before: old.end)
      else {
        isSure = false
        return
      }
      let lines = earlier + (new[key] ?? [])
      let contents = FolderContents(numbered: lines.map(\.fact))
      superseded.formUnion(
        RecordCompaction.superseded(lines.map(\.fact), in: contents).map { lines[$0].line })
      guard let entry = contents.entry(key) else { continue }
      entries.append(entry)
      if self.known[key] == nil {
        // Its place among the others is that of its first line.
        if entry.file != nil, !earlier.isEmpty { isSure = false }
      } else if earlier.isEmpty {
        isSure = false
      }
    }
  }

  /// The files whose names may be there in another Unicode form.
  var forms: [EntryName] { entries.compactMap(\.file).filter { !$0.text.isASCII } }

  /// Those that the index does not have with these names.
  var newForms: [EntryName] {
    entries.compactMap { $0.file == file(of: $0.key) ? nil : $0.file }
      .filter { !$0.text.isASCII }
  }

  /// Looks for their files.
  ///
  /// - Returns: whether one is a link, whose folder is read as a whole each time.
  mutating func look(into folder: OpenFile, at path: RelativePath) -> Bool {
    episodes = entries.compactMap { LocalEpisode($0, in: folder, at: path) }
    return entries.contains { $0.isLink(in: folder) }
  }

  /// Whether the names of the folder are others only because of these episodes' files, and no other
  /// episode has one of them.
  func explains(
    _ now: FolderNames, since before: FolderNames, _ index: FolderIndex
  ) throws -> Bool {
    var expected = before
    for episode in known.values where episode.status == .complete {
      guard let file = episode.plan.file.name, let inode = episode.inode else { return false }
      expected.remove(file, inode)
    }
    var files: Set<EntryName> = []
    for episode in episodes {
      guard let file = episode.plan.file.name, files.insert(file).inserted else { return false }
      if episode.status == .complete {
        guard let inode = episode.inode else { return false }
        expected.add(file, inode)
      }
      if file != self.file(of: episode.plan.episodeKey),
        try index.hasFile(file, in: folder, besides: keys)
      {
        return false
      }
    }
    return expected == now
  }

  private func file(of key: EpisodeKey) -> EntryName? { known[key]?.plan.file.name }
}
