internal import CFiles
import FoundationEssentials
import Glibc
package import PodcastModel
import PodcastTransfer

/// Searches for media files below a folder, with the metadata files of other tools.
package enum FoundFiles {
  /// A file that was found, or a sentence about one that cannot be read.
  package typealias Result = Swift.Result<FoundFile, PodgetError>

  /// How deep folders may be nested: more is a loop, or made to look like one.
  private static let deepest = 64
  /// The maximum size of a metadata file; yt-dlp writes one megabyte with all comments.
  private static let largestSidecar: Int64 = 16 << 20

  /// The media files below a folder, in the order of their paths.
  ///
  /// Hidden files and folders, those of a NAS, links, pipes and devices are ignored, and so are files
  /// without media content. A folder or file that cannot be read is a failure of its own.
  ///
  /// - Parameter path: the folder; each returned path begins with it.
  /// - Throws: a ``PodgetError`` when the folder itself cannot be opened.
  package static func below(_ path: String) throws(PodgetError) -> [(path: String, result: Result)]
  {
    do throws(DiskError) {
      var found: [(path: String, result: Result)] = []
      collect(try OpenFile.folder(path, creating: false), at: path, depth: 1, into: &found)
      return found
    } catch {
      throw switch error.number {
      case ENOENT: PodgetError(.notFound, "There is no folder \(path).")
      case ENOTDIR: PodgetError(.disk, "\(path) is not a folder; name the folder that it is in.")
      default: error.podgetError
      }
    }
  }

  private static func collect(
    _ folder: OpenFile, at path: String, depth: Int,
    into found: inout [(path: String, result: Result)]
  ) {
    let base = path.hasSuffix("/") ? path : "\(path)/"
    for name in folder.unreadableEntries() where !isHidden(name) {
      let reason = "The name is not UTF-8; rename the file, then adopt it."
      found.append((base + name, .failure(PodgetError(.disk, reason))))
    }
    for name in folder.entries() where !isHidden(name) {
      let path = base + name
      do throws(DiskError) {
        guard let status = folder.status(of: name) else {
          throw DiskError(errno, "examine", path)
        }
        if status.is_folder {
          guard depth < deepest else {
            let reason =
              "The folders are nested deeper than \(deepest) levels; adopt this one by itself."
            found.append((path, .failure(PodgetError(.disk, reason))))
            continue
          }
          let child = try OpenFile.open(
            name, in: folder, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
          collect(child, at: path, depth: depth + 1, into: &found)
        } else if status.is_regular, let file = try file(name, in: folder, path: path) {
          found.append((path, .success(file)))
        }
      } catch {
        found.append((path, .failure(explained(error, path))))
      }
    }
  }

  private static func explained(_ error: DiskError, _ path: String) -> PodgetError {
    error.at(error.operation, path).podgetError
  }

  /// Nil if it is not a media file.
  private static func file(
    _ name: String, in folder: OpenFile, path: String
  ) throws(DiskError) -> FoundFile? {
    guard var contents = try HashedFile(name, in: folder, progress: VerificationProgress()) else {
      return nil
    }
    guard let fileExtension = try mediaExtension(of: contents) else { return nil }
    var file = FoundFile(path: path, bytes: contents.length, fileExtension: fileExtension)
    file.inode = folder.status(of: name).map {
      FoundFile.Inode(device: $0.device, number: $0.inode)
    }
    file.tags = try EpisodeTags.read(&contents)
    file.sidecar =
      sidecar("\(file.stem).info.json", in: folder)
      ?? sidecar("\(file.stem).meta.json", in: folder)
    return file
  }

  /// Whether a name is that of an audio or video file, by its extension and its content. Hidden files are
  /// none, and neither are those that cannot be read.
  static func isMedia(_ name: String, in folder: OpenFile) -> Bool {
    guard !isHidden(name), let dot = name.lastIndex(of: "."),
      FileExtension.isAudioOrVideo(String(name[dot...])),
      let contents = try? HashedFile(name, in: folder, progress: VerificationProgress())
    else { return false }
    return (try? mediaExtension(of: contents)) != nil
  }

  /// Whether a name is hidden, or is that of a folder in which a NAS or another system keeps files of its
  /// own.
  static func isHidden(_ name: String) -> Bool {
    name.hasPrefix(".")
      || ["@eaDir", "#recycle", "#snapshot", "$RECYCLE.BIN", "System Volume Information"]
        .contains(name)
  }

  /// The extension for the content; nil if it is no media.
  private static func mediaExtension(of contents: HashedFile) throws(DiskError) -> String? {
    let start = Array(try contents.look(FileCheck.windowSize, at: 0))
    let isWhole = Int64(start.count) == contents.length
    guard case .media(let found) = FileCheck.verdict(start: start, isWhole: isWhole) else {
      return nil
    }
    return found
  }

  /// A file that cannot be read, or whose size is unlikely, is ignored.
  private static func sidecar(_ name: String, in folder: OpenFile) -> Sidecar? {
    (try? OpenFile.ownContents(name, in: folder, limit: largestSidecar))
      .flatMap { Sidecar.read($0) }
  }
}
