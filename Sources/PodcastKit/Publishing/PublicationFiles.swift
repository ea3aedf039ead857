internal import CFiles
import FoundationEssentials
import Glibc
import PodcastLibrary
import PodcastModel
internal import PodcastSystem
import PodcastTransfer

/// The files in a published folder: whose they are, and how they come there.
extension PublicationFolder {
  /// What has a path: the folder in which it is, and its status. Nil if nothing has it.
  mutating func there(
    _ wanted: String
  ) throws(PodgetError) -> (parent: OpenFile, status: OpenFile.Status)? {
    guard let parent = try parent(of: wanted) else { return nil }
    guard let status = parent.status(of: LibraryPath.split(wanted).name) else {
      guard errno == ENOENT else {
        throw DiskError(errno, "examine", LibraryPath.join(path, wanted)).podgetError
      }
      return nil
    }
    return (parent, status)
  }

  /// The print that a file has; nil for a file with none of them.
  ///
  /// - Throws: a ``PodgetError`` if the file cannot be read: nobody knows what it is then.
  func match(
    _ prints: some Sequence<FilePrint>, at wanted: String, in parent: OpenFile
  ) throws(PodgetError) -> FilePrint? {
    do throws(DiskError) {
      for print in prints where try print.isFile(LibraryPath.split(wanted).name, in: parent) {
        return print
      }
      return nil
    } catch {
      throw error.at(error.operation, LibraryPath.join(path, wanted)).podgetError
    }
  }

  /// The print of podget's own file at a path.
  ///
  /// - Throws: a ``PodgetError`` if it is not as podget wrote it.
  private func own(
    _ wanted: String, in parent: OpenFile, keeps: Bool = false
  ) throws(PodgetError) -> FilePrint {
    let prints = earlier.files[wanted]?.prints ?? []
    guard let print = try match(prints, at: wanted, in: parent) else {
      throw foreign(wanted, keeps: keeps)
    }
    return print
  }

  /// Makes sure that podget may write texts and images, before it changes anything.
  ///
  /// - Throws: a ``PodgetError`` if something else has a name that podget did not write.
  mutating func requireFree(_ paths: some Sequence<String>) throws(PodgetError) {
    for wanted in paths {
      guard let (_, status) = try there(wanted) else { continue }
      let prints = earlier.files[wanted]?.prints ?? []
      guard status.is_regular, prints.contains(where: { $0.bytes == status.size }) else {
        throw foreign(wanted)
      }
    }
  }

  /// Whether a text is not there yet.
  ///
  /// - Throws: a ``PodgetError`` if something else has the name that podget did not write.
  mutating func needs(_ new: FilePrint, at wanted: String) throws(PodgetError) -> Bool {
    guard let (parent, _) = try there(wanted) else { return true }
    if try match([new], at: wanted, in: parent) != nil { return false }
    _ = try own(wanted, in: parent)
    return true
  }

  /// The print of an episode's file that is there already; nil for one that is to be placed.
  ///
  /// A link is there if it has the very file. A copy is there if nothing was done to it and to the file
  /// that it was made of, or if their bytes are equal: a file that was damaged and then fetched again has
  /// the length and the time of before.
  ///
  /// - Throws: a ``PodgetError`` if something else has the name that podget did not write, or if what is
  ///   there cannot be read.
  mutating func current(
    _ file: OpenFile, _ status: OpenFile.Status, sha256: String?, at wanted: String,
    as placing: Placing
  ) throws(PodgetError) -> FilePrint? {
    guard let (parent, there) = try there(wanted) else { return nil }
    if there.is_regular, there.isSameFile(as: status) {
      return placing == .link ? FilePrint(status) : nil
    }
    var print = try own(wanted, in: parent, keeps: true)
    guard case .copy(let verifies) = placing, there.size == status.size else { return nil }
    let source = FilePrint.Source(status)
    var copy = verifies ? nil : print.sha256
    if copy == nil {
      do throws(DiskError) {
        let name = LibraryPath.split(wanted).name
        copy = try OpenFile.ownFile(name, in: parent, limit: there.size).sha256(name)
      } catch {
        throw error.at(error.operation, LibraryPath.join(path, wanted)).podgetError
      }
    }
    let isWritten = copy == print.sha256 && print.source == source
    guard isWritten || copy == sha256 || (try? file.sha256(wanted)) == copy else { return nil }
    (print.modified, print.sha256, print.source) = (there.modified, copy, source)
    return print
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

  /// Why a file of somebody else is not touched.
  ///
  /// - Parameter keeps: whether the rest is published all the same.
  func foreign(_ wanted: String, keeps: Bool = false) -> PodgetError {
    let what =
      if earlier.files[wanted] == nil {
        "is not a file of podget; move it away, or choose another folder."
      } else if keeps {
        "has changed since podget wrote it, and stays."
      } else {
        "has changed since podget wrote it; move it away."
      }
    return PodgetError(.disk, "\(path)/\(wanted) \(what)")
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
