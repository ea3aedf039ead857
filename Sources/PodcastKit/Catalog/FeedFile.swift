internal import CFiles
import Glibc
import PodcastFeeds
import PodcastModel
import PodcastTransfer

/// A feed in a file.
enum FeedFile {
  private static let pieceBytes = 256 * 1024

  /// Reads a file; it blocks on the disk.
  static func read(
    _ path: String, details: Bool, preference: MediaPreference?, limits: FeedLimits
  ) throws(PodgetError) -> FeedContent {
    let reader = FeedReader(details: details, preference: preference, limits: limits)
    do throws(DiskError) {
      try pass(path, to: reader, limit: limits.bytes)
    } catch {
      throw error.number == ENOENT
        ? PodgetError(.notFound, "There is no such file.")
        : PodgetError(.disk, "The file cannot be read: \(error.explanation).")
    }
    return try reader.finish()
  }

  /// Whether there is a regular file; it blocks on the disk.
  static func exists(_ path: String) -> Bool {
    let file = try? OpenFile.open(path, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY)
    return file?.status?.is_regular == true
  }

  private static func pass(_ path: String, to reader: FeedReader, limit: Int) throws(DiskError) {
    let file = try OpenFile.open(path, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY)
    guard file.status?.is_regular == true else {
      throw DiskError(EINVAL, "read", path, reason: "it is not a regular file")
    }
    var buffer = [UInt8](repeating: 0, count: pieceBytes)
    var total = 0
    while total < limit {
      let count = try retryingInterrupts("read", path) {
        Glibc.read(file.number, &buffer, buffer.count)
      }
      guard count > 0 else { return }
      total += count
      buffer[..<count].withUnsafeBytes { reader.feed($0) }
    }
  }
}
