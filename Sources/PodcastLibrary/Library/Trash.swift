internal import CFiles
import FoundationEssentials
import Glibc
import PodcastModel
internal import PodcastSystem
import PodcastTransfer

/// The trash of a library: its folder `.podget/trash`, and one on each other disk that a part of the
/// library is on, so that a file never leaves its disk.
///
/// The trash of such a disk is in the topmost folder of the library there. `.podget/trashes.ndjson`
/// names these folders, with the day until which they have files at most; the devices of folders in
/// the index name most of them too. A `.podget` on another disk that another user made, that is a link
/// or that belongs to a library of its own is not used: then files are copied to the first trash.
struct Trash: Sendable {
  /// The path of the list of the other folders, below the library.
  static let memory = ".podget/trashes.ndjson"
  private static let memoryName = "trashes.ndjson"
  private static let memoryLimit: Int64 = 1 << 20
  /// More than a library has disks.
  private static let mostFolders = 100
  /// How much longer than necessary a folder is remembered to have files, in seconds: otherwise each
  /// removal would add a line.
  private static let slack: TimeInterval = 30 * 86_400

  private let library: Library
  private var root: OpenFile { library.root }

  /// The trash of a library; nothing is opened yet.
  init(of library: Library) { self.library = library }

  /// The folder of the trash for files of a folder, created if there is none.
  ///
  /// - Parameters:
  ///   - source: the folder with the files.
  ///   - place: its path below the library.
  ///   - keptUntil: until when the files are kept (UTC).
  func folder(
    for source: OpenFile, at place: RelativePath, keptUntil: Date
  ) throws(DiskError) -> TrashFolder {
    let first = try? TrashFolder(in: root, at: .library, creating: false)
    if place != .library, !source.isOnDisk(of: first?.folder ?? root) {
      let (top, topPlace) = top(of: source, at: place)
      // One that is not remembered would not be found again on a mount of the same device.
      if isOwn(top), let far = try? TrashFolder(in: top, at: topPlace, creating: true),
        far.folder.isOnDisk(of: source), (try? remember(topPlace, until: keptUntil)) != nil
      {
        return far
      }
    }
    if let first { return first }
    return try TrashFolder(in: root, at: .library, creating: true)
  }

  /// What there is of it.
  struct Contents {
    /// All folders that are there, the library's own first.
    var folders: [TrashFolder] = []
    /// The folders on other disks whose trash is not there, although it has files until a day.
    var absent: [(place: RelativePath, until: Date)] = []

    /// The files of episodes in all folders, in the order of their expiry.
    var items: [TrashFolder.Item] { all.filter { $0.role == nil } }

    /// The same with the files that were beside them.
    var all: [TrashFolder.Item] {
      let items = folders.flatMap(\.all)
      return folders.count > 1 ? items.sorted { $0.name < $1.name } : items
    }
  }

  /// The file of an episode that its folder's record describes; if that is not here, the one that
  /// was removed last. Nil if there is none.
  ///
  /// - Parameter items: the files of the episode.
  static func item(
    of entry: FolderContents.Entry, among items: [TrashFolder.Item]
  ) -> TrashFolder.Item? {
    let found =
      items
      .compactMap { item in item.status.map { (item: item, status: $0) } }
      // Moving a file to the trash changes its ctime.
      .sorted { ($0.status.changed, $0.item.name) < ($1.status.changed, $1.item.name) }
    let alike = found.filter { $0.status.size == entry.bytes }
    guard alike.count > 1, let sha256 = entry.sha256 else {
      return (alike.last ?? found.last)?.item
    }
    return (alike.last { $0.item.has(sha256) } ?? alike.last)?.item
  }

  /// Deletes files that are expired now and were at an earlier check (see ``EarlierChecks``), and
  /// partial copies that a kill left.
  func deleteDue(at now: Date) {
    let folders = contents.folders
    guard !folders.isEmpty else { return }
    var looks = EarlierChecks(in: root)
    let end = looks.add(now)
    looks.write(in: root)
    library.forgetTags(of: folders.flatMap { $0.deleteDue(by: end) })
  }
}

