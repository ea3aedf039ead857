public import Foundation

/// Finds the files that tests read.
public enum Fixtures {
  /// The package's folder.
  public static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The content of a file below `Fixtures`.
  public static func data(_ path: String) throws -> Data {
    try Data(contentsOf: root.appending(path: "Fixtures").appending(path: path))
  }

  /// The folder of captured real-world files next to the checkout; nil if there is none.
  public static let corpus: URL? = {
    let near = root.deletingLastPathComponent()
    return [near, near.deletingLastPathComponent()]
      .map { $0.appending(path: "shared/corpus") }
      .first { FileManager.default.fileExists(atPath: $0.path) }
  }()
}
