internal import CFiles
package import FoundationEssentials
import Glibc
package import PodcastModel
package import PodcastTransfer

/// Stores files beside episodes, and records them.
///
/// An episode is locked only while something is written, not while a server is asked. What has come is
/// a file with its name before it is recorded; a kill in between leaves it to the next try, which takes
/// it over because the record says that an earlier run was about to write it, and its bytes are the same.
/// Without such a word, a file with the same bytes is somebody else's, and keeps its name.
package struct BelongingStore: Sendable {
  /// A file to store.
  package struct Content: Sendable {
    package var kind: Belonging
    package var bytes: [UInt8]
    /// The ending of its name with the dot.
    package var ending: String
    /// The permissions that it has at most; nil for those of episodes.
    var permissions: UInt32?

    package init(_ kind: Belonging, bytes: [UInt8], ending: String) {
      (self.kind, self.bytes, self.ending) = (kind, bytes, ending)
    }
  }

  /// How often, and for how many microseconds, to wait for another podget that uses the episode.
  private static let lockAttempts = 20
  private static let lockPause: UInt32 = 50_000

  let library: Library
  let keptFree: Int64?

  /// Creates one that has stored nothing yet.
  ///
  /// - Parameter keptFree: how many bytes stay free on the disk: otherwise nothing is stored; nil for
  ///   no limit.
  package init(_ library: Library, keptFree: Int64? = nil) {
    (self.library, self.keptFree) = (library, keptFree)
  }

  /// Whether the disk has room for anything.
  package var hasRoom: Bool { library.hasRoom(for: 0, keeping: keptFree) }

  /// What of some offers an episode lacks, having recorded that it is requested or written now: a
  /// killed run is not followed by one that asks for the same again at once, and what cannot be written
  /// is wanted.
  ///
  /// - Parameters:
  ///   - offers: what the feed has; nil for what is on record as wanted and due.
  ///   - texts: what the feed has itself, for what is on record as wanted.
  ///   - kinds: what is to be stored.
  ///   - key: the key of the episode.
  ///   - path: the path of its file.
  ///   - isAsked: whether a person asks for it: then what was deleted comes back, and no time is
  ///     awaited.
  ///   - hasRoom: whether the disk has room; if not, what is needed is wanted, and was not tried.
  ///   - mayRequest: asked once, before a request is recorded; if not, no server is asked.
  package func needed(
    _ offers: [PlannedBelonging]?, texts: [PlannedBelonging] = [], _ kinds: Belongings,
    of key: EpisodeKey, at path: RelativePath, isAsked: Bool, now: Date, hasRoom: Bool = true,
    mayRequest: () -> Bool = { true }
  ) throws(DiskError) -> [PlannedBelonging] {
    guard let (place, _) = path.split,
      let folder = try? OpenFile.folder(place, in: library.root, creating: false),
      let entry = try library.entry(key, in: folder, at: place), entry.canHaveOthers(in: folder)
    else { return [] }
    let waiting = Dictionary(entry.wanted.map { ($0.kind, $0) }) { first, _ in first }
    /// What is known of an offer; another address is another file.
    func known(_ offer: PlannedBelonging) -> WantedBelonging? {
      waiting[offer.kind].flatMap { $0.url == offer.url ? $0 : nil }
    }
    let listed =
      offers
      ?? entry.wanted.compactMap { wanted in
        wanted.offer ?? texts.first { $0.kind == wanted.kind }
      }
    var needed = listed.filter { offer in
      guard kinds.kinds.contains(offer.kind) else { return false }
      if let file = entry.otherFiles.first(where: { $0.role == offer.kind.rawValue }) {
        return isAsked && folder.status(of: file.path.text) == nil
      }
      return isAsked || offer.text != nil || known(offer)?.isDue(at: now) ?? true
    }
    if needed.contains(where: { $0.text == nil }), !mayRequest() {
      needed.removeAll { $0.text == nil }
    }
    let asked = needed.compactMap { offer -> WantedBelonging? in
      guard var wanted = WantedBelonging(offer) else { return nil }
      guard hasRoom else { return known(offer) ?? wanted }
      wanted.tries = min((known(offer)?.tries ?? 0) + 1, WantedBelonging.mostCounted)
      wanted.tried = now
      return wanted
    }
    guard !asked.isEmpty else { return needed }
    let isNoted = try update(key, in: folder, at: place) { entry in
      entry.wanted = asked + entry.wanted.filter { old in !asked.contains { $0.kind == old.kind } }
    }
    return isNoted ? needed : []
  }

  /// Stores files beside an episode, and forgets that they are wanted.
  ///
  /// - Parameters:
  ///   - contents: the files.
  ///   - gone: the kinds that the server says it does not have.
  ///   - failed: the kinds that the server did not send.
  ///   - mayBeThere: whether a killed run may have written them in any case.
  /// - Returns: the paths of the stored files by their kinds; one whose episode has gone in the
  ///   meantime is not stored.
  package func store(
    _ contents: [Content], gone: Set<Belonging> = [], failed: Set<Belonging> = [],
    of key: EpisodeKey, at path: RelativePath, mayBeThere: Bool = false
  ) throws(DiskError) -> [Belonging: String] {
    guard let (place, _) = path.split,
      let folder = try? OpenFile.folder(place, in: library.root, creating: false)
    else { return [:] }
    var stored: [Belonging: String] = [:]
    var failure: DiskError?
    _ = try update(key, in: folder, at: place) { entry throws(DiskError) in
      guard let media = entry.file else { return }
      let owned = try ownedNames(besides: key, media, in: folder, at: place)
      for content in contents {
        let before = entry.otherFiles.firstIndex { $0.role == content.kind.rawValue }
        if let before, case let file = entry.otherFiles[before],
          folder.status(of: file.path.text) != nil
        {
          // What the feed has itself is stored before the episode is recorded.
          if file.bytes == Int64(content.bytes.count) {
            stored[content.kind] = LibraryPath.join(place.text, file.path.text)
          }
          continue
        }
        do throws(DiskError) {
          // The first try is this one.
          let wasTried = entry.wanted.contains { $0.kind == content.kind && $0.tries > 1 }
          let file = try write(
            content, beside: media, of: key, in: folder, owned,
            mayBeThere: mayBeThere || wasTried)
          if let before {
            entry.otherFiles[before] = file
          } else {
            entry.otherFiles.append(file)
          }
          stored[content.kind] = LibraryPath.join(place.text, file.path.text)
        } catch {
          failure = failure ?? error
        }
      }
      if !stored.isEmpty { try folder.synchronize(place.text) }
      entry.wanted = entry.wanted.compactMap { wanted in
        guard stored[wanted.kind] == nil else { return nil }
        var wanted = wanted
        if failed.contains(wanted.kind) { wanted.isGone = gone.contains(wanted.kind) }
        return wanted
      }
    }
    if let failure { throw failure }
    return stored
  }

  /// Records files that are beside an episode already, unless the record of another one names them.
  func keep(_ files: [EpisodeFile], of key: EpisodeKey, at path: RelativePath) throws(DiskError) {
    guard !files.isEmpty, let (place, _) = path.split,
      let folder = try? OpenFile.folder(place, in: library.root, creating: false)
    else { return }
    _ = try update(key, in: folder, at: place) { entry throws(DiskError) in
      guard let media = entry.file else { return }
      let owned = try ownedNames(besides: key, media, in: folder, at: place)
      entry.otherFiles += files.filter { file in
        owned.isFree(file.path, for: key) && !entry.otherFiles.contains { $0.role == file.role }
      }
    }
  }
}

