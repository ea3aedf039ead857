internal import CFiles
package import FoundationEssentials
import Glibc

extension OpenFile {
  /// The complete content from the beginning; more than the limit is an error.
  package func readAll(_ name: String, limit: Int64 = .max) throws(DiskError) -> Data {
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = try retryingInterrupts("read", name) {
        pread(number, &buffer, buffer.count, off_t(data.count))
      }
      if count == 0 { return data }
      data.append(contentsOf: buffer[..<count])
      guard data.count <= limit else { throw Self.tooLarge(name, limit) }
    }
  }

  /// Writes all bytes at the descriptor's own position.
  package func writeAll(_ data: Data, _ name: String) throws(DiskError) {
    var rest = data[...]
    while !rest.isEmpty {
      let count = try retryingInterrupts("write", name) {
        rest.withUnsafeBytes { Glibc.write(number, $0.baseAddress, $0.count) }
      }
      guard count > 0 else { throw DiskError(ENOSPC, "write", name) }
      rest = rest.dropFirst(count)
    }
  }

  /// The names in a folder, sorted, without `.` and `..`; none when it cannot be read. Names that
  /// are not UTF-8 are left out.
  package func entries() -> [String] {
    var names: [String] = []
    try? forEachEntry { name, _, _ in if let name { names.append(name) } }
    return names.sorted()
  }

  /// The names in a folder that are not UTF-8, with each invalid byte as `\xNN`.
  package func unreadableEntries() -> [String] {
    var names: [String] = []
    try? forEachEntry { name, bytes, _ in
      if name == nil { names.append(Self.escaped(bytes)) }
    }
    return names.sorted()
  }

  /// Whether a folder is completely empty; false when it cannot be read.
  ///
  /// - Parameter ignored: a name that does not count.
  package func isEmptyFolder(except ignored: String? = nil) -> Bool {
    var isEmpty = true
    do throws(DiskError) {
      try forEachEntry { name, _, _ in
        if name == nil || name != ignored { isEmpty = false }
      }
      return isEmpty
    } catch {
      return false
    }
  }

  /// The names of the folders in a folder, in no order; links to folders are left out.
  package func subfolders() throws(DiskError) -> [String] {
    var names: [String] = []
    try forEachEntry { name, _, kind in
      // Some file systems do not report the type of an entry.
      guard let name else { return }
      if kind == DT_DIR || (kind == DT_UNKNOWN && status(of: name)?.is_folder == true) {
        names.append(name)
      }
    }
    return names
  }

  /// The names of the links in a folder, in no order.
  package func links() throws(DiskError) -> [String] {
    var names: [String] = []
    try forEachEntry { name, _, kind in
      guard let name else { return }
      if kind == DT_LNK || (kind == DT_UNKNOWN && status(of: name)?.is_link == true) {
        names.append(name)
      }
    }
    return names
  }

  /// Visits the entries; the name is nil if it is not UTF-8.
  private func forEachEntry(
    _ body: (_ name: String?, _ bytes: [UInt8], _ kind: Int) -> Void
  ) throws(DiskError) {
    try forEachName { name, _, kind, _ in
      let bytes = Array(name)
      body(String(validating: bytes, as: UTF8.self), bytes, kind)
    }
  }

  /// Visits the entries of a folder with the bytes of their names, in no order and without `.` and
  /// `..`. No text is created for any of them, because a folder may have a hundred thousand.
  ///
  /// - Parameters:
  ///   - place: the place of the first entry, as an earlier visit told it; 0 is the beginning.
  ///   - end: the place at which to stop.
  ///   - body: gets the name, which is valid during the call, the inode, the type of the entry as
  ///     `readdir` reports it, and the place of the next entry.
  /// - Returns: whether it stopped at that place, and not behind the last entry.
  @discardableResult
  package func forEachName(
    from place: Int64 = 0, until end: Int64? = nil,
    _ body: (_ name: UnsafeBufferPointer<UInt8>, _ inode: UInt64, _ kind: Int, _ next: Int64)
      -> Void
  ) throws(DiskError) -> Bool {
    let copy = openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0 else { throw DiskError(errno, "list", ".") }
    guard place == 0 || lseek(copy, off_t(place), SEEK_SET) == off_t(place),
      let stream = fdopendir(copy)
    else {
      let error = DiskError(errno, "list", ".")
      close(copy)
      throw error
    }
    defer { closedir(stream) }
    let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
    while true {
      // Only errno distinguishes an error from the end.
      errno = 0
      guard let entry = readdir(stream) else {
        guard errno == 0 else { throw DiskError(errno, "list", ".") }
        return false
      }
      let name = UnsafeRawPointer(entry) + nameOffset
      let count = strnlen(name.assumingMemoryBound(to: CChar.self), 256)
      let bytes = UnsafeBufferPointer(
        start: name.assumingMemoryBound(to: UInt8.self), count: count)
      let next = Int64(entry.pointee.d_off)
      let isItself =
        count == 1 && bytes[0] == 0x2E || count == 2 && bytes[0] == 0x2E && bytes[1] == 0x2E
      if !isItself {
        body(bytes, UInt64(entry.pointee.d_ino), Int(entry.pointee.d_type), next)
      }
      if next == end { return true }
    }
  }

  private static func escaped(_ bytes: [UInt8]) -> String {
    var text = ""
    var decoder = UTF8()
    var rest = bytes[...]
    while !rest.isEmpty {
      var iterator = rest.makeIterator()
      switch decoder.decode(&iterator) {
      case .scalarValue(let scalar):
        text.unicodeScalars.append(scalar)
        rest = rest.dropFirst(UTF8.width(scalar))
      case .error, .emptyInput:
        let hex = String(rest[rest.startIndex], radix: 16, uppercase: true)
        text += "\\x" + (hex.count < 2 ? "0" : "") + hex
        rest = rest.dropFirst()
      }
      decoder = UTF8()
    }
    return text
  }
}
