import CFiles
import FoundationEssentials
import Glibc
import PodcastKit

/// A file that the user named for output.
enum ExportedFile {
  /// Writes a file; one that is there is replaced in one step.
  ///
  /// - Parameters:
  ///   - mode: its mode, less the umask; for the user only without one.
  ///   - isForAll: whether it has that mode whatever the umask: another user reads it.
  /// - Throws: a ``PodgetError`` of the disk; then the old file is still there.
  static func replace(
    _ name: String, with data: Data, mode: UInt32 = 0o600, isForAll: Bool = false
  ) throws(PodgetError) {
    // In a folder for all, such as /tmp, the link of another user may lead to any file.
    var link = stat()
    if lstat(name, &link) == 0, link.st_mode & S_IFMT == S_IFLNK, link.st_uid != 0,
      link.st_uid != geteuid()
    {
      throw PodgetError(.disk, "Cannot write \(name): it is a link of another user.")
    }
    // A link stays, and what it leads to is replaced.
    let path =
      realpath(name, nil).map { resolved in
        defer { free(resolved) }
        return String(cString: resolved)
      } ?? name
    let temporary = "\(path).\(String(UInt64.random(in: 0 ... .max), radix: 16)).tmp"
    do throws(DiskError) {
      // A device such as /dev/stdout is written, not replaced.
      var status = stat()
      if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
        // A pipe that nobody reads is an error, and no wait without end.
        let file = try OpenFile.open(path, flags: O_WRONLY | O_NONBLOCK)
        _ = fcntl(file.number, F_SETFL, O_WRONLY)
        try file.writeAll(data, path)
        return
      }
      let file = try OpenFile.open(
        temporary, flags: O_WRONLY | O_CREAT | O_EXCL, mode: mode)
      if isForAll { fchmod(file.number, mode) }
      do throws(DiskError) {
        try file.writeAll(data, path)
        try file.synchronize(path)
        guard rename(temporary, path) == 0 else { throw DiskError(errno, "replace", path) }
      } catch {
        unlink(temporary)
        throw error
      }
    } catch {
      throw error.at(error.operation, path).podgetError
    }
  }
}
