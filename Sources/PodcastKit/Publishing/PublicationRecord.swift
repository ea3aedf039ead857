import FoundationEssentials
import Glibc
import PodcastFeeds
import PodcastLibrary
import PodcastModel
import PodcastTransfer

/// The list of the files that podget has published in a folder: only those are replaced and removed.
///
/// It is served like everything in the folder, and has nothing but the names of served files. Anybody
/// who can write into the folder can change it, so that it can name only what podget would write.
struct PublicationRecord: Sendable, Hashable {
  /// Its name in the folder.
  static let name = ".podget-publish"
  private static let firstLine = "podget publish 1"
  private static let maximumBytes: Int64 = 64 << 20

  /// The paths of the files below the folder.
  var paths: Set<String> = []

  /// The record of a folder; an empty one if there is none.
  ///
  /// - Throws: a ``PodgetError`` for a record that this podget does not know.
  init(in folder: OpenFile, at path: String) throws(PodgetError) {
    let data: Data
    do throws(DiskError) {
      data = try OpenFile.ownContents(Self.name, in: folder, limit: Self.maximumBytes)
    } catch {
      guard error.number != ENOENT else { return }
      throw error.at(error.operation, LibraryPath.join(path, Self.name)).podgetError
    }
    let lines = data.split(separator: 0x0A, omittingEmptySubsequences: true)
    guard let first = lines.first, first.elementsEqual(Self.firstLine.utf8) else {
      throw PodgetError(
        .disk,
        "The file \(path)/\(Self.name) is not one that this podget writes; move it away, and what it "
          + "names.")
    }
    for line in lines.dropFirst() where Self.isPublished(line) {
      paths.insert(String(decoding: line, as: UTF8.self))
    }
  }

  /// Creates a record.
  init(_ paths: Set<String> = []) { self.paths = paths }

  /// The record as a file.
  var bytes: [UInt8] {
    Array((([Self.firstLine] + paths.sorted()).joined(separator: "\n") + "\n").utf8)
  }

  /// Whether podget may have published a file with this path: in the folder itself or in that of a
  /// podcast.
  static func isPublished(_ path: some Collection<UInt8>) -> Bool {
    let parts = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard let file = parts.last, parts.count <= 2, file.count <= 64,
      let first = file.first, first != UInt8(ascii: "."),
      file.allSatisfy({ $0 == UInt8(ascii: ".") || PublishedName.isName([$0]) })
    else { return false }
    return parts.count == 1 || PublishedName.isName(parts[0])
  }
}
