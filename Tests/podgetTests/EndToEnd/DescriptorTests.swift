import Foundation
import TestSupport
import Testing

/// Many downloads with few file descriptors.
@Suite(.serialized) struct DescriptorTests {
  private static let count = 200

  @Test(arguments: [64, 256])
  func `fewer downloads run at once if descriptors are few`(limit: Int) async throws {
    let episodes = (1...Self.count).map {
      PodcastServer.Episode(Int64($0), "Number \($0)", size: 3000)
    }
    let listener = try Listener(PodcastServer(episodes))
    let result = try await RunningProcess(
      "/usr/bin/prlimit",
      [
        "--nofile=\(limit)", BuiltBinary.podget.path, "download", listener.podcast, "--all",
        "--jobs", "100", "--json",
      ], environment: listener.variables
    ).waitForExit()
    #expect(result.status == .exited(0), "\(result.error)")
    #expect(listener.files.count == Self.count)
    #expect(listener.partials.isEmpty)
  }

  @Test func `an episode that finds no free descriptor for a moment is still fetched`()
    async throws
  {
    let podcast = try await TrialPodcast(episodes: 2)
    // Before the first ones nothing is planned yet.
    for point in stride(from: 3, through: 30, by: 3) {
      let trial = try Trial(podcast)
      let result = try await trial.run("download", faults: "open:\(point):\(EMFILE)")
      let outcomes = try result.events().outcomes
      #expect(outcomes.values.allSatisfy { $0 == "finished" }, "\(point): \(result.output)")
    }
  }

  @Test(arguments: [5, 7])
  func `downloads that wait for a descriptor do not deadlock`(
    point: Int
  ) async throws {
    let trial = try Trial(try await TrialPodcast(episodes: 3))
    let result = try await trial.run("download", faults: "open:\(point)+1:\(EMFILE)")
    #expect(result.status == .exited(1), "\(result.error)")
    let events = try result.events()
    #expect(events.outcomes.values.allSatisfy { $0 == "failed" })
    // It is no error of a server.
    #expect(events.filter { $0.name == "failed" }.allSatisfy { $0.code == "disk" })
    try await trial.complete(after: "\(point)")
  }
}
