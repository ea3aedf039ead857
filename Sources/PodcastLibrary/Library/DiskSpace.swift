internal import CFiles
import PodcastModel
import PodcastTransfer

/// The bytes that are free on a disk, and what is to stay free.
package struct DiskSpace: Sendable, Hashable {
  /// What is free now, without what running downloads have reserved; nil if it is not known.
  package var free: Int64?
  /// What stays free; nil for no limit.
  package var kept: Int64?
  /// The size of the disk; nil if it is not known.
  package var size: Int64?

  /// A space with what is known of it.
  package init(free: Int64? = nil, kept: Int64? = nil, size: Int64? = nil) {
    (self.free, self.kept, self.size) = (free, kept, size)
  }

  /// Whether a file fits. A length that is more than the whole disk is a mistake of the feed; the server
  /// tells the real one.
  package func takes(_ bytes: Int64?) -> Bool {
    guard let free, let kept else { return true }
    let bytes = bytes.flatMap { $0 > size ?? .max ? nil : $0 }
    return ByteSum.of([kept, bytes]) <= free
  }
}

extension Library {
  /// How many bytes this user may still write on the disk of the library; nil if that is not known.
  package var freeBytes: Int64? {
    let bytes = podget_free_bytes(root.number)
    return bytes < 0 ? nil : bytes
  }

  /// What is free on its disk, and how large that is.
  package var space: DiskSpace {
    let size = podget_disk_bytes(root.number)
    return DiskSpace(free: freeBytes, size: size < 0 ? nil : size)
  }

  /// Whether so many bytes may be written while others stay free.
  ///
  /// - Parameter kept: how many stay free; nil for no limit.
  package func hasRoom(for bytes: Int, keeping kept: Int64?) -> Bool {
    guard let kept else { return true }
    var space = space
    space.kept = kept
    return space.takes(Int64(bytes))
  }
}
