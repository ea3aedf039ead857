internal import CFiles
import FoundationEssentials
import Glibc
import PodcastModel
import PodcastTransfer

/// A folder of removed files, `.podget/trash` of the library or of its folders on another disk.
///
/// A file's name there says until when it is kept and which episode it is,
/// `20261128T143000Z-KEY.mp3`, so that nothing must be recorded elsewhere, and each file keeps its
/// own expiry date. Files that were beside it have its name and say what they are,
/// `20261128T143000Z-KEY~transcript.vtt`.
struct TrashFolder: Sendable {
  /// A removed file.
  struct Item: Sendable {
    /// Its name in its folder.
    var name: String
    /// The key of its episode.
    var key: EpisodeKey
    /// When it may be deleted (UTC).
    var keptUntil: Date
    /// For a file that was beside that of the episode, what it is; nil for the episode's.
    var role: String?
    /// The folder that it is in.
    var holder: TrashFolder
  }

  /// Its path below the library.
  let path: String
  let folder: OpenFile

  /// Opens the trash of the library, or that of a folder on another disk.
  ///
  /// - Parameters:
  ///   - top: the folder whose `.podget` it is in.
  ///   - place: the path of that folder below the library.
  init(in top: OpenFile, at place: RelativePath, creating: Bool) throws(DiskError) {
    folder = try OpenFile.ownFolder("trash", in: top, creating: creating)
    path = LibraryPath.join(place.text, ".podget/trash")
  }

  /// What tells it from every other folder; nil if it cannot be examined.
  var identity: Identity? {
    folder.status.map { Identity(device: $0.device, inode: $0.inode) }
  }

  /// A folder of one of the machine's disks.
  struct Identity: Hashable {
    let device: UInt64
    let inode: UInt64
  }

  /// The files of episodes, in the order of their expiry; files of others are left out.
  var items: [Item] { all.filter { $0.role == nil } }

  /// The same with the files that were beside them.
  var all: [Item] { folder.entries().compactMap { Item($0, in: self) } }

  /// Moves a file to the trash. Its name is durable here once ``synchronize()`` has been called.
  ///
  /// - Parameters:
  ///   - file: the file of an episode; nil if there is none.
  ///   - others: the files beside it, with what they are, each once. They go first: as long as the
  ///     episode's file is there, a killed removal is repeated.
  func take(
    _ file: String?, with others: [(role: String, name: String)] = [], from source: OpenFile,
    key: String, keptUntil: Date
  ) throws(DiskError) {
    let endings = others.map { role, name in "~\(role)\(Self.ending(of: name))" }
    let names = freeNames(
      key: key, keptUntil: keptUntil, endings: endings + [file.map(Self.ending)].compactMap(\.self))
    for (name, file) in zip(names, others.map(\.name) + [file].compactMap(\.self)) {
      try take(file, as: name, from: source, key: key)
    }
  }

  private func take(
    _ file: String, as name: String, from source: OpenFile, key: String
  ) throws(DiskError) {
    if let link = source.status(of: file), link.is_link {
      guard try source.copyLink(file, as: name, in: folder),
        try source.remove(file, ifStill: link)
      else { throw DiskError(EBUSY, "move to the trash", file) }
      return
    }
    if renameat(source.number, file, folder.number, name) == 0 { return }
    guard errno == EXDEV else { throw DiskError(errno, "move to the trash", file) }
    let before = try copy(file, from: source, key: key, as: name)
    try synchronize()
    guard try source.remove(file, ifStill: before) else {
      throw DiskError(EBUSY, "remove", "\(file), which is being changed")
    }
  }

  /// Keeps a file that is about to be replaced. It stays where it is too, so that its name is never
  /// without a file; only a file system without hard links moves it here.
  ///
  /// What is not a regular file is not kept: a link's target is not replaced. When this returns, the
  /// name here is durable.
  func keep(
    _ file: String, of source: OpenFile, key: String, keptUntil: Date
  ) throws(DiskError) {
    guard let status = source.status(of: file), status.is_regular || status.is_link else { return }
    guard status.is_regular else {
      // A second link would lead elsewhere.
      try take(file, from: source, key: key, keptUntil: keptUntil)
      return try synchronize()
    }
    let name = freeName(key: key, keptUntil: keptUntil, like: file)
    if status.links > 1, let earlier = second(name: status, key: key) {
      // A killed podget has kept it already. Under its earlier name it would expire earlier.
      try rename(earlier, to: name, file)
    } else if linkat(source.number, file, folder.number, name, 0) != 0 {
      switch errno {
      case EXDEV: _ = try copy(file, from: source, key: key, as: name)
      case EPERM, EOPNOTSUPP, ENOSYS, EMLINK, EINVAL:
        try take(file, from: source, key: key, keptUntil: keptUntil)
      default: throw DiskError(errno, "move to the trash", file)
      }
    }
    try synchronize()
  }

  /// Deletes files that were expired at a time, and partial copies that a kill left.
  ///
  /// - Returns: the episodes of the deleted files.
  func deleteDue(by end: Date?) -> [EpisodeKey] {
    var deleted: [EpisodeKey] = []
    for name in folder.entries() {
      if let item = Item(name, in: self) {
        if let end, item.keptUntil <= end, item.delete() { deleted.append(item.key) }
      } else if name.hasPrefix("."), let copy = try? PartFile.existing(name, in: folder) {
        copy.remove()
      }
    }
    return deleted
  }

  /// Makes the names of all files durable.
  func synchronize() throws(DiskError) { try folder.synchronize(path) }

