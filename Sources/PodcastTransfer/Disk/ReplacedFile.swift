internal import CFiles
package import FoundationEssentials
import Glibc

extension OpenFile {
  /// Replaces one of podget's own files: whoever reads it sees the old content or the new one, also after
  /// a crash. The new name is durable once the folder is synced.
  ///
  /// - Parameters:
  ///   - name: the name in the folder; the file need not be there.
  ///   - folder: the folder.
  ///   - data: the new content.
  ///   - temporary: the name until then. If no lock keeps other processes away, it must be one of its own;
  ///     what a killed process left under it is removed.
  ///   - isSynced: whether the content survives a power cut.
  ///   - prepare: sets the mode and the owner of the new file; otherwise it is for the user only, and in a
  ///     library that a group shares for the group too.
  package static func replaceOwnFile(
    _ name: String, in folder: OpenFile, with data: Data, temporary: String, isSynced: Bool = true,
    prepare: (OpenFile) throws(DiskError) -> Void = { _ in }
  ) throws(DiskError) {
    unlinkat(folder.number, temporary, 0)
    do throws(DiskError) {
      let file = try writableOwnFile(temporary, in: folder, flags: O_WRONLY | O_EXCL)
      try prepare(file)
      try file.writeAll(data, name)
      if isSynced { try file.synchronize(name) }
      guard renameat(folder.number, temporary, folder.number, name) == 0 else {
        throw DiskError(errno, "replace", name)
      }
    } catch {
      unlinkat(folder.number, temporary, 0)
      throw error
    }
  }
}
