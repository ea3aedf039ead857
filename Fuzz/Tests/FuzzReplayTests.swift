import Foundation
import Testing

/// Every stored input once more, without libFuzzer: what was fixed stays fixed.
@Suite("Fuzzed functions, replayed") struct FuzzReplayTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()

  @Test("stored inputs and those of fixed bugs find nothing", arguments: FuzzTarget.allCases)
  func replay(_ target: FuzzTarget) async throws {
    var count = 0
    for kind in ["Corpus", "Regressions"] {
      let place = Self.folder.appending(path: "\(kind)/\(target.rawValue)")
      let names = (try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? []
      for name in names.sorted() {
        let bytes = Array(try Data(contentsOf: place.appending(path: name)))
        await #expect(throws: Never.self, "\(kind)/\(target.rawValue)/\(name)") {
          try await target.run(bytes)
        }
        count += 1
      }
    }
    #expect(count > 0, "there are no inputs of \(target.rawValue)")
  }
}
