import PodcastModel
import PodcastTransfer
import Synchronization

/// The places of the feeds that are asked at once.
final class FeedPlaces: Sendable {
  /// How many feeds are asked at once, in all and from one host.
  static let atOnce = 16
  private static let perHost = 4

  fileprivate let gate: HostGate

  /// Creates the places.
  ///
  /// - Parameter onRoom: called whenever there is a place that no waiting feed has taken.
  init(clock: some Clock<Duration>, onRoom: @escaping @Sendable () -> Void) {
    gate = HostGate(
      .init(total: Self.atOnce, perHost: Self.perHost), clock: clock, onRoom: onRoom)
  }

  /// Takes a place for a feed of a host; nil if there is none.
  func take(_ host: String) async -> FeedPlace? {
    await gate.begin(at: host).map { FeedPlace($0, at: host, of: self) }
  }

  /// Whether any feed could take a place now.
  var hasRoom: Bool { get async { await gate.hasRoom } }
}

/// The place of one feed among those that are asked at once, from the first request of its check to
/// the last. What the feed waits for, it waits for without its place.
final class FeedPlace: Sendable {
  private let key: String
  private let host: String
  private let places: FeedPlaces
  private let answered = Mutex(false)

  fileprivate init(_ key: String, at host: String, of places: FeedPlaces) {
    self.key = key
    self.host = host
    self.places = places
  }

  /// Whether a server has answered anything.
  var hasAnswer: Bool { answered.withLock { $0 } }

  /// Notes that a server has answered.
  func noteAnswer() { answered.withLock { $0 = true } }

  /// Waits without the place, and takes one again afterwards: before feeds that were not asked yet. If
  /// too many feeds do so, each of which needs memory, it waits with the place.
  ///
  /// - Throws: what the wait throws; a `CancellationError` if the task was cancelled.
  func aside<Value: Sendable, Failure: Error>(
    _ wait: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    guard await places.gate.stepAsideIfRoom(key) else { return try await wait() }
    let value = try await wait()
    // Without a place nothing is asked: a request of a cancelled task ends at once.
    _ = await places.gate.reach(key, host)
    return value
  }

  /// Gives the place back.
  func leave() async { await places.gate.end(key) }
}
