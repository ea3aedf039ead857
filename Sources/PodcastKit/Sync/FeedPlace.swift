import PodcastModel
import PodcastTransfer
import Synchronization

/// The places of the feeds that are asked at once.
final class FeedPlaces: Sendable {
  /// How many feeds are asked at once, in all and from one host.
  static let atOnce = 16
  private static let perHost = 4
  /// How many feeds may wait without a place: each of them needs memory.
  private static let mostAside = 256

  fileprivate let gate: HostGate
  private let aside = Mutex(0)

  /// Creates the places.
  ///
  /// - Parameter onRoom: called whenever there is a place that no waiting feed has taken.
  init(clock: some Clock<Duration>, onRoom: @escaping @Sendable () -> Void) {
    gate = HostGate(total: Self.atOnce, perHost: Self.perHost, clock: clock, onRoom: onRoom)
  }

  /// Takes a place for a feed of a host; nil if there is none.
  func take(_ host: String) async -> FeedPlace? {
    await gate.take(host) ? FeedPlace(host, of: self) : nil
  }

  /// Whether any feed could take a place now.
  var hasRoom: Bool { get async { await gate.hasRoom } }

  /// Counts one more feed that waits without a place; false if there are too many.
  fileprivate func stepAside() -> Bool {
    aside.withLock { count in
      guard count < Self.mostAside else { return false }
      count += 1
      return true
    }
  }

  /// Counts one less.
  fileprivate func comeBack() { aside.withLock { $0 -= 1 } }
}

/// The place of one feed among those that are asked at once, from the first request of its check to
/// the last. What the feed waits for, it waits for without its place.
final class FeedPlace: Sendable {
  private let host: String
  private let places: FeedPlaces
  private let state = Mutex((isHeld: true, hasAnswer: false))

  fileprivate init(_ host: String, of places: FeedPlaces) {
    self.host = host
    self.places = places
  }

  /// Whether a server has answered anything.
  var hasAnswer: Bool { state.withLock { $0.hasAnswer } }

  /// Notes that a server has answered.
  func noteAnswer() { state.withLock { $0.hasAnswer = true } }

  /// Waits without the place, and takes one again afterwards: before feeds that were not asked yet.
  ///
  /// - Throws: what the wait throws; a `CancellationError` if the task was cancelled.
  func aside<Value: Sendable, Failure: Error>(
    _ wait: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    guard places.stepAside() else { return try await wait() }
    await leave()
    defer { places.comeBack() }
    let value = try await wait()
    // Without a place nothing is asked: a request of a cancelled task ends at once.
    if await places.gate.wait(for: host) == .taken { state.withLock { $0.isHeld = true } }
    return value
  }

  /// Gives the place back.
  func leave() async {
    let isHeld = state.withLock { state in
      defer { state.isHeld = false }
      return state.isHeld
    }
    if isHeld { await places.gate.release(host) }
  }
}
