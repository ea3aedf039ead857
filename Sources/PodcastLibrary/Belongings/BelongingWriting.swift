internal import CFiles
import Glibc
import PodcastModel
import PodcastTransfer

/// Writes files beside episodes.
extension BelongingStore {
  /// Writes what a feed has itself beside a file that is about to be recorded, while its episode is
  /// locked: so no kill loses it.
  ///
  /// - Parameters:
  ///   - plan: the plan of the episode.
  ///   - media: the name of its file.
  ///   - others: the names of files that are recorded with it.
  ///   - mayBeThere: whether a killed run may have written them.
  /// - Returns: the files to record. What cannot be written is to be recorded as wanted.
  func writeTexts(
    of plan: DownloadPlan, beside media: EntryName, in folder: OpenFile,
    _ others: inout OwnedNames, mayBeThere: Bool
  ) -> [EpisodeFile] {
    let offers = plan.belongings.filter { $0.text != nil }
    let (key, place) = (plan.episodeKey, plan.file.folder)
    guard !offers.isEmpty else { return [] }
    let earlier: FolderContents.Entry?
    let owned: OwnedNames
    do throws(DiskError) {
      let known = try library.entry(key, in: folder, at: place)
      earlier = known?.removedAt == nil ? known : nil
      owned = try ownedNames(besides: key, media, in: folder, at: place, over: others)
    } catch {
      return []
    }
    var files: [EpisodeFile] = []
    for offer in offers where earlier?.has(offer.kind) != true {
      let content = Content(
        offer.kind, bytes: Array((offer.text ?? "").utf8),
        ending: offer.kind == .chapters ? BelongingName.chapters : BelongingName.notes)
      guard
        let file = try? write(
          content, beside: media, of: key, in: folder, owned, mayBeThere: mayBeThere)
      else { continue }
      others.note(file.path, of: key)
      files.append(file)
    }
    return files
  }

  /// Writes a file under a hidden name, and gives it the first name that nothing has.
  ///
  /// - Parameter mayBeThere: whether a killed podget may have written the same.
  func write(
    _ content: Content, beside media: EntryName, of key: EpisodeKey, in folder: OpenFile,
    _ siblings: OwnedNames, mayBeThere: Bool
  ) throws(DiskError) -> EpisodeFile {
    guard library.hasRoom(for: content.bytes.count, keeping: keptFree) else {
      throw DiskError(
        ENOSPC, "write", "\(FileName.stem(of: media.text))\(content.ending)",
        reason: "the disk has less free space than is to stay free")
    }
    let copy = try PartFile.newCopy(in: folder)
    do throws(DiskError) {
      try copy.write(content.bytes, at: 0)
      copy.takeMediaMode()
      if let most = content.permissions, let mode = copy.file.status?.permissions {
        fchmod(copy.file.number, mode_t(mode & most & 0o777))
      }
      try copy.synchronize()
      let sha256 = try copy.sha256()
      let names = BelongingName.candidates(beside: media, key: key, ending: content.ending)
      var owned: OwnedNames?
      for name in names where siblings.isFree(name, for: key) {
        let file = EpisodeFile(
          role: content.kind.rawValue, path: name, bytes: Int64(content.bytes.count),
          sha256: sha256)
        if folder.status(of: name.text) != nil {
          guard mayBeThere else { continue }
          // Two episodes may have one image, and a file of these bytes may be that of the other.
          if owned == nil { owned = try OwnedNames(in: folder) }
          guard owned?.isFree(name, for: key) == true else { continue }
          guard try copy.hasSameBytes(as: name.text, in: folder, isCancelled: { false }) else {
            continue
          }
          copy.removeOwn()
          return file
        }
        if case .renamed = try copy.place(as: name.text, in: folder, replacing: false) {
          return file
        }
      }
      throw DiskError(EEXIST, "write", "\(FileName.stem(of: media.text))\(content.ending)")
    } catch {
      copy.removeOwn()
      throw error
    }
  }
}
