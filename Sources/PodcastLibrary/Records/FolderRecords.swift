internal import CFiles
import PodcastModel
import PodcastTransfer

/// The authoritative record of one folder of the library: the file `.podget.ndjson` in it, one fact
/// per line.
package enum FolderRecords {
  /// The file's name in its folder.
  static let name = ".podget.ndjson"

  /// The maximum number of bytes that are read from one: a folder of 100,000 episodes with lines of
  /// 1,300 bytes, every other one of them superseded.
  static let maximumBytes: Int64 = 256 << 20

  /// The maximum length of one line in bytes, without its end.
  static let maximumLineBytes = 1 << 20

  /// The record of a folder; it may not exist yet.
  static func log(
    named name: String = FolderRecords.name, in folder: OpenFile,
    limit: Int64 = FolderRecords.maximumBytes
  ) -> RecordLog<FolderFact> {
    RecordLog(
      name, in: folder, maximumBytes: limit, maximumLineBytes: maximumLineBytes,
      compacted: RecordCompaction.compacted)
  }

  /// The facts in order, without refused ones. None if there is no file.
  static func read(in folder: OpenFile) throws(DiskError) -> [FolderFact] {
    try log(in: folder).reading().lines
  }

  /// Adds facts, as ``RecordLog/append(_:first:compactingFrom:isCancelled:where:)`` does.
  static func append(
    _ facts: [FolderFact], in folder: OpenFile,
    compactingFrom smallest: Int64 = RecordCompaction.smallestSize,
    isCancelled: () -> Bool = { false }
  ) throws(DiskError) {
    _ = try log(in: folder).append(
      facts, first: introduction(facts), compactingFrom: smallest, isCancelled: isCancelled
    ) { _ in true }
  }

  /// Adds facts if no other process has written to the file since an earlier read.
  ///
  /// - Parameter known: the earlier state of the file; nil if there was none.
  /// - Returns: the new state of the file; nil if another process has written to it, and then
  ///   nothing is added.
  static func append(
    _ facts: [FolderFact], in folder: OpenFile, ifStill known: OpenFile.Status?
  ) throws(DiskError) -> OpenFile.Status? {
    try log(in: folder).append(
      facts, first: introduction(facts), compactingFrom: RecordCompaction.smallestSize
    ) { now in
      guard let known else { return now.size == 0 }
      return now.isSameFile(as: known) && now.size == known.size
    }
  }

  /// The podcast is written once, as the first line of the file.
  private static func introduction(_ facts: [FolderFact]) -> FolderFact? {
    facts.first.map { FolderFact(fact: FolderFact.Kind.podcast.rawValue, podcast: $0.podcast) }
  }
}
