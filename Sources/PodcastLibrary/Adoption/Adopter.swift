internal import CFiles
import Dispatch
package import FoundationEssentials
import Glibc
package import PodcastModel
package import PodcastTransfer

/// Adds files of other tools to the library: under the library's names, synced, hashed and
/// recorded, in an order that is safe if the power fails at any point.
///
/// A file that is already in the library is recorded where it is. Other files are copied. A file
/// that is to be moved gets a second name instead, if the file system allows that, and loses the
/// first one after it is recorded under the second.
package struct Adopter: Sendable {
  /// The result for a file.
  package enum Outcome: Sendable, Hashable {
    /// It is in the library now; the error says why its old name could not be removed.
    case adopted(FinishedFile, leftover: PodgetError?)
    /// Another podget is using the episode.
    case busy
  }

  private let library: Library
  private let location: LibraryLocation
  package let partials: PartialFolder
  private let committer: Committer
  private let belongings: AdoptedBelongings
  private let disk = DiskPool(threads: 1)
  package let progress: VerificationProgress
  private let now: @Sendable () -> Date

  /// Creates an adopter.
  ///
  /// - Parameters:
  ///   - library: the library that gets the files.
  ///   - progress: counts the bytes that are read, and can stop the work.
  ///   - now: the time of day (UTC) for records.
  /// - Throws: a ``PodgetError`` when the library's folder of partial files cannot be created.
  package init(
    library: Library, progress: VerificationProgress,
    now: @escaping @Sendable () -> Date = { Date() }
  ) throws(PodgetError) {
    do throws(DiskError) {
      partials = try PartialFolder(library: library.root)
    } catch {
      throw error.podgetError
    }
    partials.sweep()
    self.library = library
    location = LibraryLocation(library)
    self.progress = progress
    self.now = now
    committer = Committer(library: library, partials: partials, now: now)
    belongings = AdoptedBelongings(library)
  }

  /// Adopts one file as the episode of a plan.
  ///
  /// - Parameters:
  ///   - file: the file, as it was found.
  ///   - plan: the library's name and description for it.
  ///   - known: what the library knows of the episode, if it does not have the complete file.
  ///   - isKept: whether no rule of `sync` may remove it.
  ///   - moving: whether the file leaves its old place.
  /// - Throws: a ``PodgetError``: `incomplete` when its audio is truncated, `disk` and `diskFull`
  ///   when the disk fails.
  package func adopt(
    _ file: FoundFile, as plan: DownloadPlan, known: LocalEpisode? = nil, isKept: Bool = false,
    moving: Bool
  ) async throws(PodgetError) -> Outcome {
    do throws(DiskError) {
      let isInPlace = location.pathInLibrary(file) != nil
      let outcome = try await take(file, plan, known, isKept: isKept, moving: moving)
      if case .adopted(let finished, _) = outcome {
        await disk.perform { [belongings] in
          belongings.take(
            beside: file, of: plan.episodeKey, at: finished.path, isInPlace: isInPlace,
            isMoving: moving)
        }
      }
      return outcome
    } catch {
      throw error.podgetError
    }
  }

  /// Checks the structure of a file, to its end.
  ///
  /// - Throws: a ``PodgetError`` when it cannot be read, or its audio is truncated or damaged.
  package func check(_ file: FoundFile, published: Duration?) async throws(PodgetError) {
    let structure: AudioStructure
    do throws(DiskError) {
      structure = try await disk.run { () throws(DiskError) in
        guard var contents = try Self.open(file, progress) else {
          throw DiskError(EINVAL, "read", file.path)
        }
        return try AudioStructure.walk(&contents)
      }
    } catch {
      throw error.podgetError
    }
    if let reason = structure.damage ?? FileFinding.cut(structure, published: published) {
      throw PodgetError(.incomplete, reason)
    }
  }

  /// The extension that a file gets in the library.
  package static func fileExtension(of file: FoundFile) -> String {
    let announced = FileExtension.sanitized(String(file.name.dropFirst(file.stem.count)))
    return FileCheck.fileExtension(
      found: file.fileExtension, announced: announced ?? file.fileExtension)
  }
}

extension Adopter {
  private func take(
    _ file: FoundFile, _ plan: DownloadPlan, _ known: LocalEpisode?, isKept: Bool, moving: Bool
  ) async throws(DiskError) -> Outcome {
    // The lock of the episode's part prevents downloads of it in the meantime.
    guard let lock = try await disk.run({ () throws(DiskError) in try partials.openPart(plan.key) })
    else { return .busy }
    do throws(DiskError) {
      let outcome: Outcome
      if let path = location.pathInLibrary(file) {
        let finished = try await disk.run { () throws(DiskError) in
          try record(file, plan, known, isKept: isKept, at: path)
        }
        outcome = .adopted(finished, leftover: nil)
      } else {
        let (order, origin) = try await disk.run { () throws(DiskError) in
          try prepare(file, plan, isKept: isKept, moving: moving)
        }
        outcome = try await commit(order, file, leaving: moving ? origin : nil)
      }
      // Downloaded bytes are no longer needed; without their record nobody continues them.
      partials.removeRecord(plan.key)
      lock.remove()
      return outcome
    } catch {
      if (try? lock.size()) == 0 { lock.remove() }
      throw error
    }
  }

