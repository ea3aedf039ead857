internal import CFiles
import FoundationEssentials
import Glibc

/// A folder as the index knows it.
struct KnownFolder: Sendable, Hashable {
  /// The row's number.
  var id: Int64
  /// The path below the library, empty for the library itself.
  var path: String
  var stamp: FolderStamp
  /// Whether the stamp was old enough, when the folder was read, to tell of every later change.
  var isSettled: Bool
}

/// A folder as it was read from the disk.
struct ScannedFolder: Sendable {
  var path: String
  /// Taken before anything was read, so that a change amid the reading shows the next time.
  var stamp: FolderStamp
  var isSettled: Bool
  var episodes: [LocalEpisode]
}

/// What came between the index and the disk.
struct FolderChanges: Sendable {
  /// The rows of folders that are gone.
  var gone: [Int64] = []
  /// The folders that are new or changed, by their paths.
  var scanned: [ScannedFolder] = []
  /// What the disk does not give: nobody knows what is on record there now, and what was known of it
  /// stays in the index.
  var unreadable: [DiskError] = []

  var isEmpty: Bool { gone.isEmpty && scanned.isEmpty }

  /// The episodes of the folders that were read.
  var episodes: UniqueEpisodes {
    UniqueEpisodes(scanned.flatMap(\.episodes))
  }
}

/// Looks through the folders of a library and reads those of which the index knows nothing, or no
/// longer the truth: one `stat` for each known folder and for each record is all that the others take.
struct FolderScan {
  let root: FileDescriptor
  /// The time of day in nanoseconds since 1970.
  var now = Int64(Date().timeIntervalSince1970 * 1_000_000_000)

  /// Compares the disk with what is known; with nothing known, reads everything.
  func changes(since known: [KnownFolder]) -> FolderChanges {
    var left: [String: KnownFolder] = [:]
    var children: [String: [String]] = [:]
    for folder in known {
      left[folder.path] = folder
      if !folder.path.isEmpty {
        children[LibraryPath.split(folder.path).folder, default: []] += [folder.path]
      }
    }
    var changes = FolderChanges()
    var unknown: Set<String> = []
    var waiting = [""]
    while let path = waiting.popLast() {
      do throws(DiskError) {
        guard let stamp = try stamp(of: path) else { continue }
        if let known = left[path], known.isSettled, known.stamp == stamp {
          waiting += children[path] ?? []
        } else {
          let (scanned, subfolders) = try read(path, stamp)
          changes.scanned.append(scanned)
          waiting += subfolders
        }
        left[path] = nil
      } catch {
        waiting += children[path] ?? []
        let isKnown = left.removeValue(forKey: path) != nil
        if !isKnown { unknown.insert(path) }
        // Folders of which nothing was ever seen are other people's, such as `lost+found`.
        if isKnown || error.path.hasSuffix(FolderRecords.name) || !error.isForbidden {
          changes.unreadable.append(error)
        }
      }
    }
    changes.gone = left.values.map(\.id)
    // Nothing but its parent leads to a folder of which the index knows nothing yet.
    let parents = Set(unknown.map { LibraryPath.split($0).folder })
    for index in changes.scanned.indices where parents.contains(changes.scanned[index].path) {
      changes.scanned[index].isSettled = false
    }
    changes.scanned.sort { $0.path < $1.path }
    return changes
  }
}

extension FolderScan {
  /// Nil for what is no folder (any more).
  private func stamp(of path: String) throws(DiskError) -> FolderStamp? {
    guard let status = root.status(of: path.isEmpty ? "." : path) else {
      guard errno == ENOENT || errno == ENOTDIR else { throw DiskError(errno, "examine", path) }
      return nil
    }
    guard status.is_folder else { return nil }
    let records = root.status(
      of: LibraryPath.join(path, FolderRecords.name))
    return FolderStamp(folder: FileStamp(status), records: records.map { FileStamp($0) })
  }

  private func read(
    _ path: String, _ stamp: FolderStamp
  ) throws(DiskError) -> (ScannedFolder, subfolders: [String]) {
    // Links are not followed, so a loop cannot occur.
    let folder = try FileDescriptor.open(
      path.isEmpty ? "." : path, in: root, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    let subfolders: [String]
    do throws(DiskError) {
      subfolders = try folder.subfolders().filter { !$0.hasPrefix(".") }
        .map { LibraryPath.join(path, $0) }
    } catch {
      throw DiskError(error.number, "list", path)
    }
    do throws(DiskError) {
      let episodes = FolderContents(try FolderRecords.read(in: folder)).entries.compactMap {
        LocalEpisode($0, in: folder, at: path)
      }
      return (
        ScannedFolder(
          path: path, stamp: stamp, isSettled: stamp.isSettled(at: now), episodes: episodes),
        subfolders
      )
    } catch {
      let name = LibraryPath.join(path, FolderRecords.name)
      throw DiskError(error.number, "read", name)
    }
  }
}
