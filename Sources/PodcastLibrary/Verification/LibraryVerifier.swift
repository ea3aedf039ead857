internal import CFiles
internal import FoundationEssentials
import Glibc
public import PodcastModel
import PodcastTransfer

/// Compares the files of a library with its records, several in parallel.
public struct LibraryVerifier: Sendable {
  private let library: Library
  private let progress: VerificationProgress

  /// Creates a verifier of a library.
  ///
  /// - Parameters:
  ///   - library: the library of the files.
  ///   - progress: counts the bytes that are read, and can stop the work.
  public init(library: Library, progress: VerificationProgress) {
    self.library = library
    self.progress = progress
  }

  /// Reads the files and reports each finding as soon as it is known.
  ///
  /// A file that cannot be read is a finding like others. After the progress or the task was
  /// cancelled, files that were not read to their ends are left out.
  ///
  /// - Parameters:
  ///   - files: the files to read, started in this order.
  ///   - jobs: how many files are read in parallel.
  ///   - found: receives the findings, one at a time.
  public func verify(
    _ files: [RecordedFile], jobs: Int, found: (FileFinding) async -> Void
  ) async {
    let disk = DiskPool(threads: jobs)
    await withTaskGroup(of: FileFinding?.self) { group in
      var waiting = files.makeIterator()
      func start() {
        guard !progress.isCancelled, !Task.isCancelled, let file = waiting.next() else { return }
        group.addTask { await finding(about: file, on: disk) }
      }
      for _ in 0..<max(1, jobs) { start() }
      for await finding in group {
        start()
        if let finding { await found(finding) }
      }
    }
  }

  /// The current record of a file; nil when its folder no longer knows the episode.
  public func current(_ plan: DownloadPlan) -> RecordedFile? {
    guard let folder = try? OpenFile.folder(plan.folder, in: library.root, creating: false),
      let entry = try? library.entry(plan.episodeKey, in: folder, at: plan.file.folder)
    else { return nil }
    return RecordedFile(entry, in: plan.file.folder)
  }

  /// Records what is not on record of an intact file: its checksum, and what proves later that its audio
  /// is intact when its tags were changed.
  ///
  /// - Returns: false when there is nothing to record, or when the record has changed in the meantime;
  ///   then nothing is written.
  /// - Throws: a ``PodgetError`` when the disk refuses.
  public func record(_ finding: FileFinding) throws(PodgetError) -> Bool {
    try write(finding) { entry, audio in
      entry.sha256 == nil
        || entry.audio == nil && audio != nil && entry.sha256?.lowercased() == finding.sha256
    }
  }

  /// Records a file that differs from its record as it is now.
  ///
  /// - Returns: false when the finding does not allow it, or the record has changed in the meantime; then nothing is written.
  /// - Throws: a ``PodgetError`` when the disk refuses.
  public func accept(_ finding: FileFinding) throws(PodgetError) -> Bool {
    guard finding.isAcceptable else { return false }
    return try write(finding) { _, _ in true }
  }

  private func write(
    _ finding: FileFinding,
    where isWanted: (_ entry: FolderContents.Entry, _ audio: AudioProof?) -> Bool
  ) throws(PodgetError) -> Bool {
    guard let plan = finding.plan, let sha256 = finding.sha256 else { return false }
    do throws(DiskError) {
      let folder = try OpenFile.folder(plan.folder, in: library.root, creating: false)
      guard var entry = try library.entry(plan.episodeKey, in: folder, at: plan.file.folder),
        let file = RecordedFile(entry, in: plan.file.folder), file.path == finding.path,
        let part = (try? PartFile.opened(file.name, in: folder)) ?? nil,
        // What is written to the file in the meantime was not read.
        try part.size() == finding.bytes
      else { return false }
      let audio = AudioProof.known(of: part)
      guard isWanted(entry, audio) else { return false }
      (entry.sha256, entry.bytes, entry.audio) = (sha256, finding.bytes, audio)
      try FolderRecords.append([FolderFact(.finished, entry, at: Date())], in: folder)
      return true
    } catch {
      throw error.podgetError
    }
  }
}

extension LibraryVerifier {
  private func finding(about file: RecordedFile, on disk: DiskPool) async -> FileFinding? {
    do throws(DiskError) {
      return try await disk.run { () throws(DiskError) in try read(file) }
    } catch {
      switch error.number {
      case ECANCELED: return nil
      case ENOENT where file.isBelonging: return nil
      case _ where file.isBelonging:
        return FileFinding(file, .warning, error.readingProblem)
      case ENOENT: return FileFinding(file, .missing, "It is on record, but it is not there.")
      default: return FileFinding(file, .unreadable, error.readingProblem)
      }
    }
  }

  private func read(_ file: RecordedFile) throws(DiskError) -> FileFinding {
    let folder = try OpenFile.folder(file.plan.folder, in: library.root, creating: false)
    guard var contents = try HashedFile(file.name, in: folder, progress: progress) else {
      if file.isBelonging { throw DiskError(ENOENT, "read", file.name) }
      return FileFinding(file, .missing, "Something that is not a file has its name.")
    }
    guard !file.isBelonging else {
      let (bytes, sha256) = try contents.finish()
      return FileFinding(belonging: file, bytes: bytes, sha256: sha256)
    }
    let structure = try AudioStructure.walk(&contents)
    let (bytes, sha256) = try contents.finish()
    var audio = FileFinding.Audio.unknown
    if file.differs(bytes: bytes, sha256: sha256), let proof = file.audio,
      let wanted = file.bytes, let checksum = file.sha256?.lowercased(),
      let isSame = try proof.hasSameAudio(
        &contents, bytes: wanted, sha256: checksum, isCancelled: { progress.isCancelled })
    {
      audio = isSame ? .same : .other
    }
    return FileFinding(file, bytes: bytes, sha256: sha256, structure: structure, audio: audio)
  }
}
