internal import CFiles
package import FoundationEssentials
import Glibc
import PodcastModel
package import PodcastTransfer

/// Writes missing tags into files of the library, and gives back the files as they were. It blocks on
/// the disk.
///
/// A file is never changed in place: a copy is tagged, podget proves that its audio is the same and that
/// the file can be made from it again, and only then the copy gets the name. What gives back the file
/// is on the disk before that, and the record follows. After a kill between these steps the next
/// command that changes the library finishes them.
package struct EpisodeTagger: Sendable {
  let library: Library
  private let writer: any TagWriter
  let isDryRun: Bool
  let flag: CancelFlag
  let now: @Sendable () -> Date

  /// Creates a tagger.
  ///
  /// - Parameters:
  ///   - library: the library.
  ///   - writer: what writes into a file.
  ///   - isDryRun: whether nothing is changed.
  ///   - flag: stops the work between two steps; then nothing of the current file has changed.
  ///   - now: the time of day (UTC).
  package init(
    _ library: Library, writer: any TagWriter, isDryRun: Bool = false,
    flag: CancelFlag = CancelFlag(), now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.library = library
    self.writer = writer
    self.isDryRun = isDryRun
    self.flag = flag
    self.now = now
  }

  /// Writes what is missing in the file of an episode.
  package func tag(_ local: LocalEpisode, _ request: TagRequest) -> TaggedFile {
    withFile(of: local) { episode throws(LockedEpisode.Refusal) in
      try tag(local, episode, request)
    }
  }

  /// The names of tags that the file of an episode has not, of those that only a feed knows; none if it
  /// cannot be read.
  package func missingDetails(_ local: LocalEpisode) -> Set<String> {
    guard let place = RelativePath(local.path)?.split?.folder,
      let episode = try? LockedEpisode(local.plan.episodeKey, at: place, in: library, nil),
      let size = try? episode.file.size()
    else { return [] }
    var bytes = PartBytes(episode.file, length: size, flag: flag)
    guard let format = (try? TaggedFormat(of: &bytes)) ?? nil,
      let missing = try? writer.add(
        TagRequest.ofDetails.bytes(for: format, writes: false), to: episode.file.file, flag: flag)
    else { return [] }
    return Set(missing)
  }

  /// Locks an episode for some work.
  func withFile(
    of local: LocalEpisode, _ work: (LockedEpisode) throws(LockedEpisode.Refusal) -> TaggedFile
  ) -> TaggedFile {
    do throws(LockedEpisode.Refusal) {
      guard let place = RelativePath(local.path)?.split?.folder else {
        return TaggedFile(local, .unchanged)
      }
      let partials = try disk { () throws(DiskError) in
        isDryRun ? nil : try PartialFolder(library: library.root)
      }
      let key = local.plan.episodeKey
      if !isDryRun { library.endKilledTags(of: key) { flag.isSet } }
      let episode = try LockedEpisode(key, at: place, in: library, partials)
      defer { episode.release() }
      if !isDryRun { try requireFinished(key) }
      return try work(episode)
    } catch {
      switch error {
      case .leftAlone(let problem): return TaggedFile(local, .unchanged, problem: problem)
      case .failed(let error): return TaggedFile(local, .failed, error: error)
      }
    }
  }

  /// Makes sure that no earlier change of an episode, which is locked now, waits to be finished.
  private func requireFinished(_ key: EpisodeKey) throws(LockedEpisode.Refusal) {
    let tags = try disk { () throws(DiskError) in try TagFolder(of: library, creating: false) }
    guard let tags, tags.has(key, .new) || tags.has(key, .back) else { return }
    throw .failed(PodgetError(.disk, "An earlier change of its tags is not finished."))
  }

  /// Work on the disk, whose errors fail the episode.
  func disk<Result>(
    _ work: () throws(DiskError) -> Result
  ) throws(LockedEpisode.Refusal) -> Result {
    do throws(DiskError) { return try work() } catch { throw .failed(error.podgetError) }
  }
}

