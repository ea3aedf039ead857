internal import CFiles
import Glibc
package import PodcastModel
internal import PodcastSystem
package import PodcastTransfer

/// How folders of a library are opened: component by component, so that no link in between leads
/// elsewhere.
///
/// There is one exception, which is part of the contract: a folder directly in the library may be a
/// link to another folder, so that a podcast can be on another disk. Such a link counts if the
/// owner of the library, the user or root created it, and if it leads neither into the library nor
/// to a folder that contains it; otherwise episodes would be listed twice, or without end.
///
/// A folder is never created beside one whose name differs only in case: on many disks both are one,
/// and the record of one would replace that of the other. That one is opened instead.
extension OpenFile {
  /// Opens a folder by its path below a library, and creates missing components if wanted.
  package static func folder(
    _ path: String, in library: OpenFile, creating: Bool
  ) throws(DiskError) -> OpenFile {
    guard let path = RelativePath(path) else {
      throw DiskError(EINVAL, "open", path, reason: "it is not a path inside the library")
    }
    return try folder(path, in: library, creating: creating)
  }

  /// Opens a folder by its path below a library, and creates missing components if wanted.
  package static func folder(
    _ path: RelativePath, in library: OpenFile, creating: Bool
  ) throws(DiskError) -> OpenFile {
    var parent = try open(".", in: library, flags: O_RDONLY | O_DIRECTORY)
    for (depth, name) in path.components.enumerated() {
      do throws(DiskError) {
        parent = try parent.child(name.text, isTop: depth == 0, creating: creating)
      } catch {
        throw error.at(error.operation, path.text)
      }
    }
    return parent
  }

  /// Opens a folder that podget keeps for itself, `.podget` or one in it, and creates it if wanted:
  /// for the user alone or, in a library that a group shares, for the group.
  static func ownFolder(
    _ name: String?, in library: OpenFile, creating: Bool
  ) throws(DiskError) -> OpenFile {
    var folder = library
    var path = ""
    for part in [".podget", name].compactMap(\.self) {
      path = LibraryPath.join(path, part)
      do throws(DiskError) {
        folder = try folder.ownChild(part, creating: creating)
      } catch {
        throw error.at(error.operation, path)
      }
    }
    return folder
  }

  /// The folder that a link in a library's own folder leads to.
  ///
  /// - Throws: ENOTDIR when it is not a link to a folder, ELOOP when podget does not follow it, and
  ///   other errors of the disk.
  func linkedFolder(_ name: String) throws(DiskError) -> OpenFile {
    guard let link = status(of: name), link.is_link else { throw DiskError(ENOTDIR, "open", name) }
    guard link.owner == 0 || link.owner == geteuid() || link.owner == status?.owner else {
      throw DiskError(
        ELOOP, "open", name, reason: "it is a link that another user made, which is not followed")
    }
    let target: OpenFile
    do throws(DiskError) {
      target = try Self.open(name, in: self, flags: O_RDONLY | O_DIRECTORY)
    } catch {
      guard error.number == ENOENT else { throw error }
      throw DiskError(
        ENOENT, "open", name, reason: "the folder that the link leads to is not there")
    }
    guard !target.lies(in: self), !lies(in: target) else {
      throw DiskError(
        ELOOP, "open", name,
        reason: "it is a link to the library itself or to a folder in or above it, which is not "
          + "followed")
    }
    return target
  }
}

extension OpenFile {
  private func child(
    _ name: String, isTop: Bool, creating: Bool
  ) throws(DiskError) -> OpenFile {
    do throws(DiskError) {
      return try Self.open(name, in: self, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    } catch {
      switch error.number {
      case ENOTDIR, ELOOP: return try followed(name, isTop: isTop)
      case ENOENT: break
      default: throw error
      }
    }
    // The same name in another Unicode form, as in copies from a Mac, is the same folder.
    if let other = equivalentFolder(name) {
      return try Self.open(other, in: self, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    }
    guard creating else { throw DiskError(ENOENT, "open", name) }
    // Another process may be about to create the folder in another spelling. Who holds the folder for
    // longer does something else, as flock(1) does around a command.
    let patience = ContinuousClock.now + .seconds(1)
    let isLocked = (try? waitForLock(name) { .now > patience }) != nil
    defer { if isLocked { flock(number, LOCK_UN) } }
    if let other = otherSpelling(name) {
      return try Self.open(other, in: self, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    }
    return try make(name, mode: 0o777, sharedMode: 0o070)
  }

  private func followed(_ name: String, isTop: Bool) throws(DiskError) -> OpenFile {
    guard status(of: name)?.is_link == true else { throw DiskError(ENOTDIR, "open", name) }
    guard isTop else {
      throw DiskError(
        ELOOP, "open", name,
        reason: "there is a symbolic link on the way, and podget follows only links to podcasts' "
          + "folders")
    }
    return try linkedFolder(name)
  }

  private func ownChild(_ name: String, creating: Bool) throws(DiskError) -> OpenFile {
    do throws(DiskError) {
      return try Self.open(name, in: self, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    } catch {
      if error.number == ENOTDIR || error.number == ELOOP, status(of: name)?.is_link == true {
        throw DiskError(
          ELOOP, "open", name, reason: "it is a symbolic link, which podget does not follow there")
      }
      guard creating, error.number == ENOENT else { throw error }
    }
    return try make(name, mode: 0o700, sharedMode: 0o070)
  }

  private func make(
    _ name: String, mode: mode_t, sharedMode: UInt32
  ) throws(DiskError) -> OpenFile {
    let isNew = mkdirat(number, name, mode) == 0
    guard isNew || errno == EEXIST else { throw DiskError(errno, "create the folder", name) }
    let child = try Self.open(name, in: self, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    if isNew, isShared, let permissions = child.status?.permissions {
      // The umask would exclude the group; the setgid bit stays.
      fchmod(child.number, mode_t(permissions | sharedMode))
    }
    // Also if it existed: the process that created it may have been killed before the sync. If the
    // parent folder cannot be synced by this user, that is not an error.
    if isNew { try synchronize(name) } else { try? synchronize(name) }
    return child
  }

  /// The only folder here whose name is the same text in another Unicode form.
  private func equivalentFolder(_ name: String) -> String? {
    guard name.utf8.contains(where: { $0 >= 0x80 }) else { return nil }
    let others = ((try? subfolders()) ?? []).filter { $0 == name }
    return others.count == 1 ? others[0] : nil
  }

  /// The first folder here that has the same name on disks that ignore case, unless the name itself
  /// is there.
  private func otherSpelling(_ name: String) -> String? {
    let comparison = FileName.comparisonKey(name)
    let others = ((try? subfolders()) ?? []).filter { FileName.comparisonKey($0) == comparison }
    return others.contains { $0.utf8.elementsEqual(name.utf8) } ? nil : others.min()
  }

  /// Whether this folder is another one or is below it; true also if that cannot be found out.
  package func lies(in other: OpenFile) -> Bool {
    guard let wanted = other.status, var here = status else { return true }
    var folder = self
    for _ in 0..<1_000 {
      if here.inode == wanted.inode, here.device == wanted.device { return true }
      guard
        let above = try? Self.open(
          "..", in: folder, flags: OperatingSystem.searchOnly | O_DIRECTORY),
        let status = above.status
      else { return true }
      if status.inode == here.inode, status.device == here.device { return false }
      (folder, here) = (above, status)
    }
    return true
  }
}
