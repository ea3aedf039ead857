internal import CFiles
import Glibc
import PodcastModel
import PodcastTransfer

/// How new files spell their folders: as the library spells them already. `News` and `NEWS` are one
/// folder on many disks, where the record of one would replace that of the other.
struct FolderSpelling: Sendable {
  /// The names in a folder.
  private struct Names {
    var all: Set<String>
    /// The first of those that are one name to some file system.
    var byComparison: [String: String]
  }

  private let library: OpenFile
  /// By the path of their folder, as the library spells it.
  private var names: [String: Names] = [:]
  private var known: [String: String] = [:]

  /// Looks at the folders of a library when they are needed.
  init(of library: OpenFile) { self.library = library }

  /// The path of a folder as the library spells it; a new one is spelled like this from now on. An
  /// existing folder with this very name is always meant.
  mutating func spelled(_ path: String) -> String {
    if let known = known[path] { return known }
    var spelled = ""
    for part in LibraryPath.parts(path) {
      var names = names[spelled] ?? listed(spelled)
      let comparison = FileName.comparisonKey(part)
      let name = names.all.contains(part) ? part : names.byComparison[comparison] ?? part
      names.all.insert(name)
      names.byComparison[comparison] = names.byComparison[comparison] ?? name
      self.names[spelled] = names
      spelled = LibraryPath.join(spelled, name)
    }
    known[path] = spelled
    return spelled
  }

  /// The path of an open folder, which may have been opened by another spelling.
  static func path(
    of folder: OpenFile, openedAs path: RelativePath, in library: OpenFile
  ) -> String {
    if let named = library.status(of: path.text), let status = folder.status,
      named.isSameFile(as: status) || named.is_link
    {
      return path.text
    }
    var spelling = FolderSpelling(of: library)
    return spelling.spelled(path.text)
  }

  private func listed(_ path: String) -> Names {
    // What cannot be listed is reported where its files are needed.
    let folder = try? OpenFile.folder(path, in: library, creating: false)
    // A file is never meant, whatever its name. A link may lead to a disk that is missing now.
    let links = ((try? folder?.links()) ?? []).filter { name in
      do throws(DiskError) {
        guard path.isEmpty, let folder else { return false }
        _ = try folder.linkedFolder(name)
        return true
      } catch {
        return error.number != ENOTDIR
      }
    }
    let all = (((try? folder?.subfolders()) ?? []) + links)
      .filter { !$0.utf8.starts(with: ".".utf8) }.sorted()
    return Names(
      all: Set(all),
      byComparison: Dictionary(all.map { (FileName.comparisonKey($0), $0) }) { first, _ in first })
  }
}