extension BelongingStore {
  /// Changes what is recorded of an episode that is there, while it is locked.
  ///
  /// - Returns: whether the episode is there.
  private func update(
    _ key: EpisodeKey, in folder: OpenFile, at place: RelativePath,
    _ change: (inout FolderContents.Entry) throws(DiskError) -> Void
  ) throws(DiskError) -> Bool {
    let partials = try PartialFolder(library: library.root)
    guard let lock = try lock(key, partials) else {
      throw DiskError(EBUSY, "store files beside", key.text, reason: "another podget is using it")
    }
    defer { if (try? lock.size()) == 0 { lock.remove() } }
    guard var entry = try library.entry(key, in: folder, at: place),
      entry.canHaveOthers(in: folder),
      let file = entry.file
    else { return false }
    let before = entry
    try change(&entry)
    if entry.otherFiles != before.otherFiles {
      try FolderRecords.append(entry.arrival(as: file, after: before), in: folder)
    } else if entry != before {
      try FolderRecords.append([entry.remark(at: Date())], in: folder)
    }
    return true
  }

  private func lock(_ key: EpisodeKey, _ partials: PartialFolder) throws(DiskError) -> PartFile? {
    for attempt in 1...Self.lockAttempts {
      if let part = try partials.openPart(key.text) { return part }
      if attempt < Self.lockAttempts { usleep(Self.lockPause) }
    }
    return nil
  }

  /// The files that the records of other episodes with this stem name, there or not, and some others.
  func ownedNames(
    besides key: EpisodeKey, _ media: EntryName, in folder: OpenFile, at place: RelativePath,
    over others: OwnedNames = OwnedNames()
  ) throws(DiskError) -> OwnedNames {
    let stem = FileName.stem(of: media.text)
    let keys = LibraryDatabase(library: library).keys(withStem: stem, in: place)
      .filter { $0 != key }
    guard !keys.isEmpty else { return others }
    var owned = others
    for entry in try library.entries(keys, in: folder, at: place).values {
      for file in entry.otherFiles { owned.note(file.path, of: entry.key) }
    }
    return owned
  }
}

extension FolderContents.Entry {
  /// Whether its file is there, so that files may be beside it.
  fileprivate func canHaveOthers(in folder: OpenFile) -> Bool {
    removedAt == nil && fileStatus(in: folder)?.is_regular == true
  }
}
