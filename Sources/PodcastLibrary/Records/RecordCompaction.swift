import FoundationEssentials
import Glibc
import PodcastModel

/// Finds the lines of a folder's record that later lines have superseded.
///
/// The other lines stay as they were written, byte for byte and in their order: lines of kinds or
/// versions that this podget does not know, fields that it does not know, and unreadable lines,
/// which somebody may still want to repair.
enum RecordCompaction {
  /// The minimum size in bytes of a record that is compacted.
  static let smallestSize: Int64 = 64 * 1024

  /// Whether a record that has grown is to be checked: when it has passed a size that is a power of
  /// two times the smallest one.
  ///
  /// All checks together then read only a few times what was ever written, however large the record
  /// becomes, and nothing needs to be remembered between them. Because a check compacts a record
  /// that is mostly superseded, a record is never longer than four times its current lines, or than
  /// the smallest size.
  ///
  /// - Parameters:
  ///   - size: its size in bytes now.
  ///   - before: its size before the last lines were added.
  ///   - smallest: the first size.
  ///   - limit: the maximum size that is read.
  static func isDue(
    _ size: Int64, after before: Int64, smallest: Int64 = smallestSize,
    limit: Int64 = FolderRecords.maximumBytes
  ) -> Bool {
    guard size >= smallest, size > before else { return false }
    // A record that is about to become too long to be read is checked more often.
    let fine = max(limit / 16, 1)
    if size >= limit / 4, size / fine > before / fine { return true }
    // The number of the largest such size that is not larger than the record.
    func step(_ size: Int64) -> Int {
      let multiple = max(size, 0) / max(smallest, 1)
      return Int64.bitWidth - multiple.leadingZeroBitCount
    }
    return step(size) > step(before)
  }

  /// The record without its superseded lines; nil while these are not more than half of its bytes.
  static func compacted(_ record: Data) -> Data? {
    let isNearLimit = record.count > FolderRecords.maximumBytes / 2
    let enough = record.count / (isNearLimit ? 8 : 2)
    guard mostNeedless(record) > enough else { return nil }
    let lines = record.split(separator: 0x0A)
    let decoder = JSONDecoder()
    // A line that readers refuse for its length does not supersede one that they read.
    let facts = lines.map { line in
      line.count > FolderRecords.maximumLineBytes
        ? nil : try? decoder.decode(FolderFact.self, from: Data(line))
    }
    let before = FolderContents(numbered: facts)
    // What an earlier podget reads, which sees only the events.
    let events = facts.map { fact in
      var event = fact
      event?.state = nil
      return event
    }
    let eventsBefore = FolderContents(numbered: events)
    let said = Self.sources(of: before).union(Self.sources(of: eventsBefore))
    let needless = facts.indices.filter { index in
      // A newer podget's line may say more than this one understands.
      guard let fact = facts[index], fact.version <= FolderFact.currentVersion,
        let kind = fact.kind, kind == .podcast || fact.key != nil && fact.episode != nil,
        kind != .finished || fact.file != nil
      else { return false }
      return !said.contains(Int32(truncatingIfNeeded: index))
    }
    // By bytes, because the record must become so much shorter that the read was worthwhile.
    let bytes = needless.reduce(0) { $0 + lines[$1].count }
    guard bytes > enough else { return nil }
    let superseded = Set(needless)
    let kept = lines.indices.filter { !superseded.contains($0) }
    func left(_ facts: [FolderFact?]) -> FolderContents {
      FolderContents(numbered: facts.indices.map { superseded.contains($0) ? nil : facts[$0] })
    }
    let after = left(facts)
    // The rule above should never change the result of the record; lost lines cannot be recovered.
    guard before.podcast == after.podcast, before.cover == after.cover,
      byKey(before) == byKey(after),
      byKey(eventsBefore) == byKey(left(events))
    else { return nil }
    var compacted = Data()
    for index in kept {
      compacted.append(lines[index])
      compacted.append(0x0A)
    }
    return compacted
  }
}

extension RecordCompaction {
  /// The numbers of the lines about an episode without which the others say the same, whatever follows.
  ///
  /// Only lines that are states are among them, because the order of those does not matter. What an event
  /// says depends on the lines before it, so none is left out before one.
  ///
  /// - Parameter contents: what the lines say, with their numbers.
  static func superseded(_ facts: [FolderFact], in contents: FolderContents) -> [Int] {
    let first = facts.firstIndex { $0.state != nil } ?? facts.endIndex
    guard facts[first...].allSatisfy({ $0.state != nil }) else { return [] }
    let said = sources(of: contents)
    return facts.indices[first...].filter { number in
      facts[number].version <= FolderFact.currentVersion
        && !said.contains(Int32(truncatingIfNeeded: number))
    }
  }

  /// How many bytes of a record superseded lines have at most. It takes a hundredth of the time for
  /// reading the lines, and nearly always shows that nothing is to be gained.
  ///
  /// A line is superseded only by another one with its key, and any text of that form may be the key.
  private static func mostNeedless(_ record: Data) -> Int {
    record.withUnsafeBytes { bytes in
      var lines: [KeyDigits: (bytes: Int, least: Int)] = [:]
      var needless = 0
      var rest = bytes
      while let first = rest.baseAddress, !rest.isEmpty {
        let newline = memchr(first, 0x0A, rest.count)
        let count = newline.map { UnsafeRawPointer($0) - first } ?? rest.count
        var hasKey = false
        KeyDigits.forEach(in: UnsafeRawBufferPointer(rebasing: rest[..<count])) { key in
          hasKey = true
          let known = lines[key] ?? (bytes: 0, least: count)
          lines[key] = (known.bytes + count, min(known.least, count))
        }
        if !hasKey { needless += count }
        rest = UnsafeRawBufferPointer(rebasing: rest[min(count + 1, rest.count)...])
      }
      return lines.values.reduce(needless) { $0 + $1.bytes - $1.least }
    }
  }

  /// The numbers of the lines that say what a record has.
  private static func sources(of contents: FolderContents) -> Set<Int32> {
    var said: Set<Int32> = [contents.podcastLine, contents.coverLine]
    for sources in contents.sources {
      said.formUnion([sources.file, sources.star, sources.removal])
      said.formUnion(sources.others.values)
    }
    return said
  }

  /// What the entries have. The times of events may depend on lines that say nothing more.
  private static func byKey(_ contents: FolderContents) -> [EpisodeKey: FolderContents.Entry] {
    Dictionary(
      contents.entries.map { entry in
        var entry = entry
        entry.parts.forgetTimesOfEvents()
        return (entry.key, entry)
      }
    ) { first, _ in first }
  }
}
