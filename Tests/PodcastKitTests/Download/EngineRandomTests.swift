import LoopbackServer
import PodcastTransfer
import Synchronization
import TestSupport
import Testing

@testable import PodcastKit
@testable import PodcastLibrary

extension EngineTests {
  /// Random servers and random users. Whatever they do, a final file is one version in full, or there
  /// is no final file and the last event says so. A failing case names its seed.
  @Suite("Random servers") struct EngineRandomTests {
    @Test("the final file is one complete version, or there is none", arguments: 0..<60)
    func oracle(seed: UInt64) async throws {
      var random = SeededGenerator(seed: seed &* 7919 &+ 17)
      let world = RandomServer(using: &random)
      let server = try LoopbackServer { world.answer($0, on: $1) }
      var engine = try EngineHarness()
      engine.options.retries = RetryPolicy(
        retries: Int.random(in: 0...4, using: &random), baseDelay: .microseconds(10),
        maximumDelay: .microseconds(100))
      engine.options.resumesByOverlap = Bool.random(using: &random)
      engine.options.pauseGrace = Bool.random(using: &random) ? .microseconds(1) : .seconds(10)
      let plan = engine.plan(server.url("/a.mp3"))

      for round in 0..<6 {
        // The last round's server is correct, and nothing interferes: now the download must finish.
        if round == 5 { world.behaveWell() }
        let steps = (0..<200).map { _ in UserStep(using: &random) }
        let place = StepCounter()
        let run = try await engine.run([plan]) { event, downloader in
          guard round < 5, !event.kind.isTerminal else { return }
          switch steps[place.next() % steps.count] {
          case .cancel: await downloader.cancel()
          case .pause:
            await downloader.pause()
            await downloader.resume()
          case .nothing: break
          }
        }
        let story = "seed \(seed), round \(round): \(run.kinds(plan)); \(world.told)"
        guard let file = run.finished(plan) else {
          #expect(engine.finishedFiles == [], "\(story)")
          #expect(run.error(plan) != nil || run.cancelled(plan) != nil, "\(story)")
          #expect(round < 5, "\(story)")
          continue
        }
        let found = try engine.read(file.path)
        #expect(world.versions.contains { $0 == found }, "\(story)")
        #expect(file.bytes == Int64(found.count), "\(story)")
        #expect(try file.sha256 == engine.sha256(file.path), "\(story)")
        #expect(engine.files == ["Show/.podget.ndjson", file.path], "\(story)")
        return
      }
    }
  }
}

/// What the user does at an event.
private enum UserStep {
  case nothing
  case pause
  case cancel

  init(using random: inout SeededGenerator) {
    switch Int.random(in: 0..<20, using: &random) {
    case 0: self = .cancel
    case 1...3: self = .pause
    default: self = .nothing
    }
  }
}

private final class StepCounter: Sendable {
  private let count = Mutex(0)

  func next() -> Int {
    count.withLock { count in
      defer { count += 1 }
      return count
    }
  }
}

/// A server that changes its file and misbehaves, differently at each attempt.
private final class RandomServer: Sendable {
  let versions: [[UInt8]]
  private let representations: [Representation]
  private let state: Mutex<State>

  private struct State {
    var random: SeededGenerator
    var version = 0
    var isGood = false
    var told: [String] = []
  }

  init(using random: inout SeededGenerator) {
    let first = MP3Maker.bytes(
      seed: random.next(), length: Int64.random(in: 3000...250_000, using: &random))
    var versions = [first]
    for _ in 0..<Int.random(in: 0...2, using: &random) {
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        // The same length, other bytes.
        versions.append(MP3Maker.bytes(seed: random.next(), length: Int64(first.count)))
      case 1:
        // The same beginning, another end.
        let shared = first.prefix(Int.random(in: 0...first.count, using: &random))
        versions.append(shared + MP3Maker.bytes(seed: random.next(), length: 40_000))
      case 2: versions.append(Array(first.prefix(max(2000, first.count / 2))))
      default:
        versions.append(
          MP3Maker.bytes(
            seed: random.next(), length: Int64.random(in: 3000...250_000, using: &random)))
      }
    }
    // Some servers give all their versions one ETag; then only the overlap can distinguish them.
    let lies = Int.random(in: 0..<3, using: &random) == 0
    if lies {
      versions.append(MP3Maker.bytes(seed: random.next(), length: Int64(first.count)))
    }
    self.versions = versions
    representations = versions.enumerated().map { number, bytes in
      Representation(
        bytes, etag: lies ? "\"same\"" : "\"v\(number)\"",
        lastModified: HTTPDate.text(1_676_563_217 + number * 60))
    }
    state = Mutex(State(random: SeededGenerator(seed: random.next())))
  }

  /// What it did so far.
  var told: String { state.withLock { $0.told.joined(separator: " | ") } }

  func behaveWell() { state.withLock { $0.isGood = true } }

  func answer(_ request: Request, on connection: Connection) {
    let (version, behaviour) = state.withLock { state in
      if Int.random(in: 0..<3, using: &state.random) == 0 {
        state.version = Int.random(in: 0..<representations.count, using: &state.random)
      }
      let behaviour = state.isGood ? Behaviour() : Self.behaviour(using: &state.random)
      let range = request.first("Range") ?? "whole"
      state.told.append("\(range) of v\(state.version)\(behaviour.oddities)")
      return (state.version, behaviour)
    }
    FileServing(representations[version], behaviour: behaviour).answer(request, on: connection)
  }

  private static func behaviour(using random: inout SeededGenerator) -> Behaviour {
    func isOne(in count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }
    if isOne(in: 8) {
      let statuses = [503, 500, 429, 408, 404, 416, 204, 206, 304, 412]
      return .answers(statuses[Int.random(in: 0..<statuses.count, using: &random)])
    }
    return Behaviour { behaviour in
      let validators = Behaviour.Validators.allCases
      if isOne(in: 3) {
        behaviour.validators = validators[Int.random(in: 0..<validators.count, using: &random)]
      }
      behaviour.ignoresRange = isOne(in: 5)
      behaviour.ignoresIfRange = isOne(in: 4)
      if isOne(in: 4) { behaviour.framing = .chunked }
      if isOne(in: 10) { behaviour.contentRange = .missing }
      if isOne(in: 10) { behaviour.contentRange = .text("bytes 5-1/9") }
      if isOne(in: 6) {
        behaviour.rangeShift = Int64.random(in: -80_000...80_000, using: &random)
      }
      if isOne(in: 6) { behaviour.rangeLimit = Int64.random(in: 1...100_000, using: &random) }
      if isOne(in: 15) { behaviour.contentLength = 300_000 }
      if isOne(in: 2) {
        behaviour.cut = Bool.random(using: &random) ? .close : .reset
        switch Int.random(in: 0..<6, using: &random) {
        case 0: behaviour.cutPoint = .beforeHead
        case 1: behaviour.cutPoint = .insideHead
        default: behaviour.cutPoint = .afterBody(Int64.random(in: 0...250_000, using: &random))
        }
      }
    }
  }
}
