import Glibc
import Testing

/// A way in which a call to the disk goes wrong.
struct DiskFault: Sendable, CustomTestStringConvertible {
  /// The call, as `Faults.h` names it.
  var call: String
  /// What becomes of it: an error's number or an action.
  var action: String
  /// The code of a failure that comes of it; nil where podget does without the call.
  var code: String?
  /// What else is wrong with the file system.
  var surroundings = ""

  var testDescription: String { "\(surroundings)\(call) \(action)" }

  /// Every call with everything that disks are known to say to it.
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
    // What was kept of a file that found no more room is synced so that it may be resumed.
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
