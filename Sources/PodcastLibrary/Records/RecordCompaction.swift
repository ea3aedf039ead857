import FoundationEssentials
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
  static func compacted(_ contents: Data) -> Data? {
    let lines = contents.split(separator: 0x0A)
    let decoder = JSONDecoder()
    // A line that readers refuse for its length does not supersede one that they read.
    let facts = lines.map { line in
      line.count > FolderRecords.maximumLineBytes
        ? nil : try? decoder.decode(FolderFact.self, from: Data(line))
    }
    let needless = needless(facts)
    // By bytes, because the record must become so much shorter that the read was worthwhile.
    let bytes = needless.reduce(0) { $0 + lines[$1].count }
    let isNearLimit = contents.count > FolderRecords.maximumBytes / 2
    guard bytes > contents.count / (isNearLimit ? 8 : 2) else { return nil }
    let kept = lines.indices.filter { !needless.contains($0) }
    let before = FolderContents(facts.compactMap(\.self))
    let after = FolderContents(kept.compactMap { facts[$0] })
    // The rule below should never change the result of the record; lost lines cannot be recovered.
    guard before.podcast == after.podcast, byKey(before) == byKey(after) else { return nil }
    var compacted = Data()
    for index in kept {
      compacted.append(lines[index])
      compacted.append(0x0A)
    }
    return compacted
  }
}

extension RecordCompaction {
  /// What later lines of the same kind repeat, about one episode.
  private struct Subject: Hashable {
    var key: EpisodeKey?
    var matter: Matter
  }

  private enum Matter: Hashable {
    case podcast, file, star, removal
  }

  /// The positions of the superseded lines.
  private static func needless(_ facts: [FolderFact?]) -> Set<Int> {
    var needless: Set<Int> = []
    var settled: Set<Subject> = []
    for (index, fact) in facts.enumerated().reversed() {
      guard let fact, let kind = fact.kind, let subject = subject(fact, kind) else { continue }
      let isNeedless = !settled.insert(subject).inserted
      // A newer podget's line may say more than this one understands.
      if isNeedless, fact.version <= FolderFact.currentVersion { needless.insert(index) }
      // A file that was downloaded again is not removed any more.
      if kind == .finished || kind == .moved {
        settled.insert(Subject(key: fact.key, matter: .removal))
      }
      // The folder that it moved to has its star.
      if kind == .moved { settled.insert(Subject(key: fact.key, matter: .star)) }
    }
    return needless
  }

  /// Nil for lines that are not compacted.
  private static func subject(_ fact: FolderFact, _ kind: FolderFact.Kind) -> Subject? {
    if kind == .podcast { return Subject(key: nil, matter: .podcast) }
    guard fact.key != nil, fact.episode != nil else { return nil }
    switch kind {
    case .podcast: return nil
    case .finished: return fact.file == nil ? nil : Subject(key: fact.key, matter: .file)
    case .moved: return Subject(key: fact.key, matter: .file)
    case .starred, .unstarred: return Subject(key: fact.key, matter: .star)
    case .removed: return Subject(key: fact.key, matter: .removal)
    }
  }

  private static func byKey(_ contents: FolderContents) -> [EpisodeKey: FolderContents.Entry] {
    Dictionary(contents.entries.map { ($0.key, $0) }) { first, _ in first }
  }
}
