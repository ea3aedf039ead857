import Glibc

/// How many transfers may run at the same time with the file descriptors that the system allows.
package enum DescriptorLimit {
  /// The descriptors of one transfer at most: its connection, its part file, the two ends and the
  /// socket of a name lookup, and its record.
  static let perTransfer = 6
  /// The other descriptors: the standard streams, the library's folders and its index, and the part
  /// files and records of transfers that have ended and are being synced, or that come next.
  package static let reserve = 40

  /// The maximum number of open files of this process now.
  package static var current: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .max }
    return Int(clamping: limit.rlim_cur)
  }

  /// The jobs that fit into a limit; never less than one, never more than requested.
  package static func jobs(_ wanted: Int, limit: Int) -> Int {
    min(wanted, max(1, (max(limit, reserve) - reserve) / perTransfer))
  }

  /// How many transfers may wait with their part files and records open, beside those that run:
  /// half of what those leave.
  package static func waiting(jobs: Int, limit: Int) -> Int {
    min(256, max(2, (max(limit, reserve) - reserve - perTransfer * jobs) / 2))
  }
}