  /// Copies a file of another file system, as a podcast's folder that is a mount of its own.
  ///
  /// - Returns: its status before.
  private func copy(
    _ file: String, from source: OpenFile, key: String, as name: String
  ) throws(DiskError) -> podget_file_status {
    guard let original = try PartFile.existing(file, in: source) else {
      throw DiskError(EBUSY, "lock", file)
    }
    let before = try original.status()
    // A kill may have left a complete copy here, and the original there.
    for earlier in items.filter({ $0.key.text == key }).map(\.name) + [name] {
      guard case .copied = try original.place(as: earlier, in: folder, replacing: false) else {
        continue
      }
      // Under its earlier name it would expire earlier.
      if earlier != name { try rename(earlier, to: name, file) }
      return before
    }
    throw DiskError(EEXIST, "move to the trash", file)
  }

  private func rename(_ earlier: String, to name: String, _ file: String) throws(DiskError) {
    _ = try retryingInterrupts("move to the trash", file) {
      renameat(folder.number, earlier, folder.number, name)
    }
  }

  /// The name here of a file that has another one elsewhere.
  private func second(name status: podget_file_status, key: String) -> String? {
    items.map(\.name).first { name in
      name.contains(key) && folder.status(of: name)?.isSameFile(as: status) == true
    }
  }

  /// An episode may be removed, downloaded and removed again within a second.
  private func freeName(key: String, keptUntil: Date, like file: String) -> String {
    freeNames(key: key, keptUntil: keptUntil, endings: [Self.ending(of: file)])[0]
  }

  /// Names that differ in their endings only.
  private func freeNames(key: String, keptUntil: Date, endings: [String]) -> [String] {
    var term = keptUntil
    while true {
      let names = endings.map { Item.name(key: key, keptUntil: term, ending: $0) }
      if names.allSatisfy({ folder.status(of: $0) == nil }) { return names }
      term += 1
    }
  }

  fileprivate static func ending(of file: String) -> String {
    String(file.dropFirst(FileName.stem(of: file).count))
  }

  /// What the files beside an episode are called here, in the order of its record, each once. The places
  /// of unknown ones tell them apart.
  static func roles(of files: [EpisodeFile]) -> [String] {
    var seen: Set<String> = []
    return files.enumerated().map { place, file in
      guard let kind = Belonging(rawValue: file.role), seen.insert(kind.rawValue).inserted else {
        return "\(place)"
      }
      return kind.rawValue
    }
  }
}

extension TrashFolder.Item {
  /// Its path below the library.
  var path: String { LibraryPath.join(holder.path, name) }

  /// The status of the file; nil if it is gone.
  var status: OpenFile.Status? { holder.folder.mediaStatus(of: name) }

  /// Whether it is a file beside an episode as the record has it: one that was removed with another
  /// version of the episode's file may be something else.
  func isRecorded(as file: EpisodeFile) -> Bool {
    guard let bytes = file.bytes, status?.size == bytes, hasEnding(of: file) else { return false }
    return file.sha256.map(has) ?? true
  }

  /// Whether its name has the ending of a recorded one.
  func hasEnding(of file: EpisodeFile) -> Bool {
    TrashFolder.ending(of: name) == TrashFolder.ending(of: file.path.text)
  }

  /// Whether it has this checksum.
  func has(_ sha256: String) -> Bool {
    (try? holder.folder.mediaFile(name).sha256(name)) == sha256
  }

  /// Moves the file back to a name, unless the name is taken. The name is durable once its folder is
  /// synced.
  ///
  /// - Returns: how it got the name, and the file here, which must be removed after that if it was
  ///   copied.
  /// - Throws: ENOENT when it is no longer in the trash.
  func giveBack(
    as newName: String, to target: OpenFile
  ) throws(DiskError) -> (placement: PartFile.Placement, file: PartFile) {
    let folder = holder.folder
    if folder.status(of: name)?.is_link == true {
      let link = PartFile(name: name, folder: folder, file: try folder.mediaFile(name))
      return (try folder.copyLink(name, as: newName, in: target) ? .copied : .taken, link)
    }
    guard let file = try PartFile.existing(name, in: folder) else {
      throw DiskError(EBUSY, "lock", name)
    }
    return (try file.place(as: newName, in: target, replacing: false), file)
  }

  /// Permanently deletes the file.
  ///
  /// - Returns: whether it is gone.
  @discardableResult func delete() -> Bool {
    unlinkat(holder.folder.number, name, 0) == 0 || errno == ENOENT
  }

  /// Parses a name; nil for one that the trash did not create.
  init?(_ name: String, in holder: TrashFolder) {
    let parts = name.split(separator: "-", maxSplits: 1)
    guard parts.count == 2, let date = Self.date(parts[0]) else { return nil }
    let words = parts[1].prefix { $0 != "." }.split(
      separator: "~", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = words.first, let key = EpisodeKey(String(first)) else { return nil }
    let role = words.count > 1 ? String(words[1]) : nil
    guard role != "" else { return nil }
    self.init(name: name, key: key, keptUntil: date, role: role, holder: holder)
  }

  /// What its name shares with those of the files that were removed with it.
  var term: Substring { name.prefix { $0 != "." && $0 != "~" } }

  /// A name without colons, which some file systems refuse.
  fileprivate static func name(key: String, keptUntil: Date, ending: String) -> String {
    "\(keptUntil.timestamp.filter { $0 != "-" && $0 != ":" })-\(key)\(ending)"
  }

  private static func date(_ text: Substring) -> Date? {
    let digits = Array(text)
    guard digits.count == 16, digits[8] == "T", digits[15] == "Z" else { return nil }
    let day = "\(String(digits[..<4]))-\(String(digits[4..<6]))-\(String(digits[6..<8]))"
    let time = "\(String(digits[9..<11])):\(String(digits[11..<13])):\(String(digits[13..<15]))"
    return Date(timestamp: "\(day)T\(time)Z")
  }
}
