import Foundation
import Synchronization
import TestSupport
import Testing

/// podget with kills, power cuts, broken disks and other processes.
///
/// Each suite has a short form for `make test`; `make soak` sets `PODGET_SOAK=1` for the long one.
@Suite struct Reliability {
  /// Whether the long tests run.
  static let isSoak = environment["PODGET_SOAK"] == "1"

  /// The seed of all random choices; `PODGET_SEED` sets another one.
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

  /// Kills podget in its first call, its second and so on, two at a time, until runs come through,
  /// and returns how many kills there were.
  ///
  /// - Parameters:
  ///   - survivals: how many runs must succeed; threads take turns differently in each run, so that
  ///     the first one need not be the last.
  ///   - kill: makes one trial and says whether podget was killed in it.
  static func countKills(
    through last: Int, survivals: Int = 1, _ kill: @escaping @Sendable (Int) async throws -> Bool
  ) async throws -> Int {
    let counts = Mutex((kills: 0, survivals: 0))
    try await forEach(1...last) { point in
      if counts.withLock({ $0.survivals >= survivals }) { return }
      let isKilled = try await kill(point)
      counts.withLock {
        if isKilled { $0.kills += 1 } else { $0.survivals += 1 }
      }
    }
    let counted = counts.withLock { $0 }
    #expect(counted.survivals > 0, "no run came through")
    return counted.kills
  }

  /// Calls a function for each element, two at a time, since a round mostly waits.
  static func forEach<Element: Sendable>(
    _ elements: some Sequence<Element>, _ round: @escaping @Sendable (Element) async throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (started, element) in elements.enumerated() {
        if started >= 2 { try await group.next() }
        group.addTask { try await round(element) }
      }
      try await group.waitForAll()
    }
  }

  private static let environment = ProcessInfo.processInfo.environment
}

extension Reliability {
  /// Waits until all threads have stopped; false when the process has ended.
  static func hasStopped(_ process: RunningProcess) async throws -> Bool {
    var isStopped = false
    try await waitUntil("podget stops or ends", seen: { process.error }) {
      let states = threadStates(process.pid)
      isStopped = !states.isEmpty && states.allSatisfy { $0 == "T" }
      return isStopped || !process.isRunning
    }
    return isStopped
  }

  private static func threadStates(_ pid: pid_t) -> [Character] {
    let folder = "/proc/\(pid)/task"
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return threads.compactMap { thread in
      // The state follows the name, which is in parentheses.
      guard let line = try? String(contentsOfFile: "\(folder)/\(thread)/stat", encoding: .utf8),
        let name = line.lastIndex(of: ")")
      else { return nil }
      return line[name...].dropFirst(2).first
    }
  }
}
