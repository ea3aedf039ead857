internal import CFiles
package import FoundationEssentials
import Glibc
package import PodcastModel
package import PodcastTransfer

/// The image of a podcast in its folder, `cover.jpg`, as the folder's record has it: the latest line
/// about the podcast names the file, the address that it came from, and when. Of an image that could not
/// be had, the line names the address and when.
package struct PodcastCover: Sendable {
  /// The role of the file in the record.
  static let role = "cover"
  /// How long an image of an unchanged address counts, in seconds.
  private static let lifetime: TimeInterval = 7 * 86_400
  /// Names of such images that other programs write.
  private static let foreignNames = ["cover", "folder"]
  private static let endings = [".jpg", ".jpeg", ".png", ".webp"]

  /// The folder of the podcast.
  package let path: RelativePath
  private let folder: OpenFile
  private let podcast: Podcast
  private let url: String
  private let known: FolderContents

  /// Looks up the image of a podcast; nil if none is to be stored: the podcast has no address of one or
  /// no folder of its own, its image was requested a short time ago, somebody else's image is there, or
  /// a person has deleted or changed it.
  ///
  /// - Parameters:
  ///   - podcast: the podcast as its feed describes it.
  ///   - media: the folder of one of its episodes.
  ///   - isAsked: whether a person asks for it now: then one that could not be had is requested again.
  package init?(
    of podcast: Podcast, beside media: RelativePath, in library: Library, isAsked: Bool = false,
    now: Date
  ) throws(DiskError) {
    guard let url = podcast.artworkURL, let path = Self.folder(of: podcast, around: media),
      let folder = try? OpenFile.folder(path, in: library.root, creating: false)
    else { return nil }
    known = FolderContents(try FolderRecords.read(in: folder))
    (self.path, self.folder, self.podcast, self.url) = (path, folder, podcast, url)
    // A folder with another name is its own only as long as it has nobody else's episodes.
    guard Self.isNamed(path, after: podcast) || known.entries.allSatisfy({ $0.isOf(podcast) })
    else {
      return nil
    }
    let requested = known.coverTime.flatMap { Date(timestamp: $0) } ?? .distantPast
    let isFresh = requested <= now && now.timeIntervalSince(requested) < Self.lifetime
    let isDue = known.podcast?.artworkUrl != url || !isFresh
    if let cover = known.cover {
      guard isDue, isUnchanged(cover) else { return nil }
    } else {
      guard isDue || isAsked else { return nil }
      let names = Self.foreignNames.flatMap { name in Self.endings.map { name + $0 } }
      guard !names.contains(where: { folder.status(of: $0) != nil }) else { return nil }
    }
  }

  /// The folder of a podcast's own among those of an episode's path: the one with its name, else the
  /// only one.
  static func folder(of podcast: Podcast, around media: RelativePath) -> RelativePath? {
    let parts = LibraryPath.parts(media.text).map { String($0) }
    let names = names(of: podcast)
    let place = parts.firstIndex { names.contains(FileName.comparisonKey($0)) }
    guard let place = place ?? (parts.count == 1 ? 0 : nil) else { return nil }
    return RelativePath(parts[...place].joined(separator: "/"))
  }

  /// Whether a folder has the name of a podcast.
  private static func isNamed(_ path: RelativePath, after podcast: Podcast) -> Bool {
    names(of: podcast).contains(FileName.comparisonKey(LibraryPath.split(path.text).name))
  }

  private static func names(of podcast: Podcast) -> Set<String> {
    Set(
      [podcast.title, podcast.correction.title, podcast.correction.folder].compactMap(\.self)
        .map { FileName.comparisonKey(FileName.component($0)) })
  }

  /// Whether the image is there as it was stored.
  private func isUnchanged(_ cover: EpisodeFile) -> Bool {
    guard let status = folder.mediaStatus(of: cover.path.text), status.size == cover.bytes else {
      return false
    }
    return (try? sum(cover.path)) == cover.sha256
  }

  /// Stores what came, unless a person has deleted or changed the image.
  ///
  /// - Parameter ending: the ending of its name with the dot.
  package func store(_ bytes: [UInt8], ending: String, now: Date) throws(DiskError) {
    let copy = try PartFile.newCopy(in: folder)
    defer { copy.removeOwn() }
    try copy.write(bytes, at: 0)
    copy.takeMediaMode()
    try copy.synchronize()
    let sha256 = try copy.sha256()
    guard let name = EntryName("cover\(ending)") else { return }
    let new = EpisodeFile(
      role: Self.role, path: name, bytes: Int64(bytes.count), sha256: sha256)
    guard let old = known.cover else {
      guard case .taken = try copy.place(as: name.text, in: folder, replacing: false) else {
        return try record(new, now)
      }
      return
    }
    let current = folder.status(of: old.path.text) == nil ? nil : try? sum(old.path)
    switch current {
    case sha256: try record(new.with(old.path), now)
    case old.sha256 where name == old.path:
      _ = try copy.place(as: name.text, in: folder, replacing: true)
      try record(new, now)
    case old.sha256:
      guard case .renamed = try copy.place(as: name.text, in: folder, replacing: false) else {
        return
      }
      try record(new, now)
      unlinkat(folder.number, old.path.text, 0)
    // Deleted or changed by a person.
    default: try record(old, now)
    }
  }

  /// Notes that the image could not be had: it is requested again when it has another address, or later.
  package func noteFailure(now: Date) throws(DiskError) {
    // Another podget may have stored it meanwhile.
    try record(FolderContents(try FolderRecords.read(in: folder)).cover, now)
  }

  private func sum(_ name: EntryName) throws(DiskError) -> String {
    try folder.mediaFile(name.text).sha256(name.text)
  }

  private func record(_ cover: EpisodeFile?, _ now: Date) throws(DiskError) {
    try folder.synchronize(path.text)
    var stored = StoredPodcast(podcast)
    stored.artworkUrl = url
    try FolderRecords.append(
      [FolderFact(cover: cover, of: stored, at: now.timestamp)], in: folder)
  }
}

