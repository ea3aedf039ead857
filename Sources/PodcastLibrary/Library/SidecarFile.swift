internal import CFiles
package import FoundationEssentials
import Glibc
package import PodcastModel
package import PodcastTransfer

extension OpenFile {
  /// The content of a file about a podcast in this folder; empty if there is none, nil if it is not as
  /// podget wrote it.
  ///
  /// - Parameter folder: the folder's own name.
  package func content(
    of sidecar: PodcastSidecar, named folder: String
  ) throws(DiskError) -> Data? {
    let name = sidecar.name(in: folder)
    guard let status = status(of: name) else { return Data() }
    guard status.is_regular, status.size <= PodcastSidecar.maximumBytes else { return nil }
    let data = try Self.ownContents(name, in: self, limit: PodcastSidecar.maximumBytes)
    return sidecar.isMarked(data, as: name) ? data : nil
  }

  /// The names of the files about a podcast in this folder that are as podget wrote them.
  ///
  /// - Parameter folder: the folder's own name.
  func sidecars(named folder: String) -> [String] {
    PodcastSidecar.allCases.compactMap { sidecar in
      guard let data = try? content(of: sidecar, named: folder), !data.isEmpty else { return nil }
      return sidecar.name(in: folder)
    }
  }
}
