import Foundation
import Testing

/// podget under kills, power cuts, broken disks and company.
///
/// Each suite has a short form for `make test`; `make soak` sets `PODGET_SOAK=1` for the long one.
@Suite(.serialized) struct Reliability {
  /// Whether the long tests are wanted.
  static let isSoak = environment["PODGET_SOAK"] == "1"

  /// Where all random choices begin; another one by `PODGET_SEED`.
  static let seed = environment["PODGET_SEED"].flatMap { UInt64($0) } ?? 20_230_216

  /// How many rounds a test has.
  static func rounds(_ short: Int, soak: Int) -> Int { isSoak ? soak : short }

  /// Adds a line to the summary of the long tests.
  static func report(_ line: String) {
    guard let path = environment["PODGET_SOAK_REPORT"] else { return }
    guard let file = fopen(path, "a") else { return }
    fputs("soak: \(line)\n", file)
    fclose(file)
  }

  /// Does something for each number, two at a time, since most of a round is waiting.
  static func forEach(
    _ numbers: some Sequence<Int>, _ round: @escaping @Sendable (Int) async throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (started, number) in numbers.enumerated() {
        if started >= 2 { try await group.next() }
        group.addTask { try await round(number) }
      }
      try await group.waitForAll()
    }
  }

  private static let environment = ProcessInfo.processInfo.environment
}
