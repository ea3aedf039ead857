internal import CFiles
import Glibc
import PodcastModel
import PodcastTransfer

/// The record of one folder, for additions that depend on its content: nothing is added after lines
/// that were not read.
struct FolderRecord: Sendable {
  /// How often an addition is retried because another process has written to the record.
  private static let attempts = 100

  let folder: OpenFile
  /// The content of the record at the last read.
  private(set) var contents = FolderContents([])
  private var file: OpenFile.Status?

  /// Reads the record of a folder; a folder may have none.
  init(in folder: OpenFile) throws(DiskError) {
    self.folder = folder
    try read()
  }

  /// Reads the record again if another process has written to it.
  mutating func refresh() throws(DiskError) {
    let now = folder.status(of: FolderRecords.name)
    switch (file, now) {
    case (nil, nil): return
    case (let file?, let now?) where now.isSameFile(as: file) && now.size == file.size: return
    default: try read()
    }
  }

  private mutating func read() throws(DiskError) {
    // What is added between the two is read twice.
    file = folder.status(of: FolderRecords.name)
    contents = FolderContents(try FolderRecords.read(in: folder), in: folder)
  }

  /// Adds facts, if no other process has written to the record since it was read.
  ///
  /// - Returns: whether they are recorded.
  mutating func append(_ facts: [FolderFact]) throws(DiskError) -> Bool {
    guard !facts.isEmpty else { return true }
    guard let written = try FolderRecords.append(facts, in: folder, ifStill: file) else {
      return false
    }
    file = written
    contents.add(facts)
    return true
  }

  /// Adds facts that depend on the content of the record, which is read again each time another
  /// process writes to it.
  mutating func update(
    _ facts: (_ record: FolderRecord) throws(DiskError) -> [FolderFact]
  ) throws(DiskError) {
    for _ in 0..<Self.attempts {
      try refresh()
      if try append(try facts(self)) { return }
    }
    throw DiskError(
      EBUSY, "write", FolderRecords.name, reason: "other processes keep writing to it")
  }
}

extension FolderContents.Entry {
  /// Whether another entry of the episode is about the same file.
  func hasSameFile(as other: Self) -> Bool {
    file == other.file && bytes == other.bytes && sha256 == other.sha256 && audio == other.audio
      && receivedSHA256 == other.receivedSHA256 && otherFiles == other.otherFiles
      && downloadedAt == other.downloadedAt && removedAt == other.removedAt
  }

  /// The facts for a record when the file has this name in its folder.
  ///
  /// - Parameter told: the entry before; nil for the record of a folder without the star.
  func arrival(as name: EntryName, after told: Self? = nil) -> [FolderFact] {
    var arrived = fact(.finished)
    (arrived.file, arrived.bytes, arrived.sha256) = (name, bytes, sha256)
    (arrived.receivedSHA256, arrived.otherFiles) = (receivedSHA256, otherFiles)
    arrived.audio = audio
    arrived.downloadedAt = downloadedAt
    var facts = [arrived]
    if isStarred != (told?.isStarred ?? false) {
      facts.append(fact(isStarred ? .starred : .unstarred))
    }
    if let removedAt {
      // Its removal was interrupted before the file was removed.
      var removed = fact(.removed)
      removed.at = removedAt
      facts.append(removed)
    }
    return facts
  }

  /// The facts for the record of the folder that the file leaves.
  var departure: FolderFact { fact(.moved) }

  private func fact(_ kind: FolderFact.Kind) -> FolderFact {
    FolderFact(fact: kind.rawValue, key: key, podcast: podcast, episode: episode)
  }
}
