import LoopbackServer
import Synchronization
import TestSupport
import Testing

@testable import PodcastKit

extension EngineTests {
  /// Many tasks control many downloads at once. Whatever they do, each download ends once, with the right
  /// file or with its correct beginning kept.
  @Suite("Pauses and cancellations at random") struct EnginePauseFuzzTests {
    private static let count = 10

    @Test(
      "row 56: concurrent pauses, resumes and cancels lose nothing",
      .timeLimit(.minutes(5)), arguments: 0..<6 as Range<UInt64>)
    func manyHands(seed: UInt64) async throws {
      var random = SeededGenerator(seed: seed &* 104_729 &+ 3)
      let files = (0..<Self.count).map { number in
        MP3Maker.bytes(
          seed: UInt64(number), length: Int64.random(in: 5000...700_000, using: &random))
      }
      let server = try server(of: files, seed: seed)
      var engine = try EngineHarness()
      engine.options.jobs = Int.random(in: 1...6, using: &random)
      engine.options.jobsPerHost = engine.options.jobs
      engine.options.retries.retries = 10
      engine.options.pauseGrace = seed % 2 == 0 ? .milliseconds(1) : .seconds(10)
      let plans = (0..<Self.count).map {
        engine.plan(server.url("/\($0).mp3"), title: "Episode \($0)")
      }
      let hands = Mutex<Task<Void, Never>?>(nil)
      let run = try await engine.run(plans) { _, downloader in
        hands.withLock { hands in
          guard hands == nil else { return }
          hands = Task { await Self.handle(plans.map(\.key), of: downloader, seed: seed) }
        }
      }
      await hands.withLock { $0 }?.value
      for (plan, bytes) in zip(plans, files) {
        let story = "seed \(seed), \(plan.stem): \(run.kinds(plan))"
        if let file = run.finished(plan) {
          #expect(try engine.read(file.path) == bytes, "\(story)")
          #expect(try file.sha256 == engine.sha256(file.path), "\(story)")
        } else {
          let received = try #require(run.cancelled(plan), "\(story)")
          let kept = (try? engine.read(".podget/partial/\(plan.key).part")) ?? []
          #expect(Int64(kept.count) == received, "\(story)")
          #expect(bytes.starts(with: kept), "\(story)")
        }
      }

      let next = try await engine.run(plans)
      for (plan, bytes) in zip(plans, files) {
        #expect(try engine.read("Show/\(plan.stem).mp3") == bytes, "\(next.kinds(plan))")
      }
    }

    /// A server of limited speed that interrupts every third response.
    private func server(of files: [[UInt8]], seed: UInt64) throws -> LoopbackServer {
      var servings: [String: FileServing] = [:]
      for (number, bytes) in files.enumerated() {
        servings["/\(number).mp3"] = FileServing(Representation(bytes)) { attempt in
          var random = SeededGenerator(seed: seed << 32 | UInt64(number * 100 + attempt))
          return Behaviour {
            $0.rate = 6_000_000
            guard Int.random(in: 0..<3, using: &random) == 0 else { return }
            $0.cut = .reset
            $0.cutPoint = .afterBody(Int64.random(in: 70_000...300_000, using: &random))
          }
        }
      }
      return try LoopbackServer(files: servings)
    }

    /// Six tasks at once; afterwards everything that is paused continues.
    private static func handle(
      _ keys: [String], of downloader: Downloader, seed: UInt64
    ) async {
      await withTaskGroup { group in
        for hand in 0..<6 as Range<UInt64> {
          group.addTask {
            var random = SeededGenerator(seed: seed << 16 | hand)
            for _ in 0..<300 {
              let key = keys[Int.random(in: 0..<keys.count, using: &random)]
              let download = await downloader.download(key)
              switch Int.random(in: 0..<100, using: &random) {
              case 0: await download?.cancel()
              case 1..<40: await download?.pause()
              case 40..<90: await download?.resume()
              case 90..<93: await downloader.pause()
              case 93..<99: await downloader.resume()
              default: for _ in 0..<20 { await Task.yield() }
              }
              await Task.yield()
            }
          }
        }
      }
      await downloader.resume()
      for key in keys { await downloader.download(key)?.resume() }
    }
  }
}
