internal import CFiles
import Glibc
import PodcastModel
import PodcastTransfer

/// The record of one folder, for whoever adds to it what depends on what it says: nothing is added
/// to lines that were not read.
struct FolderRecord: Sendable {
  /// How often an addition begins anew because somebody else has written to the record.
  private static let attempts = 100

  let folder: FileDescriptor
  /// What the record says, as of the last look.
  private(set) var contents = FolderContents([])
  private var file: FileDescriptor.Status?

  /// Reads the record of a folder; a folder may have none.
  init(in folder: FileDescriptor) throws(DiskError) {
    self.folder = folder
    try read()
  }

  /// Reads the record again if somebody else has written to it.
  mutating func refresh() throws(DiskError) {
    let now = folder.status(of: FolderRecords.name)
    switch (file, now) {
    case (nil, nil): return
    case (let file?, let now?) where now.isSameFile(as: file) && now.size == file.size: return
    default: try read()
    }
  }

  private mutating func read() throws(DiskError) {
    // What comes between the two is read twice.
    file = folder.status(of: FolderRecords.name)
    contents = FolderContents(try FolderRecords.read(in: folder), in: folder)
  }

  /// Adds facts, if nobody else has written to the record since it was read.
  ///
  /// - Returns: whether they are on record.
  mutating func append(_ facts: [FolderFact]) throws(DiskError) -> Bool {
    guard !facts.isEmpty else { return true }
    guard let written = try FolderRecords.append(facts, in: folder, ifStill: file) else {
      return false
    }
    file = written
    contents.add(facts)
    return true
  }

  /// Adds what follows from what the record says, read anew as often as somebody else writes to it.
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
    file == other.file && bytes == other.bytes && sha256 == other.sha256
      && receivedSHA256 == other.receivedSHA256 && otherFiles == other.otherFiles
      && downloadedAt == other.downloadedAt && removedAt == other.removedAt
  }

  /// What a record is told when the file has this name in its folder.
  ///
  /// - Parameter told: what it was told before; nil for the record of a folder that knows nothing of
  ///   the star.
  func arrival(as name: EntryName, after told: Self? = nil) -> [FolderFact] {
    var arrived = fact(.finished)
    (arrived.file, arrived.bytes, arrived.sha256) = (name, bytes, sha256)
    (arrived.receivedSHA256, arrived.otherFiles) = (receivedSHA256, otherFiles)
    arrived.downloadedAt = downloadedAt
    var facts = [arrived]
    if isStarred != (told?.isStarred ?? false) {
      facts.append(fact(isStarred ? .starred : .unstarred))
    }
    if let removedAt {
      // Its removal was cut before the file went.
      var removed = fact(.removed)
      removed.at = removedAt
      facts.append(removed)
    }
    return facts
  }

  /// What the record of the folder is told that the file leaves.
  var departure: FolderFact { fact(.moved) }

  private func fact(_ kind: FolderFact.Kind) -> FolderFact {
    FolderFact(fact: kind.rawValue, key: key, podcast: podcast, episode: episode)
  }
}
