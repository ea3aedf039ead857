import Glibc
public import PodcastModel

/// A system call on a file that failed.
public struct DiskError: Error, Sendable, Hashable {
  /// The system's error number.
  public let number: Int32
  /// What was being done, such as `write`.
  public let operation: String
  /// The file's name or path.
  public let path: String
  /// Why podget itself refused, where the number alone does not say it; to stand behind a colon.
  public let reason: String?
  /// What can be done about it; nil where nothing is known to help.
  public let remedy: PodgetError.Remedy?

  /// Makes an error from a number, and from a reason of podget's own where there is one.
  public init(
    _ number: Int32, _ operation: String, _ path: String, reason: String? = nil,
    remedy: PodgetError.Remedy? = nil
  ) {
    self.number = number
    self.operation = operation
    self.path = path
    self.reason = reason
    self.remedy = remedy
  }

  /// The same of another operation and path, as whoever knows the whole path says it.
  package func at(_ operation: String, _ path: String) -> DiskError {
    DiskError(number, operation, path, reason: reason, remedy: remedy)
  }

  /// What is wrong, to stand behind a colon.
  package var explanation: String { reason ?? String(cString: strerror(number)) }

  /// Whether the disk or the quota is full.
  public var isFull: Bool { number == ENOSPC || number == EDQUOT }

  /// Whether this user may not do it.
  package var isForbidden: Bool { number == EACCES || number == EPERM }

  /// The same in the words that users and scripts get.
  public var podgetError: PodgetError {
    if isFull {
      return PodgetError(
        .diskFull,
        number == EDQUOT
          ? "The disk quota is used up." : "The disk is full.", remedy: .makeRoom)
    }
    return PodgetError(.disk, "Cannot \(operation) \(path): \(explanation).", remedy: remedy)
  }
}

/// Runs a system call again while a signal interrupts it.
package func retryingInterrupts<Result: SignedInteger>(
  _ operation: String, _ path: String, _ call: () -> Result
) throws(DiskError) -> Result {
  while true {
    let result = call()
    if result >= 0 { return result }
    guard errno == EINTR else { throw DiskError(errno, operation, path) }
  }
}
