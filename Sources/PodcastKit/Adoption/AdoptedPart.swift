import FoundationEssentials
import Glibc

/// How a file of another tool becomes a part that waits for its name.
extension Adopter {
  /// A part that waits for its name, and a record that tells whose file it is when podget is killed
  /// before it is on record under that name.
  func prepare(
    _ file: FoundFile, _ plan: DownloadPlan, moving: Bool
  ) throws(DiskError) -> Committer.Order {
    let (part, bytes, sha256) = try part(file, plan, moving: moving)
    do throws(DiskError) {
      if let date = plan.episode.date {
        part.setModificationTime(date.timeIntervalSince1970)
      }
      try part.synchronize()
      let keeper = RecordKeeper(PartialRecord(plan), in: partials)
      let inode = try part.inode()
      try keeper.update(.contents) { record in
        record.state = ResumeState(
          generation: 1, validator: Validator(), total: bytes, durableLength: 0, inode: inode)
        record.finalName = "\(plan.stem).\(plan.announcedExtension)"
        return true
      }
      return Committer.Order(
        plan: plan, part: part, keeper: keeper, fileExtension: plan.announcedExtension,
        bytes: bytes, sha256: sha256)
    } catch {
      part.remove()
      throw error
    }
  }

  private func part(
    _ file: FoundFile, _ plan: DownloadPlan, moving: Bool
  ) throws(DiskError) -> (PartFile, Int64, String) {
    let name = PartialFolder.adoptedName(plan.key)
    // Never written over: it may be a second name of a file that is not podget's.
    unlinkat(partials.folder.number, name, 0)
    if moving {
      let source = try Self.locked(file.name, in: Self.folder(of: file))
      let sha256 = try source.sha256()
      if let part = try source.linked(as: name, in: partials.folder) {
        return (part, try part.size(), sha256)
      }
    }
    return try copy(file, as: name)
  }

  static func locked(
    _ name: String, in folder: FileDescriptor
  ) throws(DiskError) -> PartFile {
    guard folder.status(of: name) != nil else { throw DiskError(ENOENT, "open", name) }
    guard let part = try PartFile.open(name, in: folder) else {
      throw DiskError(EBUSY, "lock", name)
    }
    return part
  }

  /// A copy among the partial files.
  private func copy(
    _ file: FoundFile, as name: String
  ) throws(DiskError) -> (PartFile, Int64, String) {
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
      // The source may have changed meanwhile, and a copy may fail without a word.
      guard bytes == offset, try part.sha256() == sha256 else {
        throw DiskError(EIO, "copy", file.path)
      }
      try part.truncate(to: offset)
      return (part, bytes, sha256)
    } catch {
      part.remove()
      throw error
    }
  }
}
