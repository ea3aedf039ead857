import Glibc

extension OpenFile {
  /// The permissions that new files of this process do not get: `umask(2)`. It is read once: podget
  /// does not change it.
  ///
  /// The system call can only change it, and another thread might create a file in between;
  /// `/proc`, if it is there, has the mask without that.
  static let creationMask: mode_t = {
    if let data = try? OpenFile.open("/proc/self/status", flags: O_RDONLY)
      .readAll("status", limit: 1 << 20)
    {
      let line = String(decoding: data, as: UTF8.self).split(separator: "\n").first {
        $0.hasPrefix("Umask:")
      }
      let digits = line?.dropFirst(6).drop { $0 == "\t" || $0 == " " }
      if let digits, let mask = mode_t(digits, radix: 8) { return mask & 0o777 }
    }
    let mask = umask(0o077)
    umask(mask)
    return mask
  }()
}