extension Trash {
  /// Looks for all folders. It opens the index.
  var contents: Contents {
    var found = Contents()
    if let first = try? TrashFolder(in: root, at: .library, creating: false) {
      found.folders.append(first)
    }
    var seen = Set(found.folders.compactMap(\.identity))
    var tops: [(place: RelativePath, device: UInt64)] = []
    func add(_ top: OpenFile, at place: RelativePath) -> Bool {
      guard isOwn(top), let folder = try? TrashFolder(in: top, at: place, creating: false),
        let identity = folder.identity
      else { return false }
      tops.append((place, identity.device))
      // Two links may lead to one folder.
      if seen.insert(identity).inserted { found.folders.append(folder) }
      return true
    }
    for (place, until) in remembered().sorted(by: { $0.key.text < $1.key.text }) {
      let top = try? OpenFile.folder(place, in: root, creating: false)
      if let top, add(top, at: place) { continue }
      // Otherwise somebody has deleted it.
      if top?.isEmptyFolder() ?? true { found.absent.append((place, until)) }
    }
    for place in LibraryDatabase(library: library).foldersOnOtherDisks() {
      // The index may be older than the mounts.
      guard let status = root.status(of: place.text),
        status.is_link || status.device != root.status?.device,
        !tops.contains(where: { place.isSame(orIn: $0.place) && status.device == $0.device }),
        let source = try? OpenFile.folder(place, in: root, creating: false),
        !source.isOnDisk(of: root)
      else { continue }
      let (top, topPlace) = top(of: source, at: place)
      tops.append((topPlace, status.device))
      _ = add(top, at: topPlace)
    }
    return found
  }

  /// The topmost folder of the library on the disk of one of its folders.
  private func top(
    of source: OpenFile, at place: RelativePath
  ) -> (folder: OpenFile, place: RelativePath) {
    var found = (folder: source, place: place)
    while let parent = found.place.split?.folder, parent != .library,
      let folder = try? OpenFile.folder(parent, in: root, creating: false),
      folder.isOnDisk(of: source)
    {
      found = (folder, parent)
    }
    return found
  }

  /// Whether the `.podget` of a folder may be used for the trash of this library. A path says nothing of
  /// that: another disk may be mounted there by now, or a link may lead elsewhere.
  private func isOwn(_ top: OpenFile) -> Bool {
    func isTrusted(_ status: OpenFile.Status) -> Bool {
      status.is_folder
        && (status.owner == 0 || status.owner == geteuid() || status.owner == root.status?.owner
          || root.isShared && status.permissions & UInt32(S_IWGRP) != 0)
    }
    guard let own = top.status(of: ".podget") else { return errno == ENOENT }
    guard isTrusted(own), top.status(of: ".podget/trash").map(isTrusted) ?? (errno == ENOENT) else {
      return false
    }
    // A library of its own has more.
    return (try? OpenFile.ownFolder(nil, in: top, creating: false))?.isEmptyFolder(except: "trash")
      == true
  }

  /// The folders of the library on other disks whose trash was used, and until when it has files.
  private func remembered() -> [RelativePath: Date] {
    guard let own = try? OpenFile.ownFolder(nil, in: root, creating: false),
      let file = try? OpenFile.ownFile(Self.memoryName, in: own, limit: Self.memoryLimit)
    else { return [:] }
    var found: [RelativePath: Date] = [:]
    try? file.forEachLine(Self.memory, limit: Self.memoryLimit) { line in
      guard let line, let texts = try? JSONDecoder().decode([String].self, from: line),
        texts.count == 2, let place = RelativePath(texts[0]), place != .library,
        let until = Date(timestamp: texts[1]),
        found[place] != nil || found.count < Self.mostFolders
      else { return }
      found[place] = max(until, found[place] ?? until)
    }
    return found
  }

  private func remember(_ place: RelativePath, until: Date) throws {
    let known = remembered()
    if let last = known[place], last >= until { return }
    // More are not read back.
    guard known[place] != nil || known.count < Self.mostFolders else {
      throw DiskError(EFBIG, "write", Self.memory)
    }
    let own = try OpenFile.ownFolder(nil, in: root, creating: true)
    let file = try OpenFile.writableOwnFile(
      Self.memoryName, in: own, flags: O_WRONLY | O_APPEND)
    let line = try JSONEncoder().encode([place.text, (until + Self.slack).timestamp])
    // The last line may be torn.
    try file.writeAll([0x0A] + line + [0x0A], Self.memory)
    try file.synchronize(Self.memory)
    try own.synchronize(".podget")
  }
}

extension OpenFile {
  /// Whether a file can be renamed from one of these folders to the other.
  fileprivate func isOnDisk(of other: OpenFile) -> Bool {
    OperatingSystem.isOneDisk(number, other.number)
  }
}
