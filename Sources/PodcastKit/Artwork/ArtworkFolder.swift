internal import CFiles
import FoundationEssentials
import Glibc
import PodcastArtwork
import PodcastModel
package import PodcastTransfer

/// An artwork on the disk, with what a server needs to say whether it is still the current one.
struct StoredArtwork: Sendable, Hashable {
  /// The artwork.
  var artwork: Artwork
  /// The validators of the answer that brought it.
  var validators: FeedValidators
  /// When a server last sent or confirmed it (UTC).
  var checked: Date
}

/// Artworks in a folder, a file each, up to a number of bytes.
///
/// It is a cache: anybody may delete it, a damaged or foreign file is as none, nothing is synced, and
/// the files used longest ago go when there are too many. Its methods block on the disk.
package struct ArtworkFolder: Sendable {
  /// The name of the folder in a library's own folder.
  package static let name = "artwork"

  /// What stands before the thumbnail in a file, as one line of JSON.
  private struct Header: Codable {
    static let currentVersion = 1
    /// The longest line that can be a header.
    static let maximumBytes = 8 << 10

    var version = currentVersion
    var checked: Int64
    var etag: String?
    var lastModified: String?
    var imageBytes: Int
    /// The checksum of the thumbnail.
    var sha256: String
  }

  private static let maximumFileBytes = Int64(Thumbnail.maximumBytes + Header.maximumBytes)
  /// A file that is being written is never this old.
  private static let longestWrite: Int64 = 3_600_000_000_000

  private let folder: OpenFile
  private let maximumBytes: Int64

  /// Uses a folder.
  package init(_ folder: OpenFile, maximumBytes: Int64 = 100 << 20) {
    self.folder = folder
    self.maximumBytes = maximumBytes
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
    guard Self.sha256(bytes) == header.sha256, let thumbnail = Thumbnail(bytes: bytes) else {
      return nil
    }
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    podget_set_times(file.number, now.tv_sec, now.tv_nsec)
    return StoredArtwork(
      artwork: Artwork(thumbnail: thumbnail, imageBytes: header.imageBytes),
      validators: FeedValidators(etag: header.etag, lastModified: header.lastModified),
      checked: Date(timeIntervalSince1970: Double(header.checked)))
  }

  /// Writes a file, and deletes others if there are too many. What fails is not kept.
  func store(_ stored: StoredArtwork, named name: String) {
    let bytes = stored.artwork.thumbnail.bytes
    // Down: a time in the future would not be believed.
    guard let checked = Int64(exactly: stored.checked.timeIntervalSince1970.rounded(.down)),
      let checksum = Self.sha256(bytes)
    else { return }
    let header = Header(
      checked: checked, etag: stored.validators.etag,
      lastModified: stored.validators.lastModified, imageBytes: stored.artwork.imageBytes,
      sha256: checksum)
    guard var data = try? JSONEncoder().encode(header), data.count < Header.maximumBytes else {
      return
    }
    data.append(0x0A)
    data.append(contentsOf: bytes)
    // Two podgets may write the same artwork.
    let temporary = "\(name).\(UInt64.random(in: .min ... .max)).new"
    let isWritten: Void? = try? {
      let file = try OpenFile.writableOwnFile(temporary, in: folder, flags: O_WRONLY | O_EXCL)
      try file.writeAll(data, temporary)
    }()
    guard isWritten != nil, renameat(folder.number, temporary, folder.number, name) == 0 else {
      unlinkat(folder.number, temporary, 0)
      return
    }
    trim()
  }

  /// Deletes the files used longest ago until the others fit, and what a killed podget left.
  private func trim() {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let latest = podget_nanoseconds(now)
    var files: [(name: String, size: Int64, used: Int64)] = []
    var total: Int64 = 0
    for name in folder.entries() {
      guard let status = folder.status(of: name), status.is_regular else { continue }
      if name.hasSuffix(".new"), latest - Self.longestWrite > status.modified {
        unlinkat(folder.number, name, 0)
        continue
      }
      files.append((name, status.size, status.modified))
      // Sparse files may have any size.
      total = ByteSum.of([total, status.size])
    }
    for file in files.sorted(by: { $0.used < $1.used }) where total > maximumBytes {
      if unlinkat(folder.number, file.name, 0) == 0 { total -= file.size }
    }
  }

  private static func sha256(_ bytes: [UInt8]) -> String? {
    var digest = SHA2Digest()
    bytes.withUnsafeBytes { digest.add($0) }
    return digest.finish()
  }
}
