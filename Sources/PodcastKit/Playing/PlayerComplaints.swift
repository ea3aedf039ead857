import Glibc
import PodcastModel
internal import PodcastSystem

/// What a player writes to standard error, at most so much: a file in memory, so that a player that is left
/// alone neither waits nor ends because nobody reads it.
final class PlayerComplaints: Sendable {
  /// Writing behind it fails, and does no harm.
  private static let size = 64 << 10
  private static let longestLine = 200

  /// The file's descriptor.
  let file: Int32

  /// Makes the file; nil if that is not possible.
  init?() {
    let made = OperatingSystem.memoryFile(ofFixedSize: Self.size)
    guard made >= 0 else { return nil }
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
