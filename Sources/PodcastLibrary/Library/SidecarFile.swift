internal import CFiles
package import FoundationEssentials
import Glibc
package import PodcastModel
package import PodcastTransfer

extension OpenFile {
  /// The content of a file about a podcast in this folder; empty if there is none, nil if it is not as
  /// podget wrote it.
  package func content(
    of sidecar: PodcastSidecar, as name: String
  ) throws(DiskError) -> Data? {
    guard let status = status(of: name) else { return Data() }
    guard status.is_regular, status.size <= PodcastSidecar.maximumBytes else { return nil }
    let data = try Self.ownContents(name, in: self, limit: PodcastSidecar.maximumBytes)
    return sidecar.isMarked(data, as: name) ? data : nil
  }

  /// Those of the names in this folder that are files about podcasts, as podget wrote them: also with the
  /// name that the folder had before.
  package func sidecars(among names: [EntryName]) -> [EntryName] {
    names.filter { name in
      guard let sidecar = PodcastSidecar(name: name.text),
        let data = try? content(of: sidecar, as: name.text)
      else { return false }
      return !data.isEmpty
    }
  }
}
