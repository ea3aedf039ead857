import FoundationEssentials
import Glibc
import PodcastModel
import PodcastTransfer

extension Library {
  /// Finishes what a killed `podget tag` has begun: what is on record then describes the file that is
  /// there. Files that are not there now are left for later.
  package func endKilledTags(isCancelled: () -> Bool = { false }) {
    guard let tags = try? TagFolder(of: self, creating: false) else { return }
    let (pending, copied) = (tags.pending, tags.copied)
    guard !pending.isEmpty || !copied.isEmpty, let partials = try? PartialFolder(library: root)
    else { return }
    for (key, state) in pending {
      try? finish(key, state, in: tags, partials, isCancelled)
    }
    for key in copied { try? removeCopy(of: key, in: tags, partials) }
  }

  /// Finishes what a killed `podget tag` has begun with one episode.
  ///
  /// - Parameter place: the folder in which it is now.
  func endKilledTags(of key: EpisodeKey, at place: RelativePath, isCancelled: () -> Bool) {
    guard let tags = try? TagFolder(of: self, creating: false),
      case let states = [TagFolder.State.new, .back].filter({ tags.has(key, $0) }),
      !states.isEmpty, let partials = try? PartialFolder(library: root)
    else { return }
    for state in states { try? finish(key, state, at: place, in: tags, partials, isCancelled) }
  }

  /// Removes what a killed podget has copied of an episode's file, unless another one works on it now.
  private func removeCopy(
    of key: EpisodeKey, in tags: TagFolder, _ partials: PartialFolder
  ) throws {
    guard let lock = try partials.openPart(key.text) else { return }
    defer { LockedEpisode.release(lock) }
    if let place = tags.place(ofCopy: key) {
      do throws(DiskError) {
        PartFile.removeLeftCopies(
          in: try OpenFile.folder(place, in: root, creating: false))
      } catch {
        guard error.number == ENOENT else { throw error }
      }
    }
    tags.removeUnfinished(key)
    tags.end(key)
  }

  /// Finishes a change.
  ///
  /// - Parameter place: the folder of the episode; nil for the one that it had then.
  private func finish(
    _ key: EpisodeKey, _ state: TagFolder.State, at place: RelativePath? = nil,
    in tags: TagFolder, _ partials: PartialFolder, _ isCancelled: () -> Bool
  ) throws {
    guard let before = try known(key, state, in: tags, partials) else { return }
    let episode = try LockedEpisode(
      key, at: place ?? before.folder, in: self, partials, isReplaced: false)
    defer { episode.release() }
    // Another podget may have been faster.
    guard let kept = try tags.kept(key, state) else { return }
    // A download that replaces the file by one with another name finishes it itself.
    if state == .new, kept.file != episode.name, try partials.read(key.text) != nil { return }
    tags.removeUnfinished(key)
    PartFile.removeLeftCopies(in: episode.folder)
    let sha256 = try episode.file.sha256(isCancelled: isCancelled)
    func record(_ version: KeptOriginal.Version) throws {
      guard episode.entry.sha256?.lowercased() != sha256 else { return }
      try episode.record(version, AudioProof.known(of: episode.file), at: Date())
    }
    switch (state, sha256) {
    case (_, kept.tagged.sha256):
      try record(kept.tagged)
      try tags.move(key, from: state, to: .undo)
    case (.back, kept.original.sha256):
      try record(kept.original)
      tags.remove(key, .back)
    case (.back, _):
      // Somebody has changed it since; nothing that was kept is lost.
      try tags.move(key, from: .back, to: .undo)
    default: tags.remove(key, state)
    }
  }

  /// What is kept of an episode whose change was not finished. What is damaged becomes what `--undo` finds
  /// and reports.
  private func known(
    _ key: EpisodeKey, _ state: TagFolder.State, in tags: TagFolder, _ partials: PartialFolder
  ) throws -> KeptOriginal? {
    do throws(DiskError) {
      return try tags.kept(key, state)
    } catch {
      guard error.number == EBADMSG, let lock = try partials.openPart(key.text) else { throw error }
      defer { LockedEpisode.release(lock) }
      if tags.has(key, .undo) {
        tags.remove(key, state)
      } else {
        try tags.move(key, from: state, to: .undo)
      }
      return nil
    }
  }

  /// What is kept of an episode whose tagged file may have its name and be on no record yet; nil if there
  /// is none.
  func unrecordedTags(
    of key: EpisodeKey, in place: RelativePath
  ) -> (kept: KeptOriginal, tags: TagFolder)? {
    guard let tags = try? TagFolder(of: self, creating: false),
      let kept = try? tags.kept(key, .new), kept.folder == place
    else { return nil }
    return (kept, tags)
  }

  /// Notes where episodes are whose files go to the trash: they may have got other names since their files
  /// were tagged. They must be locked.
  func noteTags(of keys: some Sequence<EpisodeKey>, at place: RelativePath) {
    guard let tags = try? TagFolder(of: self, creating: false) else { return }
    for key in keys where tags.has(key, .undo) {
      guard var kept = try? tags.kept(key, .undo), kept.folder != place else { continue }
      kept.folder = place
      try? tags.write(kept, .undo)
    }
  }

  /// Forgets the originals of episodes that were removed for good. One that is there, or in a record that
  /// is not known, keeps its own.
  ///
  /// - Parameter place: the folder that they were in; nil for that of ``noteTags(of:at:)``.
  func forgetTags(of keys: some Sequence<EpisodeKey>, at place: RelativePath? = nil) {
    guard let tags = try? TagFolder(of: self, creating: false) else { return }
    for key in keys where tags.has(key, .undo) {
      guard let place = place ?? (try? tags.kept(key, .undo))?.folder,
        let folder = try? OpenFile.folder(place, in: root, creating: false),
        let entry = try? entry(key, in: folder, at: place),
        entry.removedAt != nil, entry.fileStatus(in: folder) == nil
      else { continue }
      tags.remove(key, .undo)
    }
  }
}