extension EpisodeTagger {
  private func tag(
    _ local: LocalEpisode, _ episode: LockedEpisode, _ request: TagRequest
  ) throws(LockedEpisode.Refusal) -> TaggedFile {
    let format = try disk { () throws(DiskError) in
      var bytes = PartBytes(episode.file, length: episode.before.size, flag: flag)
      return try TaggedFormat(of: &bytes)
    }
    guard let format else {
      throw .leftAlone("podget tags MP3, MP4, FLAC, Ogg Vorbis and Opus files only.")
    }
    let missing = try writer.add(
      request.bytes(for: format, writes: false), to: episode.file.file, flag: flag)
    guard !missing.isEmpty else { return TaggedFile(local, .unchanged) }
    let sha256 = try recordedChecksum(of: episode)
    guard let audio = try audio(of: episode.file, format) else {
      throw .leftAlone("podget does not find its audio, so it is left as it is.")
    }
    let problem = request.omission(for: format)
    if isDryRun { return TaggedFile(local, .planned, added: missing, problem: problem) }
    let (added, version) = try withCopy(in: episode) { copy throws(LockedEpisode.Refusal) in
      _ = try disk { () throws(DiskError) in
        try copy.fill(from: episode.file) { flag.isSet }
      }
      let added = try writer.add(
        request.bytes(for: format, writes: true), to: copy.file, flag: flag)
      let version = try replace(episode, sha256, audio, with: copy, format)
      return (added, version)
    }
    return TaggedFile(local.with(version), .tagged, added: added, problem: problem)
  }

  /// The checksum of a file, which must be the recorded one.
  func recordedChecksum(of episode: LockedEpisode) throws(LockedEpisode.Refusal) -> String {
    let sha256 = try disk { () throws(DiskError) in try episode.file.sha256 { flag.isSet } }
    guard episode.entry.bytes ?? episode.before.size == episode.before.size,
      episode.entry.sha256.map({ $0.lowercased() == sha256 }) ?? true
    else {
      throw .failed(
        PodgetError(.disk, "It was changed since it was recorded, and is left as it is."))
    }
    return sha256
  }

  /// Works on a new file in the folder of an episode, which is removed unless it got the episode's name.
  func withCopy<Result>(
    in episode: LockedEpisode,
    _ work: (PartFile) throws(LockedEpisode.Refusal) -> Result
  ) throws(LockedEpisode.Refusal) -> Result {
    let tags = try disk { () throws(DiskError) in try TagFolder(of: library, creating: true) }
    guard let tags else { throw .failed(PodgetError(.disk, "Cannot create .podget/tags.")) }
    defer { tags.end(episode.key) }
    let copy = try disk { () throws(DiskError) in
      try tags.begin(episode.key, in: episode.place)
      return try PartFile.newCopy(in: episode.folder)
    }
    do throws(LockedEpisode.Refusal) { return try work(copy) } catch {
      copy.removeOwn()
      throw error
    }
  }

  /// Gives a tagged copy the place of a file.
  private func replace(
    _ episode: LockedEpisode, _ sha256: String, _ audio: Audio, with copy: PartFile,
    _ format: TaggedFormat
  ) throws(LockedEpisode.Refusal) -> KeptOriginal.Version {
    try disk { () throws(DiskError) in
      copy.takeAttributes(of: episode.file)
      try copy.synchronize()
    }
    guard try self.audio(of: copy, format) == audio else {
      // TagLib 1.13 moves what the index of an MP4 file in several fragments points to.
      throw .leftAlone("Tags would change its audio, so it is left as it is.")
    }
    let tags = try disk { () throws(DiskError) in try TagFolder(of: library, creating: true) }
    guard let tags else { throw .failed(PodgetError(.disk, "Cannot create .podget/tags.")) }
    let found = try disk { () throws(DiskError) in
      try original(of: episode, sha256, in: tags) { original, version throws(DiskError) in
        try kept(original, version, in: copy, of: episode)
      }
    }
    guard let (kept, audio) = found else {
      throw .leftAlone("Its tags could not be taken back again, so it is left as it is.")
    }
    guard kept.tagged.sha256 != sha256 else {
      throw .failed(PodgetError(.decoding, "Its tags were not written."))
    }
    if flag.isSet { throw .stopped }
    try disk { () throws(DiskError) in
      try tags.write(kept, .new)
      try episode.replace(with: copy)
      try episode.record(kept.tagged, audio, at: now())
      try tags.move(kept.key, from: .new, to: .undo)
    }
    return kept.tagged
  }

