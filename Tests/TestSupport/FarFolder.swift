import Foundation

/// A folder on another file system than a test's own, in memory.
public final class FarFolder: Sendable {
  /// The absolute path.
  public let path: String

  /// Makes an empty folder; nil where the machine has no such file system.
  /// - Throws: What the file system says.
  public init?(from folder: TemporaryFolder) throws {
    var (near, far) = (stat(), stat())
    guard stat(folder.path, &near) == 0, stat("/dev/shm", &far) == 0, near.st_dev != far.st_dev
    else { return nil }
    path = "/dev/shm/podget-test-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
