import Foundation

/// A program of this package as it was built along with the tests.
public struct BuiltBinary: Sendable {
  /// The absolute path.
  public let path: String

  /// The command under test.
  public static let podget = BuiltBinary(named: "podget", variable: "PODGET_TEST_BINARY")
  /// The server of the demonstration.
  public static let demoServer = BuiltBinary(named: "podget-demo-server")

  /// Programs are next to the bundle that runs the tests.
  ///
  /// - Parameter variable: names another one, such as the release build: many tests start podget, and
  ///   an optimized one takes less time.
  private init(named name: String, variable: String? = nil) {
    if let variable, let other = ProcessInfo.processInfo.environment[variable], !other.isEmpty {
      path = other
      return
    }
    let runner =
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    path = URL(filePath: runner).deletingLastPathComponent().appending(path: name).path
  }
}

/// The package's own folder, for fixtures and scripts.
public let packageRoot = URL(filePath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
