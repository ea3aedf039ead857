import Glibc
import Testing

/// A way in which a call to the disk fails.
struct DiskFault: Sendable, CustomTestStringConvertible {
  /// The call, as `Faults.h` names it.
  var call: String
  /// What happens to it: an error number or an action.
  var action: String
  /// The code of the failure that follows; nil if podget can do without the call.
  var code: String?
  /// What else is wrong with the file system.
  var surroundings = ""

  var testDescription: String { "\(surroundings)\(call) \(action)" }

  /// Every call with every error that disks are known to return for it.
  static let all: [DiskFault] =
    errors("pwrite", [ENOSPC, EIO, EDQUOT, EROFS]) + errors("write", [ENOSPC, EIO, EDQUOT])
    + errors("open", [ENOSPC, EIO, EROFS, EDQUOT, EACCES, EMFILE])
    + errors("mkdir", [ENOSPC, EIO, EROFS]) + errors("fallocate", [ENOSPC, EDQUOT, EFBIG])
    + errors("truncate", [EIO]) + errors("times", [EIO])
    + errors("fsync", [EIO, ENOSPC, EDQUOT]) + errors("rename", [EIO, ENOSPC, EROFS])
    + errors("rename2", [EIO, ENOSPC, EROFS, EACCES]) + errors("pread", [EIO])
    + errors("unlink", [EIO])
    + errors("link", [EIO, ENOSPC]).map { fault in
      var fault = fault
      fault.surroundings = "rename2:1+1:\(EINVAL),"
      return fault
    } + [
      DiskFault(call: "pwrite", action: "short"), DiskFault(call: "write", action: "short"),
      DiskFault(call: "pread", action: "short"),
      DiskFault(call: "fallocate", action: String(EOPNOTSUPP)),
      DiskFault(call: "fsync", action: "lose", code: "disk"),
    ]
    // The received part of a file on a full disk is synced so that it can be resumed.
    + [String(EIO), "lose"].map { action in
      DiskFault(
        call: "fdatasync", action: action, code: "diskFull", surroundings: "pwrite:2:\(ENOSPC),")
    }

  private static func errors(_ call: String, _ numbers: [Int32]) -> [DiskFault] {
    numbers.map { number in
      DiskFault(
        call: call, action: String(number),
        code: number == ENOSPC || number == EDQUOT ? "diskFull" : "disk")
    }
  }
}
