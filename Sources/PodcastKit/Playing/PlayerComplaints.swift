internal import CFiles
import Glibc
import PodcastModel

/// What a player writes to standard error, at most so much: a file in memory, so that a player that is left
/// alone neither waits nor ends because nobody reads it.
final class PlayerComplaints: Sendable {
  /// Writing behind it fails, and does no harm.
  private static let size = 64 << 10
  private static let longestLine = 200
  /// `MFD_CLOEXEC | MFD_ALLOW_SEALING` of memfd_create(2).
  private static let flags: UInt32 = 3
  /// `F_ADD_SEALS`, and `F_SEAL_SHRINK | F_SEAL_GROW`, of fcntl(2).
  private static let (addSeals, seals): (Int32, Int32) = (1033, 6)

  /// The file's descriptor.
  let file: Int32

  /// Makes the file; nil if that is not possible.
  init?() {
    let made = memfd_create("podget", Self.flags)
    guard made >= 0 else { return nil }
    guard ftruncate(made, off_t(Self.size)) == 0, fcntl(made, Self.addSeals, Self.seals) == 0 else {
      close(made)
      return nil
    }
    file = made
  }

  deinit { close(file) }

  /// The last line, safe for a terminal; empty for none.
  var last: String {
    let count = max(0, min(Int(lseek(file, 0, SEEK_CUR)), Self.size))
    var bytes = [UInt8](repeating: 0, count: count)
    guard pread(file, &bytes, count, 0) == count else { return "" }
    let line = bytes.split(separator: UInt8(ascii: "\n")).last ?? []
    return String(
      TerminalText.safe(String(decoding: line, as: UTF8.self)).prefix(Self.longestLine))
  }
}
