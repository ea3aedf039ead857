internal import CFiles
import FoundationEssentials
import Glibc

/// One line of a folder's `.podget.ndjson`: something true about that folder.
struct FolderFact: Codable, Sendable, Hashable {
  /// What the line says; a reader leaves alone what it does not know.
  enum Kind: String, Codable, Sendable {
    /// The folder holds episodes of this podcast.
    case podcast
    /// An episode's file was whole and on the disk.
    case finished
  }

  var fact: String
  var version = 1
  var key: String?
  var podcast: StoredPodcast
  var episode: StoredEpisode?
  /// The name of the episode's file in this folder, so that the folder may be moved or copied.
  var file: String?
  var bytes: Int64?
  var sha256: String?
  var downloadedAt: String?
}

/// The truth about one folder of the library: the file `.podget.ndjson` in it, one fact a line.
enum FolderRecords {
  /// The file's name in its folder.
  static let name = ".podget.ndjson"

  /// The facts in order; lines that cannot be read are passed over, since one torn line must not
  /// hide the others.
  static func read(in folder: FileDescriptor) -> [FolderFact] {
    guard let file = try? FileDescriptor.open(name, in: folder, flags: O_RDONLY),
      let data = try? file.readAll(name)
    else { return [] }
    let decoder = JSONDecoder()
    return data.split(separator: 0x0A).compactMap { line in
      guard let fact = try? decoder.decode(FolderFact.self, from: Data(line)),
        FolderFact.Kind(rawValue: fact.fact) != nil
      else { return nil }
      return fact
    }
  }

  /// Whether a key stands anywhere in the file: a quick no before the lines are read one by one.
  static func mentions(_ key: String, in folder: FileDescriptor) -> Bool {
    guard let file = try? FileDescriptor.open(name, in: folder, flags: O_RDONLY),
      let data = try? file.readAll(name)
    else { return false }
    // Once an episode over the whole file: a search byte by byte would cost more than the download.
    let wanted = Array(key.utf8)
    return data.withUnsafeBytes { bytes in
      memmem(bytes.baseAddress, bytes.count, wanted, wanted.count) != nil
    }
  }

  /// Appends facts in one write and syncs them, with the folder when the file is new.
  ///
  /// The lock keeps two podgets from mixing their lines; a line that a power cut tore is closed
  /// first, so that it spoils nothing behind it.
  static func append(_ facts: [FolderFact], in folder: FileDescriptor) throws(DiskError) {
    let file = try FileDescriptor.open(
      name, in: folder, flags: O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, mode: 0o644)
    _ = try retryingInterrupts("lock", name) { flock(file.number, LOCK_EX) }
    guard let status = file.status else { throw DiskError(errno, "examine", name) }
    var lines = Data()
    if status.size > 0 {
      var last: UInt8 = 0
      let count = try retryingInterrupts("read", name) {
        pread(file.number, &last, 1, off_t(status.size) - 1)
      }
      if count == 1, last != 0x0A { lines.append(0x0A) }
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var facts = facts
    // The podcast is introduced once, when the file begins.
    if status.size == 0, let first = facts.first {
      facts.insert(
        FolderFact(fact: FolderFact.Kind.podcast.rawValue, podcast: first.podcast), at: 0)
    }
    for fact in facts {
      guard let line = try? encoder.encode(fact) else { throw DiskError(EINVAL, "encode", name) }
      lines.append(line)
      lines.append(0x0A)
    }
    do throws(DiskError) {
      try file.writeAll(lines, name)
    } catch {
      // Half a line is taken back, so that a full disk leaves the file as it was.
      ftruncate(file.number, off_t(status.size))
      throw error
    }
    try file.synchronize(name)
    if status.size == 0 { try folder.synchronize(name) }
  }
}