  /// What stays as it is when a file gets tags.
  private struct Audio: Equatable {
    var sum: String
    var structure: AudioStructure
  }

  /// The audio of a file; nil if podget does not find it.
  private func audio(
    of file: PartFile, _ format: TaggedFormat
  ) throws(LockedEpisode.Refusal) -> Audio? {
    try disk { () throws(DiskError) in
      var bytes = PartBytes(file, length: try file.size(), flag: flag)
      guard try TaggedFormat(of: &bytes) == format,
        let sum = try AudioDigest.sum(of: &bytes, format)
      else { return nil }
      return Audio(sum: sum, structure: try AudioStructure.walk(&bytes))
    }
  }

  /// Passes on the file as it was before podget first tagged it: the file itself, or one that is made
  /// from it.
  private func original<Result>(
    of episode: LockedEpisode, _ sha256: String, in tags: TagFolder,
    _ work: (PartFile, KeptOriginal.Version) throws(DiskError) -> Result?
  ) throws(DiskError) -> Result? {
    guard let earlier = try tags.kept(episode.key, .undo), earlier.tagged.sha256 == sha256,
      earlier.tagged.bytes == episode.before.size
    else {
      return try work(
        episode.file, KeptOriginal.Version(bytes: episode.before.size, sha256: sha256))
    }
    let file = try PartFile.newCopy(in: episode.folder)
    defer { file.removeOwn() }
    guard try rebuild(earlier, from: episode.file, into: file) else { return nil }
    return try work(file, earlier.original)
  }

  /// What gives back the original, proved; nil if that is too much.
  private func kept(
    _ original: PartFile, _ version: KeptOriginal.Version, in copy: PartFile,
    of episode: LockedEpisode
  ) throws(DiskError) -> (KeptOriginal, AudioProof?)? {
    let tagged = KeptOriginal.Version(
      bytes: try copy.size(), sha256: try copy.sha256 { flag.isSet })
    guard
      let replaced = try ReplacedBytes(of: original, in: copy, isCancelled: { flag.isSet })
    else { return nil }
    let kept = KeptOriginal(
      key: episode.key, folder: episode.place, file: episode.name, original: version,
      tagged: tagged, replaced: replaced)
    let rebuilt = try replaced.rebuild(
      from: copy, bytes: version.bytes, isCancelled: { flag.isSet }
    ) { (_, _) throws(DiskError) in }
    guard rebuilt == version.sha256, kept.data.flatMap(KeptOriginal.init) == kept else {
      return nil
    }
    return (kept, AudioProof.known(of: copy))
  }

  /// Makes the original in an empty file; false if it is not the one that was kept.
  func rebuild(
    _ kept: KeptOriginal, from file: PartFile, into copy: PartFile
  ) throws(DiskError) -> Bool {
    let rebuilt = try kept.replaced.rebuild(
      from: file, bytes: kept.original.bytes, isCancelled: { flag.isSet }
    ) { (bytes, offset) throws(DiskError) in try copy.write(bytes, at: offset) }
    return rebuilt == kept.original.sha256
  }
}

extension LocalEpisode {
  /// The same episode with another version of its file.
  func with(_ version: KeptOriginal.Version) -> LocalEpisode {
    var changed = self
    (changed.bytes, changed.total, changed.sha256) = (
      version.bytes, version.bytes, version.sha256
    )
    return changed
  }
}
