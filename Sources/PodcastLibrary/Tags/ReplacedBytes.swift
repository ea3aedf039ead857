import FoundationEssentials
package import PodcastTransfer

/// How the bytes of a file before a change are made from those after it: most are copied, and the
/// replaced ones are kept.
package struct ReplacedBytes: Sendable, Hashable {
  /// A step of making the file.
  enum Step: Sendable, Hashable {
    /// So many bytes of the changed file, from an offset on.
    case copy(offset: Int64, count: Int64)
    /// Bytes that the changed file has not.
    case bytes(Data)
  }

  /// The most bytes that are kept: tags with pictures have a few million.
  static let mostBytes = 32 << 20
  static let mostSteps = 1 << 20
  /// A copy of fewer bytes takes more room than the bytes.
  private static let shortestCopy = 24
  private static let blockSize = 1 << 18

  private(set) var steps: [Step] = []
  private var kept = 0

  init() {}

  /// Finds what of a file is replaced in another one; nil if that is too much.
  ///
  /// Tags are at the beginning or at the end, and most of them stay as they are too. So each byte is
  /// looked for where it was, and as far from the end as it was.
  package init?(
    of old: PartFile, in new: PartFile, isCancelled: () -> Bool
  ) throws(DiskError) {
    let oldLength = try old.size()
    let shift = try new.size() - oldLength
    var position: Int64 = 0
    while position < oldLength {
      if isCancelled() { throw .cancelled("compare", old.name) }
      let block = try old.bytes(Self.blockSize, at: position)
      let here = try new.bytes(block.count, at: position)
      // Before the beginning of the other file there is nothing.
      let there = position + shift
      let gap = Int(min(Int64(block.count), max(0, -there)))
      let shifted = shift == 0 ? [] : try new.bytes(block.count - gap, at: there + Int64(gap))
      // It becomes shorter meanwhile, or all of it is too much.
      guard !block.isEmpty,
        compare(block, at: position, [(here, 0, position), (shifted, gap, there)])
      else { return nil }
      position += Int64(block.count)
    }
  }

  /// A block of the changed file, how many bytes of the block of the old one come before it, and the
  /// offset in the file that belongs to the beginning of the old block.
  private typealias Candidate = (bytes: [UInt8], gap: Int, offset: Int64)

  /// Adds the steps for a block; false when they are too many.
  private mutating func compare(
    _ block: [UInt8], at position: Int64, _ candidates: [Candidate]
  ) -> Bool {
    var place = 0
    var unmatched = 0
    while place < block.count {
      var best = (count: 0, offset: Int64(0))
      for (bytes, gap, offset) in candidates {
        let count = Self.equalBytes(block, bytes, gap, from: place)
        if count > best.count { best = (count, offset) }
      }
      guard best.count >= Self.shortestCopy || best.count > 0 && place + best.count == block.count
      else {
        place += max(1, best.count)
        continue
      }
      guard unmatched == place || add(block[unmatched..<place]) else { return false }
      add(copy: best.offset + Int64(place), Int64(best.count))
      place += best.count
      unmatched = place
    }
    return unmatched == place || add(block[unmatched..<place])
  }

  private mutating func add(copy offset: Int64, _ count: Int64) {
    guard count > 0 else { return }
    if case .copy(let start, let before)? = steps.last, start + before == offset {
      steps[steps.count - 1] = .copy(offset: start, count: before + count)
    } else {
      steps.append(.copy(offset: offset, count: count))
    }
  }

  private mutating func add(_ bytes: ArraySlice<UInt8>) -> Bool {
    kept += bytes.count
    guard kept <= Self.mostBytes, steps.count < Self.mostSteps else { return false }
    if case .bytes(var data)? = steps.last {
      // Otherwise a copy of all is made for each addition.
      steps.removeLast()
      data.append(contentsOf: bytes)
      steps.append(.bytes(data))
    } else {
      steps.append(.bytes(Data(bytes)))
    }
    return true
  }

  /// Adds a step that was read; false for one that no file can have.
  mutating func take(_ step: Step) -> Bool {
    switch step {
    case .copy(let offset, let count):
      guard offset >= 0, count > 0, !offset.addingReportingOverflow(count).overflow,
        steps.count < Self.mostSteps
      else { return false }
      steps.append(step)
    case .bytes(let data):
      kept += data.count
      guard !data.isEmpty, kept <= Self.mostBytes, steps.count < Self.mostSteps else {
        return false
      }
      steps.append(step)
    }
    return true
  }

  /// How many bytes are equal from a place on, if the other bytes begin behind a gap.
  private static func equalBytes(
    _ block: [UInt8], _ other: [UInt8], _ gap: Int, from place: Int
  ) -> Int {
    guard place >= gap else { return 0 }
    let end = min(block.count, other.count + gap)
    var equal = place
    while equal < end, block[equal] == other[equal - gap] { equal += 1 }
    return equal - place
  }
}

extension ReplacedBytes {
  /// Makes the file as it was.
  ///
  /// - Parameters:
  ///   - file: the changed file.
  ///   - bytes: how long the file was.
  ///   - write: gets the bytes in order.
  /// - Returns: the SHA-256 of what was made, in lower-case hex; nil if it has another length.
  func rebuild(
    from file: PartFile, bytes: Int64, isCancelled: () -> Bool,
    _ write: (_ bytes: UnsafeRawBufferPointer, _ offset: Int64) throws(DiskError) -> Void
  ) throws(DiskError) -> String? {
    var digest = SHA2Digest()
    var position: Int64 = 0
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.blockSize, alignment: 16)
    defer { buffer.deallocate() }
    for step in steps {
      if isCancelled() { throw .cancelled("read", file.name) }
      switch step {
      case .bytes(let data):
        guard Int64(data.count) <= bytes - position else { return nil }
        try Self.withBytes(of: data) { block throws(DiskError) in
          digest.add(block)
          try write(block, position)
        }
        position += Int64(data.count)
      case .copy(var offset, var count):
        guard count <= bytes - position else { return nil }
        while count > 0 {
          if isCancelled() { throw .cancelled("read", file.name) }
          let wanted = UnsafeMutableRawBufferPointer(
            rebasing: buffer[..<Int(min(Int64(buffer.count), count))])
          let read = try file.read(into: wanted, at: offset)
          guard read == wanted.count else { return nil }
          let block = UnsafeRawBufferPointer(wanted)
          digest.add(block)
          try write(block, position)
          (position, offset, count) = (
            position + Int64(read), offset + Int64(read), count - Int64(read)
          )
        }
      }
    }
    return position == bytes ? digest.finish() : nil
  }

  /// The bytes of data, for work that throws errors of the disk.
  private static func withBytes(
    of data: Data, _ work: (UnsafeRawBufferPointer) throws(DiskError) -> Void
  ) throws(DiskError) {
    let failure = data.withUnsafeBytes { bytes -> DiskError? in
      do throws(DiskError) {
        try work(bytes)
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
  }
}
