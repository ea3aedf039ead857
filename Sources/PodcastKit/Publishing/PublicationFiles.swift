internal import CFiles
import FoundationEssentials
import Glibc
import PodcastLibrary
import PodcastModel
internal import PodcastSystem
import PodcastTransfer

/// The files in a published folder: whose they are, and how they come there.
extension PublicationFolder {
  /// Makes sure that podget may write texts, before it changes anything.
  ///
  /// - Throws: a ``PodgetError`` if something else has a name that podget did not write.
  mutating func requireFree(_ paths: some Sequence<String>) throws(PodgetError) {
    for wanted in paths {
      let name = LibraryPath.split(wanted).name
      guard let there = try parent(of: wanted)?.status(of: name) else { continue }
      let prints = earlier.files[wanted]?.prints ?? []
      guard there.is_regular, prints.contains(where: { $0.bytes == there.size }) else {
        throw foreign(wanted)
      }
    }
  }

  /// Whether a text is not there yet.
  ///
  /// - Throws: a ``PodgetError`` if something else has the name that podget did not write.
  mutating func needs(_ new: FilePrint, at wanted: String) throws(PodgetError) -> Bool {
    let name = LibraryPath.split(wanted).name
    guard let parent = try parent(of: wanted), parent.status(of: name) != nil else { return true }
    if new.isFile(name, in: parent) { return false }
    guard earlier.files[wanted]?.prints.contains(where: { $0.isFile(name, in: parent) }) == true
    else { throw foreign(wanted) }
    return true
  }

  /// What was published at an episode's path; nil if nothing was, or if it is gone.
  mutating func published(_ wanted: String) throws(PodgetError) -> OpenFile.Status? {
    guard earlier.files[wanted] != nil else { return nil }
    let status = try parent(of: wanted)?.status(of: LibraryPath.split(wanted).name)
    return status?.is_regular == true ? status : nil
  }

  /// The print of an episode's file that is there already; nil for one that is to be placed.
  ///
  /// A link is there if it has the very file. A copy is there if nothing was done to it and to the file
  /// that it was made of, or if their bytes are equal: a file that was damaged and then fetched again has
  /// the length and the time of before.
  ///
  /// - Throws: a ``PodgetError`` if something else has the name that podget did not write.
  mutating func current(
    _ file: OpenFile, _ status: OpenFile.Status, sha256: String?, at wanted: String,
    as placing: Placing
  ) throws(PodgetError) -> FilePrint? {
    let name = LibraryPath.split(wanted).name
    guard let parent = try parent(of: wanted), let there = parent.status(of: name) else {
      return nil
    }
    let isSame = there.is_regular && there.isSameFile(as: status)
    // The names of episodes are their keys: what is recorded under one is always podget's.
    guard isSame || there.is_regular && earlier.files[wanted] != nil else { throw foreign(wanted) }
    switch placing {
    case .link: return isSame ? FilePrint(status) : nil
    case .copy(let verifies):
      guard !isSame, there.size == status.size else { return nil }
      let source = FilePrint.Source(status)
      let known = earlier.files[wanted]?.prints.first {
        $0.sha256 != nil && $0.isFile(name, in: parent)
      }
      if let known, known.source == source, !verifies { return known }
      let copy: String?
      if let known, !verifies {
        copy = known.sha256
      } else {
        let opened = try? OpenFile.ownFile(name, in: parent, limit: there.size)
        copy = try? opened?.sha256(name)
      }
      guard let copy, copy == sha256 || (try? file.sha256(name)) == copy else { return nil }
      var print = FilePrint(there)
      (print.sha256, print.source) = (copy, source)
      return print
    }
  }

  /// Writes a text.
  mutating func write(_ bytes: [UInt8], to wanted: String) throws(PodgetError) {
    do throws(DiskError) {
      let (folder, name) = LibraryPath.split(wanted)
      guard !isDryRun, let parent = try self.folder(folder, creating: true) else { return }
      try put(as: name, in: parent) { (new) throws(DiskError) in
        try new.writeAll(Data(bytes), name)
      }
    } catch {
      throw error.at(error.operation, LibraryPath.join(path, wanted)).podgetError
    }
  }

  /// Gives an episode's file a name here too: by a hard link, so that it takes no space, or as a copy.
  ///
  /// - Returns: what is there then.
  mutating func place(
    _ file: OpenFile, at wanted: String, as placing: Placing
  ) throws(DiskError) -> FilePrint {
    let (folder, name) = LibraryPath.split(wanted)
    guard let status = file.status else { throw DiskError(errno, "examine", wanted) }
    var print = FilePrint(status)
    guard !isDryRun, let root, let parent = try self.folder(folder, creating: true) else {
      return print
    }
    guard placing == .link else {
      var digest = SHA2Digest()
      try put(as: name, in: parent) { (new) throws(DiskError) in
        try new.copyAll(of: file, status, into: &digest, wanted)
        podget_copy_times(file.number, new.number)
      }
      // The name may have been a link before, and that one is gone now.
      guard let copy = parent.status(of: name), let source = file.status else {
        throw DiskError(errno, "examine", wanted)
      }
      print = FilePrint(copy)
      print.sha256 = digest.finish()
      print.source = source.hasSameContent(as: status) ? FilePrint.Source(source) : nil
      return print
    }
    // The very file that was opened, whatever has its name by now.
    guard OperatingSystem.link(file.number, as: Self.temporaryName, in: root.number) == 0 else {
      let isImpossible = [EXDEV, EPERM, EMLINK, EOPNOTSUPP].contains(errno)
      throw DiskError(errno, "link", wanted, remedy: isImpossible ? .copyFiles : nil)
    }
    try rename(as: name, in: parent)
    return print
  }

  private func foreign(_ wanted: String) -> PodgetError {
    PodgetError(
      .disk,
      earlier.files[wanted] == nil
        ? "\(path)/\(wanted) is not a file of podget; move it away, or choose another folder."
        : "\(path)/\(wanted) has changed since podget wrote it; move it away.")
  }
}

extension PublicationFolder {
  /// How an episode's file comes into the folder.
  enum Placing: Sendable, Hashable {
    /// As another name of the same file.
    case link
    /// As a file of its own; whether the bytes of earlier copies are read, to find damaged ones.
    case copy(verifies: Bool)
  }
}

extension OpenFile {
  /// Writes all bytes of another file at the descriptor's own position, and hashes them.
  fileprivate func copyAll(
    of other: OpenFile, _ before: OpenFile.Status, into digest: inout SHA2Digest, _ name: String
  ) throws(DiskError) {
    var buffer = [UInt8](repeating: 0, count: Block.size)
    var offset: Int64 = 0
    while true {
      if Task.isCancelled { throw .cancelled("copy", name) }
      let count = try retryingInterrupts("read", name) {
        pread(other.number, &buffer, buffer.count, off_t(offset))
      }
      guard count > 0 else { break }
      buffer.withUnsafeBytes { digest.add(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
      try writeAll(Data(buffer[..<count]), name)
      offset += Int64(count)
    }
    guard let after = other.status, after.hasSameContent(as: before), offset == before.size
    else { throw DiskError(EBUSY, "copy", name, reason: "the file is being changed") }
  }
}
