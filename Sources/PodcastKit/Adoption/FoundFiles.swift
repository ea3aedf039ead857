internal import CFiles
import FoundationEssentials
import Glibc

/// Looks for media files below a folder, with what other tools wrote about them.
public enum FoundFiles {
  /// A file that was found, or a sentence about one that cannot be read.
  public typealias Result = Swift.Result<FoundFile, PodgetError>

  /// The media files below a folder, in the order of their paths.
  ///
  /// Hidden files and folders and links are passed over, and so is what is no media by its content.
  ///
  /// - Parameter path: the folder; it stands before each path that is given back.
  /// - Throws: a ``PodgetError`` when the folder itself cannot be opened.
  public static func below(_ path: String) throws(PodgetError) -> [(path: String, result: Result)] {
    do throws(DiskError) {
      var found: [(path: String, result: Result)] = []
      collect(try FileDescriptor.folder(path, creating: false), at: path, into: &found)
      return found
    } catch {
      throw error.number == ENOENT
        ? PodgetError(.notFound, "There is no folder \(path).") : error.podgetError
    }
  }

  private static func collect(
    _ folder: FileDescriptor, at path: String,
    into found: inout [(path: String, result: Result)]
  ) {
    let base = path.hasSuffix("/") ? path : "\(path)/"
    for name in folder.entries() where !name.hasPrefix(".") {
      if let child = try? FileDescriptor.open(
        name, in: folder, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
      {
        collect(child, at: base + name, into: &found)
        continue
      }
      do throws(DiskError) {
        guard let file = try file(name, in: folder, path: base + name) else { continue }
        found.append((base + name, .success(file)))
      } catch {
        found.append((base + name, .failure(error.podgetError)))
      }
    }
  }

  /// Nil for what is no media file.
  private static func file(
    _ name: String, in folder: FileDescriptor, path: String
  ) throws(DiskError) -> FoundFile? {
    guard var contents = try HashedFile(name, in: folder, progress: VerificationProgress()) else {
      return nil
    }
    let start = Array(try contents.look(FileCheck.windowSize, at: 0))
    let isWhole = Int64(start.count) == contents.length
    guard case .media(let fileExtension) = FileCheck.verdict(start: start, isWhole: isWhole) else {
      return nil
    }
    var file = FoundFile(path: path, bytes: contents.length, fileExtension: fileExtension)
    file.tags = try EpisodeTags.read(&contents)
    let sidecar = "\(file.stem).info.json"
    if let descriptor = try? FileDescriptor.open(sidecar, in: folder, flags: O_RDONLY),
      let data = try? descriptor.readAll(sidecar)
    {
      file.sidecar = Sidecar.read(data)
    }
    return file
  }
}
