internal import CFiles
import FoundationEssentials
import Glibc
import PodcastArtwork
import PodcastModel
package import PodcastTransfer
import Synchronization

/// An artwork on the disk, with what a server needs to say whether it is still the current one.
struct StoredArtwork: Sendable, Hashable {
  /// A small image file of the thumbnail; empty if there is none.
  var file: [UInt8]
  /// The size of the image itself.
  var imageBytes: Int
  /// The validators of the answer that brought it.
  var validators: FeedValidators
  /// When a server last sent or confirmed it (UTC).
  var checked: Date
}

/// Artworks in a folder, a file each, up to a number of bytes.
///
/// It is a cache: anybody may delete it, a damaged or foreign file is as none, and nothing is synced.
/// When there are too many, those go that were used longest ago. What was used since the program began
/// stays, and nothing is added instead: otherwise a walk through more artworks than there is room for
/// would leave nothing for the next one. Its methods block on the disk.
package final class ArtworkFolder: Sendable {
  /// The name of the folder in a library's own folder.
  package static let name = "artwork"

  /// What stands before the image file in a file, as one line of JSON.
  private struct Header: Codable {
    static let currentVersion = 2
    /// The longest line that can be a header.
    static let maximumBytes = 8 << 10

    var version = currentVersion
    var checked: Int64
    var etag: String?
    var lastModified: String?
    var imageBytes: Int
    /// The checksum of the image file.
    var sha256: String
  }

  private static let maximumFileBytes = Int64(
    KeptThumbnail.maximumFileBytes + Header.maximumBytes)

  /// The room that is enough for the artworks of 2,000 podcasts.
  package static let standardBytes: Int64 = 64 << 20

  private let folder: OpenFile
  private let room: Mutex<ArtworkRoom>

  /// Uses a folder.
  package init(_ folder: OpenFile, maximumBytes: Int64 = standardBytes) {
    self.folder = folder
    room = Mutex(ArtworkRoom(maximumBytes: maximumBytes))
  }

  /// The name of the file for an address and a size of thumbnails; nil if there is no checksum.
  static func name(of address: String, size: Int) -> String? {
    sha256(Array(address.utf8)).map { "\($0)-\(size)" }
  }

  /// The artwork in a file, which then counts as used; nil if there is none.
  func artwork(named name: String) -> StoredArtwork? {
    guard let file = try? OpenFile.ownFile(name, in: folder, limit: Self.maximumFileBytes),
      let data = try? file.readAll(name, limit: Self.maximumFileBytes),
      let end = data.prefix(Header.maximumBytes).firstIndex(of: 0x0A),
      let header = try? JSONDecoder().decode(Header.self, from: data[..<end]),
      header.version == Header.currentVersion, (0...ImageLimits.bytes).contains(header.imageBytes)
    else { return nil }
    let bytes = Array(data[(end + 1)...])
    guard !bytes.isEmpty, Self.sha256(bytes) == header.sha256 else { return nil }
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    podget_set_times(file.number, now.tv_sec, now.tv_nsec)
    room.withLock { $0.use(name) }
    return StoredArtwork(
      file: bytes, imageBytes: header.imageBytes,
      validators: FeedValidators(etag: header.etag, lastModified: header.lastModified),
      checked: Date(timeIntervalSince1970: Double(header.checked)))
  }

  /// Writes a file, and deletes others if there are too many. What fails, or has no room, is not kept.
  func store(_ stored: StoredArtwork, named name: String) {
    // Down: a time in the future would not be believed.
    guard !stored.file.isEmpty, stored.file.count <= KeptThumbnail.maximumFileBytes,
      let checked = Int64(exactly: stored.checked.timeIntervalSince1970.rounded(.down)),
      let checksum = Self.sha256(stored.file)
    else { return }
    let header = Header(
      checked: checked, etag: stored.validators.etag,
      lastModified: stored.validators.lastModified, imageBytes: stored.imageBytes,
      sha256: checksum)
    guard var data = try? JSONEncoder().encode(header), data.count < Header.maximumBytes else {
      return
    }
    data.append(0x0A)
    data.append(contentsOf: stored.file)
    let size = Int64(data.count)
    guard room.withLock({ $0.take(size, for: name, in: folder) }) else { return }
    // Two podgets may write the same artwork.
    let temporary = "\(name).\(UInt64.random(in: .min ... .max))\(ArtworkRoom.unfinished)"
    do throws(DiskError) {
      try OpenFile.replaceOwnFile(
        name, in: folder, with: data, temporary: temporary, isSynced: false)
    } catch {
      room.withLock { $0.giveBack(size, for: name, in: folder) }
    }
  }

  private static func sha256(_ bytes: [UInt8]) -> String? {
    var digest = SHA2Digest()
    bytes.withUnsafeBytes { digest.add($0) }
    return digest.finish()
  }
}
