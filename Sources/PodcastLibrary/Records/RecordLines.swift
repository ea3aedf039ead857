internal import CFiles
import FoundationEssentials
import Glibc
import PodcastModel
import PodcastTransfer
import Synchronization

/// The positions of the lines about each episode in the records of a library's folders.
///
/// A run asks for one episode after the other, each time at the disk, because another process may
/// have written about it in the meantime. Here each record is read once, and later only what was
/// added to it. The positions of the lines are kept, not their content.
///
/// The first questions about a long record go to the index of the library, which knows such positions
/// too: a command that asks for a few episodes does not read it at all.
final class RecordLines: Sendable {
  /// The size from which a record is long, and how many questions the index answers.
  private static let longSize: Int64 = 1 << 20
  private static let mostLookups = 16

  private let records = Mutex<[RelativePath: IndexedRecord]>([:])
  private let lookups = Mutex<[RelativePath: Int]>([:])
  private let onRead: @Sendable (Int) -> Void

  /// Creates it without any record read.
  ///
  /// - Parameter onRead: called with the number of bytes, for each read.
  init(onRead: @escaping @Sendable (Int) -> Void = { _ in }) { self.onRead = onRead }

  /// What the record of a folder says now about episodes, for each in the order of its lines. It
  /// blocks on the disk.
  ///
  /// - Parameter index: asks the index; nil if it does not know.
  func facts(
    about keys: [EpisodeKey], in folder: OpenFile, at path: RelativePath,
    _ index: (_ record: OpenFile) -> [EpisodeKey: [FolderFact]]? = { _ in nil }
  ) throws(DiskError) -> [EpisodeKey: [FolderFact]] {
    guard let file = try FolderRecords.log(in: folder).existing() else { return [:] }
    if isLookup(of: file, at: path), let facts = index(file) { return facts }
    var facts: [EpisodeKey: [FolderFact]] = [:]
    for key in keys { facts[key] = try self.facts(about: key, of: file, at: path) }
    return facts
  }

  /// Whether the index is asked: reading the record once is faster than very many questions.
  private func isLookup(of file: OpenFile, at path: RelativePath) -> Bool {
    guard let size = file.status?.size, size >= Self.longSize,
      records.withLock({ $0[path] }) == nil
    else { return false }
    return lookups.withLock { lookups in
      lookups[path, default: 0] += 1
      return lookups[path, default: 0] <= Self.mostLookups
    }
  }

  private func facts(
    about key: EpisodeKey, of file: OpenFile, at path: RelativePath
  ) throws(DiskError) -> [FolderFact] {
    guard let digits = KeyDigits(key) else { return [] }
    // While it is used no other caller waits for it: each of them reads the record itself.
    var record = records.withLock { $0.removeValue(forKey: path) } ?? IndexedRecord()
    let lines = try record.lines(about: digits, of: file, onRead)
    records.withLock { [record] in $0[path] = record }
    let decoder = JSONDecoder()
    return lines.compactMap { line in
      (try? decoder.decode(FolderFact.self, from: line)).flatMap { $0.key == key ? $0 : nil }
    }
  }
}

/// The lines of one record, by the keys in them.
private struct IndexedRecord {
  private struct Line {
    let offset: Int64
    let length: Int32
    /// The previous line with the same key; below zero for none.
    let previous: Int32
  }

  private static let blockSize = 256 * 1024
  /// How many bytes at the end of the read part are compared: they contain a checksum.
  private static let tailSize = 256

  private var file: OpenFile.Status?
  /// How much has been read: complete lines only.
  private var size: Int64 = 0
  private var tail: [UInt8] = []
  /// The bytes after the last complete line.
  private var rest: [UInt8] = []
  private var lines: [Line] = []
  private var last: [KeyDigits: Int32] = [:]

  /// The lines with a key, after reading what was added since the last call.
  mutating func lines(
    about key: KeyDigits, of file: OpenFile, _ onRead: (Int) -> Void
  ) throws(DiskError) -> [Data] {
    try refresh(file, onRead)
    var found: [Data] = []
    var number = last[key] ?? -1
    while number >= 0 {
      let line = lines[Int(number)]
      found.append(Data(try Self.read(Int(line.length), of: file, at: line.offset, onRead)))
      number = line.previous
    }
    found.reverse()
    if !rest.isEmpty { found.append(Data(rest)) }
    return found
  }

