import Glibc
internal import PodcastSystem

extension OpenFile {
  /// The permissions that new files of this process do not get: `umask(2)`. It is read once: podget
  /// does not change it.
  ///
  /// The call of POSIX can only change it, and another thread might create a file in between.
  static let creationMask: mode_t = {
    if let mask = OperatingSystem.creationMask { return mode_t(mask) & 0o777 }
    let mask = umask(0o077)
    umask(mask)
    return mask
  }()
}
