public import Foundation

/// The corpus of real data next to the package where it is developed; elsewhere its tests
/// are skipped.
public enum CorpusNaming {
  /// The corpus folder; nil when there is none.
  public static let root: URL? = {
    var folder = URL(filePath: #filePath).deletingLastPathComponent()
    for _ in 0..<5 {
      folder.deleteLastPathComponent()
      let corpus = folder.appending(path: "shared/corpus")
      if FileManager.default.fileExists(atPath: corpus.path) { return corpus }
    }
    return nil
  }()

  /// The files of one folder of the corpus, sorted by name.
  public static func files(in folder: String) throws -> [URL] {
    guard let root else { return [] }
    return try FileManager.default.contentsOfDirectory(
      at: root.appending(path: folder), includingPropertiesForKeys: nil
    ).sorted { $0.path < $1.path }
  }
}
