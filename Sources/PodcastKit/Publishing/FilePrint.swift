internal import CFiles
import FoundationEssentials
import Glibc
import PodcastModel
import PodcastTransfer

/// What a published file was when podget wrote it. A file that is not that any more is of somebody else.
struct FilePrint: Sendable, Hashable {
  /// The length.
  var bytes: Int64
  /// When its content changed, in nanoseconds since 1970; nil for what podget wrote itself, which is known
  /// by its checksum.
  var modified: Int64?
  /// The SHA-256 in lower-case hex; nil for a link, and for a copy that is planned.
  var sha256: String?
  /// The file of the library that was linked or copied.
  var source: Source?

  /// A file of the library. For a copy at one moment: anything that is done to it changes the time.
  struct Source: Sendable, Hashable {
    var inode: UInt64
    var changed: Int64?

    init(_ status: OpenFile.Status) { (inode, changed) = (status.inode, status.changed) }

    init(link status: OpenFile.Status) { inode = status.inode }

    init?(_ text: Substring) {
      let parts = text.split(separator: ".", omittingEmptySubsequences: false)
      guard parts.count <= 2, let inode = UInt64(parts[0]) else { return nil }
      self.inode = inode
      guard parts.count == 2 else { return }
      guard let changed = Int64(parts[1]) else { return nil }
      self.changed = changed
    }

    var text: String { changed.map { "\(inode).\($0)" } ?? "\(inode)" }
  }

  /// A text of podget.
  init(text: [UInt8]) {
    var digest = SHA2Digest()
    text.withUnsafeBytes { digest.add($0) }
    bytes = Int64(text.count)
    sha256 = digest.finish() ?? ""
  }

  /// A linked file, or one that is to be copied.
  init(_ status: OpenFile.Status) {
    (bytes, modified, source) = (status.size, status.modified, Source(link: status))
  }

  /// Reads it as the record has it; nil for anything else.
  init?(_ text: Substring) {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 4, let bytes = Int64(parts[0]), bytes >= 0 else { return nil }
    self.bytes = bytes
    modified = Int64(parts[1])
    sha256 = parts[2].utf8.count == 64 ? String(parts[2]) : nil
    source = Source(parts[3])
    guard modified != nil || sha256 != nil else { return nil }
  }

  /// The print as the record has it.
  var text: String {
    "\(bytes),\(modified.map { String($0) } ?? "-"),\(sha256 ?? "-"),"
      + (source?.text ?? "-")
  }

  /// Whether a name in a folder is this file: one of its length that has its time, or was linked, or has
  /// its checksum. It blocks on the disk.
  func isFile(_ name: String, in folder: OpenFile) throws(DiskError) -> Bool {
    guard let status = folder.status(of: name) else {
      guard errno == ENOENT else { throw DiskError(errno, "examine", name) }
      return false
    }
    guard status.is_regular, status.size == bytes else { return false }
    if status.modified == modified { return true }
    // Inodes are used again, but hardly for a file of the same length.
    guard let sha256 else { return status.inode == source?.inode }
    return try OpenFile.ownFile(name, in: folder, limit: bytes).sha256(name) == sha256
  }
}