extension FolderContents.Entry {
  /// Whether it is an episode of a podcast, as far as the record says.
  fileprivate func isOf(_ other: Podcast) -> Bool {
    if let id = podcast.id, let otherID = other.id { return id == otherID }
    if let url = podcast.feedUrl, let otherURL = other.feedURL { return url == otherURL.text }
    return podcast.title == other.title
  }
}

extension EpisodeFile {
  /// The same file under another name.
  fileprivate func with(_ path: EntryName) -> Self {
    var file = self
    file.path = path
    return file
  }
}

extension FolderFact {
  /// The line about a podcast that names its image, or none that could not be had.
  init(cover: EpisodeFile?, of podcast: StoredPodcast, at time: String?) {
    self.init(fact: Kind.podcast.rawValue, podcast: podcast)
    otherFiles = [cover].compactMap(\.self)
    at = time
  }
}

extension Library {
  /// Moves the image of a podcast to the folder to which its last episode has moved, unless another
  /// image is there. It may be repeated after a kill.
  ///
  /// - Returns: whether it is there.
  func moveCover(
    _ cover: EpisodeFile, of contents: FolderContents, from folder: OpenFile, to path: RelativePath
  ) -> Bool {
    let name = cover.path.text
    guard let target = try? OpenFile.folder(path, in: root, creating: false),
      !target.isSameFolder(as: folder), let podcast = contents.podcast,
      let facts = try? FolderRecords.read(in: target),
      case let known = FolderContents(facts).cover, known == nil || known == cover
    else { return false }
    do throws(DiskError) {
      if target.status(of: name) != nil {
        // A killed run has copied it to another disk.
        guard known == cover, let old = try PartFile.opened(name, in: folder),
          try old.hasSameBytes(as: name, in: target, isCancelled: { false })
        else { return false }
        return try folder.remove(name, ifStill: old.status())
      }
      // First the record: a kill in between leaves the image in a folder that names it.
      if known == nil {
        try FolderRecords.append(
          [FolderFact(cover: cover, of: podcast, at: contents.coverTime)], in: target)
      }
      let copied = try MoveBatch.place(name, in: folder, as: name, in: target)
      try target.synchronize(path.text)
      if let copied { _ = try folder.remove(name, ifStill: copied) }
      return true
    } catch {
      return false
    }
  }
}
