import Foundation

/// A program of this package as it was built along with the tests.
public struct BuiltBinary: Sendable {
  /// The absolute path.
  public let path: String

  /// The command under test.
  public static let podget = BuiltBinary(named: "podget")
  /// The server of the demonstration.
  public static let demoServer = BuiltBinary(named: "podget-demo-server")

  /// Programs lie beside the bundle that runs the tests.
  private init(named name: String) {
    let runner =
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    path = URL(filePath: runner).deletingLastPathComponent().appending(path: name).path
  }
}

/// The package's own folder, for fixtures and scripts.
public let packageRoot = URL(filePath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
