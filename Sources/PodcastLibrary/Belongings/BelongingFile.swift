internal import CFiles
public import PodcastModel
import PodcastTransfer

/// A file beside an episode that the record of its folder names.
public struct BelongingFile: Sendable, Hashable {
  /// Its kind; nil for one that only a newer podget knows.
  public var kind: Belonging?
  /// Its path relative to the library.
  public var path: String
  /// Its length in bytes.
  public var bytes: Int64
  /// Whether it has the length that is on record.
  public var hasRecordedLength: Bool
}

extension Library {
  /// The files beside episodes that are there, by the keys of the episodes, those of an episode in the
  /// order of its record. Each folder's record is asked once, and none without such files.
  public func belongings(of episodes: [LocalEpisode]) -> [String: [BelongingFile]] {
    let owners = episodes.filter { $0.otherBytes != nil }
    var found: [String: [BelongingFile]] = [:]
    for (path, places) in owners.byFolder {
      let keys = places.map { owners[$0].plan.episodeKey }
      guard let folder = try? OpenFile.folder(path, in: root, creating: false),
        let entries = try? entries(keys, in: folder, at: path)
      else { continue }
      for entry in entries.values {
        // After a removal, only a killed podget can have left the episode's file there.
        guard entry.removedAt == nil || entry.fileStatus(in: folder) != nil else { continue }
        let files = entry.otherFiles.compactMap { file -> BelongingFile? in
          guard let status = folder.mediaStatus(of: file.path.text), status.is_regular else {
            return nil
          }
          return BelongingFile(
            kind: Belonging(rawValue: file.role),
            path: LibraryPath.join(path.text, file.path.text), bytes: status.size,
            hasRecordedLength: file.bytes == nil || file.bytes == status.size)
        }
        if !files.isEmpty { found[entry.key.text] = files }
      }
    }
    return found
  }

  /// The text of a file beside an episode, as it is on the disk; nil if it cannot be read or is larger
  /// than podget stores.
  public func contents(of file: BelongingFile) -> [UInt8]? {
    guard let (path, name) = RelativePath(file.path)?.split,
      let folder = try? OpenFile.folder(path, in: root, creating: false),
      let data = try? folder.mediaFile(name.text).readAll(
        name.text, limit: Int64(BelongingLimits.most))
    else { return nil }
    return [UInt8](data)
  }
}

/// The most bytes of files beside episodes.
package enum BelongingLimits {
  /// The most of any.
  package static let most = 10 << 20
  /// The most of a kind, as a server sends it.
  package static func bytes(_ kind: Belonging) -> Int {
    switch kind {
    case .transcript: 8 << 20
    case .chapters, .notes: 1 << 20
    case .artwork, .cover: most
    }
  }
}

extension Library {
  /// The addresses of what episodes lack.
  package func wantedAddresses(of episodes: [LocalEpisode]) -> [String] {
    episodes.byFolder.flatMap { path, places -> [String] in
      guard let folder = try? OpenFile.folder(path, in: root, creating: false),
        let entries = try? entries(
          places.map { episodes[$0].plan.episodeKey }, in: folder, at: path)
      else { return [] }
      return entries.values.flatMap { $0.wanted.filter { !$0.isHopeless }.compactMap(\.url) }
    }
  }
}
