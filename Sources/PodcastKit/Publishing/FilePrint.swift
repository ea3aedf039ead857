internal import CFiles
import FoundationEssentials
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
  /// What a copy was made of.
  var source: Source?

  /// A file of the library at one moment: anything that is done to it changes the time.
  struct Source: Sendable, Hashable {
    var inode: UInt64
    var changed: Int64

    init(_ status: OpenFile.Status) { (inode, changed) = (status.inode, status.changed) }

    init?(_ text: Substring) {
      let parts = text.split(separator: ".", omittingEmptySubsequences: false)
      guard parts.count == 2, let inode = UInt64(parts[0]), let changed = Int64(parts[1])
      else { return nil }
      (self.inode, self.changed) = (inode, changed)
    }
  }

  /// A text of podget.
  init(text: [UInt8]) {
    var digest = SHA2Digest()
    text.withUnsafeBytes { digest.add($0) }
    bytes = Int64(text.count)
    sha256 = digest.finish() ?? ""
  }

  /// A linked or copied file.
  init(_ status: OpenFile.Status) { (bytes, modified) = (status.size, status.modified) }

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
      + (source.map { "\($0.inode).\($0.changed)" } ?? "-")
  }

  /// Whether a name in a folder is this file. It blocks on the disk.
  func isFile(_ name: String, in folder: OpenFile) -> Bool {
    guard let status = folder.status(of: name), status.is_regular, status.size == bytes
    else { return false }
    if let modified { return status.modified == modified }
    let file = try? OpenFile.ownFile(name, in: folder, limit: bytes)
    return (try? file?.sha256(name)) == sha256
  }
}