  private func commit(
    _ order: Committer.Order, _ file: FoundFile, leaving origin: Origin?
  ) async throws(DiskError) -> Outcome {
    let finished: FinishedFile
    do throws(DiskError) {
      finished = try await withCheckedContinuation { continuation in
        disk.start { [committer] in
          committer.commit(order) { continuation.resume(returning: $0) }
        }
      }.get()
    } catch {
      // If it already has its name, the record identifies it.
      if partials.folder.status(of: order.part.name) != nil {
        order.part.remove()
        order.log.remove()
      }
      throw error
    }
    guard let origin else { return .adopted(finished, leftover: nil) }
    do throws(DiskError) {
      try await disk.run { () throws(DiskError) in try removeOriginal(file, origin, for: finished) }
      return .adopted(finished, leftover: nil)
    } catch {
      return .adopted(finished, leftover: error.podgetError)
    }
  }

  /// Removes the first name of a file that was moved.
  private func removeOriginal(
    _ file: FoundFile, _ origin: Origin, for finished: FinishedFile
  ) throws(DiskError) {
    let folder = try Self.folder(of: file)
    guard let old = folder.status(of: file.name),
      let new = library.root.status(of: finished.path)
    else { return }
    // If the library can be reached by two paths, both may be one name.
    if old.isSameFile(as: new), new.links < 2 { return }
    guard origin.isStill(old) else {
      throw DiskError(EBUSY, "remove", "\(file.path), which has changed meanwhile")
    }
    guard unlinkat(folder.number, file.name, 0) == 0 else {
      throw DiskError(errno, "remove", file.path)
    }
  }

  package static func folder(of file: FoundFile) throws(DiskError) -> OpenFile {
    let folder = LibraryPath.split(file.path).folder
    return try OpenFile.folder(
      folder.isEmpty && LibraryPath.isAbsolute(file.path) ? "/" : folder, creating: false)
  }

  package static func open(
    _ file: FoundFile, _ progress: VerificationProgress
  ) throws(DiskError) -> HashedFile? {
    try HashedFile(file.name, in: folder(of: file), progress: progress)
  }

  /// Records a file where it is. Another folder that knows the episode records that it has left,
  /// and a star moves along.
  private func record(
    _ found: FoundFile, _ plan: DownloadPlan, _ known: LocalEpisode?, isKept: Bool,
    at path: String
  ) throws(DiskError) -> FinishedFile {
    guard let (place, file) = RelativePath(path)?.split else {
      throw DiskError(EINVAL, "record", path, reason: "it is not a path inside the library")
    }
    let name = file.text
    let folder = try OpenFile.folder(place, in: library.root, creating: false)
    let part = try Self.locked(name, in: folder)
    let sha256 = try part.sha256()
    let bytes = try part.size()
    try part.synchronize()
    try folder.synchronize(place.text)
    var entry = FolderContents.Entry(
      key: plan.episodeKey, podcast: StoredPodcast(plan.podcast),
      episode: StoredEpisode(plan.episode), file: file, bytes: bytes, sha256: sha256,
      audio: AudioProof.known(of: part), downloadedAt: now().timestamp)
    // A partial one may be known without any record of its folder. Two paths may be one folder if
    // they differ in the Unicode form.
    var before = known.flatMap { known in
      try? OpenFile.folder(known.plan.file.folder, in: library.root, creating: false)
    }
    if before?.isSameFolder(as: folder) == true { before = nil }
    let left = try before.flatMap { before throws(DiskError) in
      try known.flatMap { known throws(DiskError) in
        try library.entry(plan.episodeKey, in: before, at: known.plan.file.folder)
      }
    }
    let isStarred = known?.isStarred == true && before != nil
    if let here = try library.entry(plan.episodeKey, in: folder, at: place) {
      entry.parts = here.parts
      if here.removedAt == nil { entry.otherFiles = here.otherFiles }
    } else if let left {
      // What this podget does not know moves along.
      entry.parts.others = left.parts.others
    }
    for mark in found.marks { _ = entry.take(mark) }
    if isKept { entry.isKept = true }
    var facts = [FolderFact(.finished, entry, at: now())]
    if isStarred {
      entry.parts = facts[0].state ?? entry.parts
      facts.append(FolderFact(.starred, entry, at: now()))
    }
    try FolderRecords.append(facts, in: folder)
    if let left, let before { try FolderRecords.append([left.departure], in: before) }
    return FinishedFile(path: path, bytes: bytes, sha256: sha256)
  }
}
