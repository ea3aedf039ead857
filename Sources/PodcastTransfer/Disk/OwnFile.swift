internal import CFiles
package import FoundationEssentials
import Glibc

/// The files that podget keeps for itself: records, plans, undo files. Anybody who can write into a
/// library, or gives away a copy of one, can replace them, so they are opened as untrusted input.
extension OpenFile {
  /// Opens one of podget's own files for reading.
  ///
  /// Opening never waits, as it would for a FIFO, and follows no link.
  ///
  /// - Parameters:
  ///   - name: the name in the folder.
  ///   - limit: the maximum size of such a file.
  ///   - followsLinks: whether the name may be a link, because the user named it.
  package static func ownFile(
    _ name: String, in folder: OpenFile? = nil, limit: Int64, followsLinks: Bool = false
  ) throws(DiskError) -> OpenFile {
    let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | (followsLinks ? 0 : O_NOFOLLOW)
    let file: OpenFile
    do throws(DiskError) {
      file = try open(name, in: folder, flags: flags)
    } catch {
      switch error.number {
      case ELOOP where !followsLinks:
        throw DiskError(
          ELOOP, "read", name, reason: "it is a symbolic link, which podget does not follow there")
      case ENXIO: throw DiskError(ENXIO, "read", name, reason: notRegular)
      default: throw error
      }
    }
    guard let status = file.status else { throw DiskError(errno, "examine", name) }
    guard !status.is_folder else { throw DiskError(EISDIR, "read", name) }
    guard status.is_regular else { throw DiskError(EINVAL, "read", name, reason: notRegular) }
    guard status.size <= limit else { throw tooLarge(name, limit) }
    return file
  }

  /// Opens one of podget's own files for writing, and creates it when there is none, for the user
  /// only; in a library that a group shares, for the group too.
  ///
  /// - Parameters:
  ///   - flags: how to open it; links are never followed.
  ///   - keepsOwner: whether a file that root creates belongs to the owner of the folder.
  package static func writableOwnFile(
    _ name: String, in folder: OpenFile, flags: Int32, keepsOwner: Bool = false
  ) throws(DiskError) -> OpenFile {
    let flags = flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
    while true {
      if flags & O_EXCL == 0 {
        do throws(DiskError) {
          let file = try open(name, in: folder, flags: flags & ~O_CREAT)
          guard file.status?.is_regular == true else {
            throw DiskError(EINVAL, "open", name, reason: notRegular)
          }
          return file
        } catch {
          guard error.number == ENOENT else { throw error }
        }
      }
      do throws(DiskError) {
        let file = try open(name, in: folder, flags: flags | O_CREAT | O_EXCL, mode: 0o600)
        // The umask does not matter for files that a group shares; errors are ignored, because some
        // file systems have no modes.
        if folder.isShared { fchmod(file.number, 0o660) }
        if keepsOwner { file.takeOwner(of: folder) }
        return file
      } catch {
        // Another podget created it first.
        guard error.number == EEXIST, flags & O_EXCL == 0 else { throw error }
      }
    }
  }

  /// Gives a new file the owner and the group of another one, or of a folder, if root runs podget:
  /// otherwise the library's owner could not use it. Errors are ignored, because some file systems
  /// have no owners.
  package func takeOwner(of other: OpenFile) {
    var status = stat()
    guard geteuid() == 0, fstat(other.number, &status) == 0 else { return }
    fchown(number, status.st_uid, status.st_gid)
  }

  /// The complete content of one of podget's own files.
  package static func ownContents(
    _ name: String, in folder: OpenFile? = nil, limit: Int64, followsLinks: Bool = false
  ) throws(DiskError) -> Data {
    let file = try ownFile(name, in: folder, limit: limit, followsLinks: followsLinks)
    return try file.readAll(name, limit: limit)
  }

  /// Passes on the lines of the file, without their ends, and nil for a line that is too long to be
  /// one of podget's; content beyond the limit is an error.
  package func forEachLine(
    _ name: String, limit: Int64, lineLimit: Int = 1 << 20, _ body: (Data?) -> Void
  ) throws(DiskError) {
    _ = try readLines(name, from: 0, limit: limit, lineLimit: lineLimit) { line, _ in body(line) }
  }

  /// The same from the start of a line on, with the offset at which each line starts.
  ///
  /// - Returns: where the last complete line ends.
  package func readLines(
    _ name: String, from start: Int64, limit: Int64, lineLimit: Int,
    _ body: (_ line: Data?, _ offset: Int64) -> Void
  ) throws(DiskError) -> Int64 {
    var buffer = [UInt8](repeating: 0, count: 256 * 1024)
    var line = Data()
    var isTooLong = false
    var offset = start
    var complete = start
    func take(_ bytes: UnsafeRawBufferPointer) {
      if isTooLong { return }
      isTooLong = line.count + bytes.count > lineLimit
      if isTooLong { line = Data() } else { line.append(contentsOf: bytes) }
    }
    func end() {
      if isTooLong {
        body(nil, complete)
      } else if !line.isEmpty {
        body(line, complete)
      }
      line.removeAll(keepingCapacity: true)
      isTooLong = false
    }
    while true {
      let count = try retryingInterrupts("read", name) {
        pread(number, &buffer, buffer.count, off_t(offset))
      }
      if count == 0 { break }
      offset += Int64(count)
      guard offset <= limit else { throw Self.tooLarge(name, limit) }
      buffer.withUnsafeBytes { bytes in
        var rest = UnsafeRawBufferPointer(rebasing: bytes[..<count])
        while let start = rest.baseAddress, let found = memchr(start, 0x0A, rest.count) {
          let length = UnsafeRawPointer(found) - start
          take(UnsafeRawBufferPointer(rebasing: rest[..<length]))
          end()
          rest = UnsafeRawBufferPointer(rebasing: rest[(length + 1)...])
          complete = offset - Int64(rest.count)
        }
        take(rest)
      }
    }
    end()
    return complete
  }

  private static let notRegular = "it is not a regular file"

  package static func tooLarge(_ name: String, _ limit: Int64) -> DiskError {
    DiskError(EFBIG, "read", name, reason: "it is larger than \(limit >> 20) MiB")
  }
}
