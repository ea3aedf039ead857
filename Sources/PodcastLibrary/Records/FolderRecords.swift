internal import CFiles
package import FoundationEssentials
import Glibc
import PodcastModel
import PodcastTransfer

/// One line of a folder's `.podget.ndjson`: something true about that folder.
package struct FolderFact: Codable, Sendable, Hashable {
  /// What the line says; a reader leaves alone what it does not know.
  package enum Kind: String, Codable, Sendable {
    /// The folder holds episodes of this podcast.
    case podcast
    /// An episode's file was whole and on the disk; also said again when it got another name.
    case finished
    /// The episode's file lies in another folder now, whose record speaks of it.
    case moved
    /// The episode became a favourite.
    case starred
    /// The episode is no favourite any more.
    case unstarred
    /// The user took the episode's file away on purpose; it is not to be fetched again by itself.
    case removed
  }

  var fact: String
  var version = 1
  var key: EpisodeKey?
  var podcast: StoredPodcast
  var episode: StoredEpisode?
  /// The name of the episode's file in this folder, so that the folder may be moved or copied.
  var file: EntryName?
  var bytes: Int64?
  var sha256: String?
  var downloadedAt: String?
  /// When a star was given or taken, or a file removed (UTC).
  var at: String?
}

package extension FolderFact {
  /// Reads a line; what podget never writes is a `RecordProblem`.
  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    fact = try members.decode(String.self, forKey: .fact)
    version = try members.decode(Int.self, forKey: .version)
    guard Kind(rawValue: fact) != nil else {
      // A newer podget's line may hold anything.
      throw DecodingError.dataCorruptedError(
        forKey: .fact, in: members, debugDescription: "not known")
    }
    key = try members.decodeIfPresent(EpisodeKey.self, forKey: .key)
    podcast = try members.decode(StoredPodcast.self, forKey: .podcast)
    episode = try members.decodeIfPresent(StoredEpisode.self, forKey: .episode)
    file = try members.decodeIfPresent(EntryName.self, forKey: .file)
    bytes = try members.decodeIfPresent(Int64.self, forKey: .bytes)
    sha256 = try members.decodeIfPresent(String.self, forKey: .sha256)
    downloadedAt = try members.decodeIfPresent(String.self, forKey: .downloadedAt)
    at = try members.decodeIfPresent(String.self, forKey: .at)
    if let bytes, bytes < 0 { throw RecordProblem("\"bytes\" is negative") }
  }

  /// What the line says; nil for what this podget does not know.
  var kind: Kind? { Kind(rawValue: fact) }

  /// A fact about an episode of this folder.
  init(_ kind: Kind, _ entry: FolderContents.Entry, at date: Date) {
    self.init(
      fact: kind.rawValue, key: entry.key, podcast: entry.podcast, episode: entry.episode,
      file: entry.file, bytes: entry.bytes, sha256: entry.sha256, downloadedAt: entry.downloadedAt,
      at: date.timestamp)
  }
}

