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
      let episode = try? LockedEpisode(local.plan.episodeKey, at: place, in: library, nil)
    else { return [] }
    return missingDetails(in: episode.file)
  }

  /// The same for any file.
  package func missingDetails(in file: PartFile) -> Set<String> {
    guard let file = try? file.forReading(), let size = try? file.size() else { return [] }
    var bytes = PartBytes(file, length: size, flag: flag)
    guard let format = (try? TaggedFormat(of: &bytes)) ?? nil,
      let missing = try? writer.add(
        TagRequest.ofDetails.bytes(for: format, writes: false), to: file.file, flag: flag)
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
      if !isDryRun { library.endKilledTags(of: key, at: place) { flag.isSet } }
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
    let source = TagSource(episode)
    guard let format = try format(of: source) else { throw Self.isNotTagged }
    let missing = try writer.add(
      request.bytes(for: format, writes: false), to: source.file.file, flag: flag)
    guard !missing.isEmpty else { return TaggedFile(local, .unchanged) }
    let sha256 = try recordedChecksum(of: episode)
    if isDryRun {
      _ = try audio(of: source, format)
      return TaggedFile(local, .planned, added: missing, problem: request.omission(for: format))
    }
    let copy = try taggedCopy(of: source, sha256, request, format)
    defer { copy.end() }
    try disk { () throws(DiskError) in
      try episode.replace(with: copy.file)
      try episode.record(copy.kept.tagged, copy.audio, at: now())
      try copy.noteRecorded()
    }
    return TaggedFile(
      local.with(copy.kept.tagged), .tagged, added: copy.added, problem: copy.omission)
  }

  /// A file that has been received, with what is missing, before it gets its name.
  ///
  /// - Returns: the order with a tagged copy; the same order if nothing is missing.
  /// - Throws: a ``TagRefusal`` if it gets no tags; then nothing has changed.
  package func tagged(
    _ order: Committer.Order, _ request: TagRequest
  ) throws(TagRefusal) -> Committer.Order {
    let source = try disk { () throws(DiskError) in try TagSource(order, in: library) }
    guard let format = try format(of: source) else { throw Self.isNotTagged }
    let missing = try writer.add(
      request.bytes(for: format, writes: false), to: source.file.file, flag: flag)
    guard !missing.isEmpty else { return order }
    let sha256 = try disk { () throws(DiskError) in
      if let sha256 = order.sha256 { return sha256 }
      return try source.file.sha256 { flag.isSet }
    }
    var order = order
    order.tagged = try taggedCopy(of: source, sha256, request, format)
    return order
  }

  private static let isNotTagged = TagRefusal.leftAlone(
    "podget tags MP3, MP4, FLAC, Ogg Vorbis and Opus files only.")

  /// The format of a file; nil for one that podget does not tag.
  func format(of source: TagSource) throws(TagRefusal) -> TaggedFormat? {
    try disk { () throws(DiskError) in
      var bytes = PartBytes(source.file, length: source.bytes, flag: flag)
      return try TaggedFormat(of: &bytes)
    }
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

  /// A new file beside a file, which is removed unless it gets the file's name.
  func newCopy(of source: TagSource) throws(LockedEpisode.Refusal) -> (PartFile, TagFolder) {
    try disk { () throws(DiskError) in
      guard let tags = try TagFolder(of: library, creating: true) else {
        throw DiskError(ENOENT, "create", ".podget/\(TagFolder.name)")
      }
      try tags.begin(source.key, in: source.place)
      do throws(DiskError) { return (try PartFile.newCopy(in: source.folder), tags) } catch {
        tags.end(source.key)
        throw error
      }
    }
  }

  /// A copy of a file with what was missing, proved and durable, and what gives back the file.
  private func taggedCopy(
    of source: TagSource, _ sha256: String, _ request: TagRequest, _ format: TaggedFormat
  ) throws(LockedEpisode.Refusal) -> TaggedCopy {
    let audio = try audio(of: source, format)
    let (copy, tags) = try newCopy(of: source)
    do throws(LockedEpisode.Refusal) {
      _ = try disk { () throws(DiskError) in try copy.fill(from: source.file) { flag.isSet } }
      let added = try writer.add(
        request.bytes(for: format, writes: true), to: copy.file, flag: flag)
      let (kept, proof) = try proved(copy, of: source, sha256, audio, format, in: tags)
      if flag.isSet { throw .stopped }
      try disk { () throws(DiskError) in try tags.write(kept, .new) }
      return TaggedCopy(
        file: copy, kept: kept, audio: proof, added: added, omission: request.omission(for: format),
        tags: tags)
    } catch {
      copy.removeOwn()
      tags.end(source.key)
      throw error
    }
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
