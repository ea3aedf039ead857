internal import CFiles
import FoundationEssentials
import Glibc

extension FileDescriptor {
  /// The whole content from the beginning.
  func readAll(_ name: String) throws(DiskError) -> Data {
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = try retryingInterrupts("read", name) {
        pread(number, &buffer, buffer.count, off_t(data.count))
      }
      if count == 0 { return data }
      data.append(contentsOf: buffer[..<count])
    }
  }

  /// Writes all bytes at the descriptor's own position.
  func writeAll(_ data: Data, _ name: String) throws(DiskError) {
    var rest = data[...]
    while !rest.isEmpty {
      let count = try retryingInterrupts("write", name) {
        rest.withUnsafeBytes { Glibc.write(number, $0.baseAddress, $0.count) }
      }
      guard count > 0 else { throw DiskError(ENOSPC, "write", name) }
      rest = rest.dropFirst(count)
    }
  }

  /// The names in a folder, sorted, without `.` and `..`; none when it cannot be read.
  func entries() -> [String] {
    var names: [String] = []
    try? forEachEntry { name, _ in names.append(name) }
    return names.sorted()
  }

  /// The names of the folders in a folder, in no order; links to folders are none.
  func subfolders() throws(DiskError) -> [String] {
    var names: [String] = []
    try forEachEntry { name, kind in
      // Not every file system says of what kind an entry is.
      if kind == DT_DIR || (kind == DT_UNKNOWN && status(of: name)?.is_folder == true) {
        names.append(name)
      }
    }
    return names
  }

  private func forEachEntry(
    _ body: (_ name: String, _ kind: Int) -> Void
  ) throws(DiskError) {
    let copy = openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0 else { throw DiskError(errno, "list", ".") }
    guard let stream = fdopendir(copy) else {
      let error = DiskError(errno, "list", ".")
      close(copy)
      throw error
    }
    defer { closedir(stream) }
    while true {
      // Only the number tells an error from the end.
      errno = 0
      guard let entry = readdir(stream) else {
        guard errno == 0 else { throw DiskError(errno, "list", ".") }
        return
      }
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { body(name, Int(entry.pointee.d_type)) }
    }
  }
}