/// The truth about one folder of the library: the file `.podget.ndjson` in it, one fact a line.
package enum FolderRecords {
  /// The file's name in its folder.
  static let name = ".podget.ndjson"

  /// The most bytes that are read of one: of a folder of 100,000 episodes with lines of 1,300 bytes,
  /// every other one of them made needless by a later one.
  static let maximumBytes: Int64 = 256 << 20

  /// The most bytes of one line, without its end.
  static let maximumLineBytes = 1 << 20

  /// What a folder's record says.
  struct Reading: Sendable {
    /// The facts in order.
    var facts: [FolderFact] = []
    private var firstProblem: String?
    /// Whether there are lines of which this podget does not understand everything: torn ones, and
    /// those of kinds or versions that it does not know.
    private(set) var hasUnknownLines = false

    /// Why lines are refused that can be read but say what podget never writes: a sentence about the
    /// first, nil where there is none.
    var refusal: String? {
      guard refused > 1, let firstProblem else { return firstProblem }
      return "\(refused) lines are refused; \(firstProblem)"
    }

    private var line = 0
    private var refused = 0

    /// Takes the next line; nil stands for one that is too long to be podget's.
    mutating func take(_ data: Data?, _ decoder: JSONDecoder) {
      line += 1
      do {
        guard let data else { throw RecordProblem("it is too long") }
        let fact = try decoder.decode(FolderFact.self, from: data)
        if fact.version != 1 { hasUnknownLines = true }
        if fact.kind != nil { facts.append(fact) }
      } catch let problem as RecordProblem {
        refused += 1
        if refused == 1 { firstProblem = "line \(line) is refused: \(problem.reason)" }
      } catch {
        hasUnknownLines = true
      }
    }
  }

  /// The facts in order, without those that are refused.
  static func read(in folder: FileDescriptor) throws(DiskError) -> [FolderFact] {
    try reading(in: folder).facts
  }

  /// The facts in order; lines that cannot be read are ignored, since one torn line must not hide the
  /// others. None where there is no file.
  static func reading(in folder: FileDescriptor) throws(DiskError) -> Reading {
    var reading = Reading()
    guard let file = try existing(in: folder) else { return reading }
    let decoder = JSONDecoder()
    try file.forEachLine(name, limit: maximumBytes, lineLimit: maximumLineBytes) {
      reading.take($0, decoder)
    }
    return reading
  }

  /// The file, open to be read; nil when there is none.
  static func existing(in folder: FileDescriptor) throws(DiskError) -> FileDescriptor? {
    do throws(DiskError) {
      return try FileDescriptor.ownFile(name, in: folder, limit: maximumBytes)
    } catch {
      guard error.number == ENOENT else { throw error }
      return nil
    }
  }

  /// Appends facts in one write and syncs them, with the folder when the file is new.
  ///
  /// The lock keeps two podgets from mixing their lines; a line that a power cut tore is closed
  /// first, so that it spoils nothing behind it.
  ///
  /// - Parameters:
  ///   - smallest: the size from which on the file is looked through, each time that it has doubled,
  ///     for lines that later ones have made needless.
  ///   - isCancelled: whether a wait for another process's lock is to end; nothing is written then.
  static func append(
    _ facts: [FolderFact], in folder: FileDescriptor,
    compactingFrom smallest: Int64 = RecordCompaction.smallestSize,
    isCancelled: () -> Bool = { false }
  ) throws(DiskError) {
    _ = try append(facts, in: folder, smallest, isCancelled) { _ in true }
  }

  /// Appends facts if nobody has written to the file since an earlier look.
  ///
  /// - Parameter known: what the file was then; nil where there was none.
  /// - Returns: what the file is now; nil where somebody has written to it, and nothing is appended.
  static func append(
    _ facts: [FolderFact], in folder: FileDescriptor, ifStill known: FileDescriptor.Status?
  ) throws(DiskError) -> FileDescriptor.Status? {
    try append(facts, in: folder, RecordCompaction.smallestSize, { false }) { now in
      guard let known else { return now.size == 0 }
      return now.isSameFile(as: known) && now.size == known.size
    }
  }

  private static func append(
    _ facts: [FolderFact], in folder: FileDescriptor, _ smallest: Int64,
    _ isCancelled: () -> Bool,
    where isRight: (FileDescriptor.Status) -> Bool
  ) throws(DiskError) -> FileDescriptor.Status? {
    var added = Data()
    for fact in facts { added.append(try line(fact)) }
    let (file, status) = try lockedFile(in: folder, isCancelled)
    guard isRight(status) else { return nil }
    var lines = Data()
    if status.size > 0 {
      var last: UInt8 = 0
      let count = try retryingInterrupts("read", name) {
        pread(file.number, &last, 1, off_t(status.size) - 1)
      }
      if count == 1, last != 0x0A { lines.append(0x0A) }
    }
    // The podcast is introduced once, when the file begins.
    if status.size == 0, let first = facts.first {
      lines.append(
        try line(FolderFact(fact: FolderFact.Kind.podcast.rawValue, podcast: first.podcast)))
    }
    lines.append(added)
    do throws(DiskError) {
      try file.writeAll(lines, name)
      try file.synchronize(name)
      if status.size == 0 { try folder.synchronize(name) }
    } catch {
      // What was told as failed must not be found later: neither half a line on a full disk, nor a
      // whole one that may never have reached the disk.
      ftruncate(file.number, off_t(status.size))
      throw error
    }
    guard let written = file.status else { throw DiskError(errno, "examine", name) }
    if RecordCompaction.isDue(written.size, after: status.size, smallest: smallest) {
      // The facts are on record: that the file stays longer than it need be is no failure.
      try? compact(file, in: folder)
    }
    return written
  }

  /// A fact as a line with its end.
  private static func line(_ fact: FolderFact) throws(DiskError) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard var line = try? encoder.encode(fact) else { throw DiskError(EINVAL, "encode", name) }
    // What would not be read again would be lost.
    guard line.count <= maximumLineBytes else {
      throw DiskError(
        EFBIG, "write", name,
        reason: "what is known of an episode comes to \(line.count) bytes, which is too much")
    }
    line.append(0x0A)
    return line
  }

  /// Opens the file and locks it.
  private static func lockedFile(
    in folder: FileDescriptor, _ isCancelled: () -> Bool
  ) throws(DiskError) -> (FileDescriptor, podget_file_status) {
    while true {
      let file = try FileDescriptor.writableOwnFile(
        name, in: folder, flags: O_RDWR | O_APPEND)
      try file.waitForLock(name, isCancelled)
      guard let status = file.status else { throw DiskError(errno, "examine", name) }
      // While this one waited for the lock, a compaction may have given the name to another file.
      if let named = folder.status(of: name), named.inode == status.inode,
        named.device == status.device
      {
        return (file, status)
      }
    }
  }

  /// Puts a shorter file in the place of the one that is open and locked, where that pays.
  ///
  /// The old one stands until the new one is whole and on the disk. Who waits for the lock of the old
  /// one finds out that it has lost its name.
  private static func compact(_ file: FileDescriptor, in folder: FileDescriptor) throws(DiskError) {
    guard let contents = RecordCompaction.compacted(try file.readAll(name, limit: maximumBytes))
    else { return }
    // What a killed process left; a living one would hold the lock.
    unlinkat(folder.number, temporaryName, 0)
    do throws(DiskError) {
      let shorter = try FileDescriptor.writableOwnFile(
        temporaryName, in: folder, flags: O_WRONLY | O_EXCL)
      try shorter.writeAll(contents, temporaryName)
      if let permissions = file.status?.permissions {
        fchmod(shorter.number, mode_t(permissions))
      }
      try shorter.synchronize(temporaryName)
      guard renameat(folder.number, temporaryName, folder.number, name) == 0 else {
        throw DiskError(errno, "replace", name)
      }
    } catch {
      unlinkat(folder.number, temporaryName, 0)
      throw error
    }
    try folder.synchronize(name)
  }

  private static let temporaryName = "\(name).new"
}