  private mutating func refresh(
    _ file: OpenFile, _ onRead: (Int) -> Void
  ) throws(DiskError) {
    guard let status = file.status else { throw DiskError(errno, "examine", FolderRecords.name) }
    // A compaction or a person may have replaced the file.
    if let known = self.file {
      let end = try Self.read(tail.count, of: file, at: size - Int64(tail.count), onRead)
      if !known.isSameFile(as: status) || end != tail { self = IndexedRecord() }
    }
    self.file = status
    var held: [UInt8] = []
    var isTooLong = false
    rest = []
    while size + Int64(held.count) < status.size {
      let offset = size + Int64(held.count)
      let block = try Self.read(
        Int(min(Int64(Self.blockSize), status.size - offset)), of: file, at: offset, onRead)
      guard !block.isEmpty else { break }
      held += block
      guard let newline = block.lastIndex(of: 0x0A) else {
        // A line that readers refuse for its length is dropped during the read.
        if held.count > FolderRecords.maximumLineBytes {
          isTooLong = true
          size += Int64(held.count)
          held = []
        }
        continue
      }
      let whole = held.count - (block.count - newline - 1)
      held.withUnsafeBytes { bytes in
        take(UnsafeRawBufferPointer(rebasing: bytes[..<whole]), withoutFirst: isTooLong)
      }
      isTooLong = false
      tail = Array(held[..<whole].suffix(Self.tailSize))
      size += Int64(whole)
      held.removeFirst(whole)
    }
    if !isTooLong { rest = held }
  }

  /// Adds complete lines, starting at the current position.
  private mutating func take(_ bytes: UnsafeRawBufferPointer, withoutFirst: Bool) {
    guard let first = bytes.baseAddress else { return }
    var start = 0
    var isLeftOut = withoutFirst
    while start < bytes.count, let newline = memchr(first + start, 0x0A, bytes.count - start) {
      let end = UnsafeRawPointer(newline) - first
      if !isLeftOut, end - start <= FolderRecords.maximumLineBytes,
        let length = Int32(exactly: end - start)
      {
        let offset = size + Int64(start)
        KeyDigits.forEach(in: UnsafeRawBufferPointer(rebasing: bytes[start..<end])) { key in
          let previous = last[key] ?? -1
          guard previous < 0 || lines[Int(previous)].offset != offset,
            let number = Int32(exactly: lines.count)
          else { return }
          lines.append(Line(offset: offset, length: length, previous: previous))
          last[key] = number
        }
      }
      isLeftOut = false
      start = end + 1
    }
  }

  private static func read(
    _ count: Int, of file: OpenFile, at offset: Int64, _ onRead: (Int) -> Void
  ) throws(DiskError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var read = 0
    while read < count {
      let got = try retryingInterrupts("read", FolderRecords.name) {
        bytes.withUnsafeMutableBytes {
          pread(file.number, $0.baseAddress.map { $0 + read }, count - read, off_t(offset) + read)
        }
      }
      if got == 0 { break }
      read += got
    }
    onRead(read)
    return read == count ? bytes : Array(bytes[..<read])
  }
}

/// An episode's key as a number, which takes a sixth of the text's memory.
struct KeyDigits: Hashable {
  private let high: UInt64
  private let low: UInt64

  init?(_ key: EpisodeKey) {
    var text = key.text
    guard let digits = text.withUTF8({ KeyDigits(UnsafeRawBufferPointer($0)) }) else { return nil }
    self = digits
  }

  /// Reads 32 lower-case hex digits; nil for anything else.
  private init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count == 32 else { return nil }
    var halves: (UInt64, UInt64) = (0, 0)
    for (place, byte) in bytes.enumerated() {
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      default: return nil
      }
      if place < 16 {
        halves.0 = halves.0 << 4 | UInt64(digit)
      } else {
        halves.1 = halves.1 << 4 | UInt64(digit)
      }
    }
    (high, low) = halves
  }

  /// Visits every string of a line of JSON that may be a key.
  static func forEach(in line: UnsafeRawBufferPointer, _ body: (KeyDigits) -> Void) {
    guard let first = line.baseAddress else { return }
    let quote = UInt8(ascii: "\"")
    var place = 0
    while place + 33 < line.count,
      let found = memchr(first + place, Int32(quote), line.count - place - 33)
    {
      let start = UnsafeRawPointer(found) - first
      place = start + 1
      if line[start + 33] == quote,
        let key = KeyDigits(UnsafeRawBufferPointer(rebasing: line[place..<start + 33]))
      {
        body(key)
      }
    }
  }
}
