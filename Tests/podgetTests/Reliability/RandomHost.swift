import LoopbackServer
import Synchronization
import TestSupport

/// The host of one episode, which answers each request differently.
///
/// An honest host only interrupts, delays, redirects and refuses: its file never changes, and what
/// it has sent need not be sent again. Another one also changes its file and contradicts itself.
final class RandomHost: Sendable {
  let title: String
  let versions: [[UInt8]]
  private let isHonest: Bool
  private let lies: Bool
  private let validators: Behaviour.Validators
  private let representations: [Representation]
  private let state: Mutex<State>
  private static let overlap: Int64 = 64 * 1024

  private struct State {
    var random: SeededGenerator
    var version = 0
    var isGood = false
    /// How far an honest host has sent its file.
    var sent: Int64 = 0
    var told: [String] = []
    var needless: [String] = []
  }

  init(title: String, using random: inout SeededGenerator) {
    self.title = title
    isHonest = Bool.random(using: &random)
    let strong: [Behaviour.Validators] = [.all, .etagOnly, .lastModifiedOnly]
    validators = strong[Int.random(in: 0..<strong.count, using: &random)]
    // Some hosts give all their versions one ETag; then only the overlap can distinguish them.
    lies = Bool.random(using: &random)
    var versions = Self.versions(count: isHonest ? 1 : 3, using: &random)
    if lies, !isHonest {
      let length = Int64(versions[0].count)
      versions[1] = MP3Maker.bytes(seed: random.next(), length: length)
    }
    self.versions = versions
    representations = versions.enumerated().map { [lies] number, bytes in
      Representation(
        bytes, etag: lies ? "\"same\"" : "\"v\(number)\"",
        lastModified: HTTPDate.text(1_676_563_217 + (lies ? 0 : number * 60)))
    }
    state = Mutex(State(random: SeededGenerator(seed: random.next() | 1)))
  }

  /// What it was asked and did so far.
  var told: String { state.withLock { $0.told.joined(separator: " | ") } }

  /// The requests to an honest host that asked for more than they had to.
  var needless: [String] { state.withLock { $0.needless } }

  func behaveWell() { state.withLock { $0.isGood = true } }

  func answer(_ request: Request, on connection: Connection) {
    let (version, behaviour, delay) = state.withLock { state in
      let behaviour = state.isGood ? Behaviour() : nextBehaviour(to: request, using: &state.random)
      if !isHonest, Int.random(in: 0..<3, using: &state.random) == 0 {
        state.version = Int.random(in: 0..<versions.count, using: &state.random)
      }
      note(request, behaviour, &state)
      let delay = Int.random(in: 0..<10, using: &state.random) == 0 ? 3 : 0
      return (state.version, behaviour, delay)
    }
    if delay > 0 { connection.wait(until: .now + .milliseconds(delay)) }
    FileServing(representations[version], behaviour: behaviour).answer(request, on: connection)
  }
}

extension RandomHost {
  private func note(_ request: Request, _ behaviour: Behaviour, _ state: inout State) {
    let range = request.first("Range") ?? "whole"
    state.told.append("\(range) of v\(state.version)\(behaviour.oddities)")
    guard isHonest else { return }
    let start = request.rangeStart ?? 0
    if start < state.sent - Self.overlap { state.needless.append("\(range) after \(state.sent)") }
    guard behaviour.answer == nil else { return }
    var count = Int64(versions[0].count) - start
    switch (behaviour.cut, behaviour.cutPoint) {
    case (nil, _): break
    case (_, .afterBody(let limit)): count = min(count, limit)
    case (_, .beforeHead), (_, .insideHead): count = 0
    }
    // What is sent beyond a gap would be of no use, but an honest host is not asked for it.
    if count > 0 { state.sent = max(state.sent, start + count) }
  }

  private static func versions(
    count: Int, using random: inout SeededGenerator
  ) -> [[UInt8]] {
    let first = MP3Maker.bytes(
      seed: random.next(), length: Int64.random(in: 3000...300_000, using: &random))
    return [first]
      + (1..<max(1, count)).map { _ in
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return MP3Maker.bytes(seed: random.next(), length: Int64(first.count))
        case 1:
          // The same beginning, another end.
          let shared = first.prefix(Int.random(in: 0...first.count, using: &random))
          return shared + MP3Maker.bytes(seed: random.next(), length: 40_000)
        case 2: return Array(first.prefix(max(2000, first.count / 2)))
        default:
          return MP3Maker.bytes(
            seed: random.next(), length: Int64.random(in: 3000...300_000, using: &random))
        }
      }
  }

  private func nextBehaviour(
    to request: Request, using random: inout SeededGenerator
  ) -> Behaviour {
    func isOne(in count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }
    if isOne(in: 10), !request.target.contains("?") {
      return .redirects(to: "/a.mp3?\(request.attempt)")
    }
    if isOne(in: 8) {
      let statuses =
        isHonest ? [503, 500, 429, 408, 404] : [503, 404, 416, 204, 206, 304, 412, 302]
      let fields = isOne(in: 4) ? [Request.Field("Retry-After", "0")] : []
      return .answers(
        statuses[Int.random(in: 0..<statuses.count, using: &random)], fields: fields)
    }
    var behaviour = Behaviour {
      $0.validators = validators
      if isOne(in: 4) { $0.framing = .chunked }
      if isOne(in: 2) {
        $0.cut = Bool.random(using: &random) ? .close : .reset
        switch Int.random(in: 0..<6, using: &random) {
        case 0: $0.cutPoint = .beforeHead
        case 1: $0.cutPoint = .insideHead
        default: $0.cutPoint = .afterBody(Int64.random(in: 0...250_000, using: &random))
        }
      }
    }
    // A wrong value is believed only if the rest of the response is correct.
    if !isHonest, !lies || isOne(in: 4) { spoil(&behaviour, using: &random) }
    return behaviour
  }

  private func spoil(_ behaviour: inout Behaviour, using random: inout SeededGenerator) {
    func isOne(in count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }
    let all = Behaviour.Validators.allCases
    if isOne(in: 3) { behaviour.validators = all[Int.random(in: 0..<all.count, using: &random)] }
    behaviour.ignoresRange = isOne(in: 5)
    behaviour.ignoresIfRange = isOne(in: 3)
    if isOne(in: 10) { behaviour.contentRange = .missing }
    if isOne(in: 10) { behaviour.contentRange = .text("bytes 5-1/9") }
    if isOne(in: 6) { behaviour.rangeShift = Int64.random(in: -80_000...80_000, using: &random) }
    if isOne(in: 6) { behaviour.rangeLimit = Int64.random(in: 1...100_000, using: &random) }
    // More than any version has: with less, the response would be complete and end there.
    if isOne(in: 15) { behaviour.contentLength = 400_000 }
  }
}
