internal import CFiles
import FoundationEssentials
import Glibc
import PodcastModel
package import PodcastTransfer

/// Turns a file of another tool into a part that waits for its name.
extension Adopter {
  /// The adopted file, as it was then: a file that has its name later and is another one, or has
  /// changed, must not be removed.
  enum Origin: Sendable {
    /// The part is a second name of it.
    case linked(podget_file_status)
    /// The part is a copy of it.
    case copied(podget_file_status)

    /// Whether the file with this name is still that file.
    func isStill(_ now: podget_file_status) -> Bool {
      switch self {
      // Adding and removing names changes a file's ctime.
      case .linked(let before): now.hasSameContent(as: before)
      case .copied(let before): now.isUnchanged(since: before)
      }
    }
  }

  /// A part that waits for its name, and a record that identifies the file if podget is killed
  /// before the file is recorded under that name.
  func prepare(
    _ file: FoundFile, _ plan: DownloadPlan, isKept: Bool, moving: Bool
  ) throws(DiskError) -> (Committer.Order, Origin) {
    var (part, bytes, sha256, origin) = try part(file, plan, moving: moving)
    do throws(DiskError) {
      part.takeMediaMode()
      if let date = plan.episode.date {
        part.setModificationTime(date.timeIntervalSince1970)
      }
      try part.synchronize()
      // The date was that of the found file too.
      if case .linked = origin { origin = .linked(try part.status()) }
      var record = PartialRecord(plan)
      if isKept { record.named = true }
      record.state = ResumeState(
        generation: 1, validator: Validator(), total: bytes, durableLength: 0,
        inode: try part.inode())
      record.finalName = EntryName("\(plan.stem).\(plan.announcedExtension)")
      try partials.adoptions.write(record, .contents)
      var order = Committer.Order(
        plan: plan, part: part, log: try partials.adoptions.openLog(plan.key),
        fileExtension: plan.announcedExtension,
        bytes: bytes, sha256: sha256, audio: AudioProof.known(of: part))
      order.isKept = isKept
      order.marks = file.marks
      return (order, origin)
    } catch {
      part.remove()
      throw error
    }
  }

  private func part(
    _ file: FoundFile, _ plan: DownloadPlan, moving: Bool
  ) throws(DiskError) -> (PartFile, Int64, String, Origin) {
    let name = PartialFolder.adoptedName(plan.key)
    // Never overwritten: it may be a second name of a file that is not podget's.
    unlinkat(partials.folder.number, name, 0)
    if moving {
      let source = try Self.locked(file.name, in: Self.folder(of: file))
      let before = try source.status()
      let sha256 = try source.sha256()
      guard before.size == file.bytes, try source.status().isUnchanged(since: before) else {
        throw Self.changing(file)
      }
      if let part = try source.linked(as: name, in: partials.folder) {
        return (part, before.size, sha256, .linked(before))
      }
    }
    return try copy(file, as: name)
  }

  package static func locked(
    _ name: String, in folder: OpenFile
  ) throws(DiskError) -> PartFile {
    guard let part = try PartFile.existing(name, in: folder) else {
      throw DiskError(EBUSY, "lock", name)
    }
    return part
  }

  /// A file that changes while it is read may match neither its old nor its new state.
  package static func changing(_ file: FoundFile) -> DiskError {
    DiskError(EBUSY, "adopt", "\(file.path), which is being changed")
  }

  /// A copy among the partial files.
  private func copy(
    _ file: FoundFile, as name: String
  ) throws(DiskError) -> (PartFile, Int64, String, Origin) {
    guard let source = try Self.open(file, progress) else {
      throw DiskError(EINVAL, "read", file.path)
    }
    guard let part = try PartFile.open(name, in: partials.folder) else {
      throw DiskError(EBUSY, "lock", name)
    }
    do throws(DiskError) {
      try part.reserve(source.length)
      var offset: Int64 = 0
      while case let bytes = try source.next(Block.size, at: offset), !bytes.isEmpty {
        try part.write(Array(bytes), at: offset)
        offset += Int64(bytes.count)
      }
      let (bytes, sha256) = try source.finish()
      guard bytes == offset, bytes == file.bytes, source.isUnchanged else {
        throw Self.changing(file)
      }
      // A copy may fail without an error.
      guard try part.sha256() == sha256 else { throw DiskError(EIO, "copy", file.path) }
      try part.truncate(to: offset)
      return (part, bytes, sha256, .copied(source.opened))
    } catch {
      part.remove()
      throw error
    }
  }
}
