package import CFiles
import Glibc
import PodcastModel
internal import PodcastSystem

/// Media files that are symbolic links, as git-annex and rdfind make them. A link counts as the regular
/// file that it leads to; podget moves and removes the link, never that file.
extension OpenFile {
  /// The status of a media file. A link to a regular file has the size, the times and the kind of that
  /// file, with the inode of the link. Nil, with errno set, when nothing has the name.
  package func mediaStatus(of name: String) -> podget_file_status? {
    var status = podget_file_status()
    return podget_media_status_get(number, name, &status) == 0 ? status : nil
  }

  /// Opens a media file for reading; only a link to a regular file is followed.
  ///
  /// - Throws: ENOENT for a link whose file is not there, ELOOP for any other link.
  package func mediaFile(_ name: String) throws(DiskError) -> OpenFile {
    let status = mediaStatus(of: name)
    let isFollowed = status?.is_link == true && status?.is_regular == true
    do throws(DiskError) {
      return try Self.open(
        name, in: self, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY | (isFollowed ? 0 : O_NOFOLLOW))
    } catch {
      guard error.number == ELOOP, faccessat(number, name, F_OK, 0) != 0, errno == ENOENT else {
        throw error
      }
      throw DiskError(ENOENT, "open", name, reason: "the file that the link leads to is not there")
    }
  }

  /// Makes a second link that leads to the same file as a link does. A relative target is written
  /// anew, so that it holds in the other folder.
  ///
  /// - Returns: false when something else has the name.
  /// - Throws: ENOENT when the file cannot be found from there; then nothing has changed.
  package func copyLink(
    _ name: String, as newName: String, in folder: OpenFile
  ) throws(DiskError) -> Bool {
    guard var target = Self.target(of: name, in: number), let file = followed(name) else {
      throw DiskError(errno, "follow the link", name)
    }
    if target.first != Self.slash, !isSameFolder(as: folder) {
      guard let here = OperatingSystem.path(of: number),
        let there = OperatingSystem.path(of: folder.number)
      else { throw DiskError(errno, "find the folder of the link", name) }
      target = Self.relative(target, from: here, to: there)
    }
    let text = target.map(CChar.init(truncatingIfNeeded:)) + [0]
    let isMade = symlinkat(text, folder.number, newName) == 0
    guard isMade || errno == EEXIST else { throw DiskError(errno, "make the link", newName) }
    guard folder.status(of: newName)?.is_link == true else { return false }
    if let found = folder.followed(newName), found == file { return true }
    guard isMade else { return false }
    unlinkat(folder.number, newName, 0)
    throw DiskError(
      ENOENT, "move", name, reason: "it is a link, and its file cannot be found from there")
  }

  private static let slash = UInt8(ascii: "/")

  /// Which file a link leads to.
  private func followed(_ name: String) -> [UInt64]? {
    var status = stat()
    guard fstatat(number, name, &status, 0) == 0 else { return nil }
    return [UInt64(status.st_dev), UInt64(status.st_ino)]
  }

  /// The text of a link; nil, with errno set, when it cannot be read.
  private static func target(of name: String, in folder: Int32) -> [UInt8]? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlinkat(folder, name, &buffer, buffer.count)
    guard count > 0 else { return nil }
    guard count < buffer.count else {
      errno = ENAMETOOLONG
      return nil
    }
    return buffer[..<count].map(UInt8.init(truncatingIfNeeded:))
  }

  /// A relative target as it must be in another folder; both folders are absolute paths without links.
  private static func relative(
    _ target: [UInt8], from here: [UInt8], to there: [UInt8]
  ) -> [UInt8] {
    let parent = Array("..".utf8)
    var base = here.split(separator: slash)
    var rest = target.split(separator: slash)[...]
    // Only those at its beginning are steps between folders that are known not to be links.
    while let first = rest.first, first.elementsEqual(parent) || first.elementsEqual([parent[0]]) {
      if first.count == 2, !base.isEmpty { base.removeLast() }
      rest.removeFirst()
    }
    let other = there.split(separator: slash)
    let shared = zip(base, other).prefix { $0 == $1 }.count
    let up = other.dropFirst(shared).map { _ in parent[...] }
    return Array((up + base.dropFirst(shared) + rest).joined(separator: [slash]))
  }
}
