import Glibc
public import PodcastModel

/// A failed system call on a file.
public struct DiskError: Error, Sendable, Hashable {
  /// The system's error number.
  public let number: Int32
  /// The operation, such as `write`.
  public let operation: String
  /// The file's name or path.
  public let path: String
  /// Why podget itself refused, if the number alone does not say it; for use after a colon.
  public let reason: String?
  /// A possible remedy; nil if none is known.
  public let remedy: PodgetError.Remedy?

  /// Creates an error from a number, and from podget's own reason if there is one.
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

  /// The same error for another operation and path, for callers that know the complete path.
  package func at(_ operation: String, _ path: String) -> DiskError {
    DiskError(number, operation, path, reason: reason, remedy: remedy)
  }

  /// What is wrong, for use after a colon.
  package var explanation: String { reason ?? String(cString: strerror(number)) }

  /// Whether the disk or the quota is full.
  public var isFull: Bool { number == ENOSPC || number == EDQUOT }

  /// Whether this user has no permission.
  package var isForbidden: Bool { number == EACCES || number == EPERM }

  /// The same as an error for users and scripts.
  public var podgetError: PodgetError {
    if isFull {
      let what = reason ?? (number == EDQUOT ? "the disk quota is used up" : "the disk is full")
      return PodgetError(
        .diskFull, "\(what.prefix(1).uppercased())\(what.dropFirst()).", remedy: .makeRoom)
    }
    return PodgetError(.disk, "Cannot \(operation) \(path): \(explanation).", remedy: remedy)
  }
}

/// Retries a system call while signals interrupt it.
package func retryingInterrupts<Result: SignedInteger>(
  _ operation: String, _ path: String, _ call: () -> Result
) throws(DiskError) -> Result {
  while true {
    let result = call()
    if result >= 0 { return result }
    guard errno == EINTR else { throw DiskError(errno, operation, path) }
  }
}
