import PodcastLibrary
import PodcastTransfer
import Synchronization

/// The checks of feeds that run. In a run of rounds a slow one outlives its round, and a later round
/// takes its answer: no feed waits for another one.
final class FeedChecks: Sendable {
  /// What happened, in order.
  enum Progress: Sendable {
    /// A round has begun: what comes before it was left over.
    case begun
    /// There is a place for another feed.
    case room
    /// A check has ended; nil if it was stopped.
    case checked(String, CheckedFeed?)
    /// A login for unfinished episodes has ended; nil if it failed.
    case loggedIn(String, OriginCredentials?)
    /// Nothing has happened for a while.
    case quiet(Int)
  }

  private struct State {
    var tasks: [String: Task<Void, Never>] = [:]
    var places: [String: FeedPlace] = [:]
    var isCancelled = false
    var timer: (number: Int, task: Task<Void, Never>?) = (0, nil)
  }

  /// How long a round waits when nothing happens any more.
  private static let patience = Duration.seconds(5)

  /// What happens, for one consumer at a time.
  let progress: AsyncStream<Progress>
  /// The places of the feeds that are asked at once.
  let places: FeedPlaces
  /// The states of the feeds, from round to round.
  let states = FeedStateMemory()
  /// The subscriptions, from round to round.
  let list = SubscriptionMemory()
  /// Whether checks may outlive a round.
  let outliveRounds: Bool

  private let input: AsyncStream<Progress>.Continuation
  private let clock: any Clock<Duration>
  private let state = Mutex(State())

  /// Creates the checks of a run, none of which runs yet.
  init(clock: any Clock<Duration>, outliveRounds: Bool) {
    // Unbounded: a few elements for each feed that is being asked.
    let (progress, input) = AsyncStream.makeStream(of: Progress.self)
    self.progress = progress
    self.input = input
    self.clock = clock
    self.outliveRounds = outliveRounds
    places = FeedPlaces(clock: clock) { input.yield(.room) }
  }

  /// Says what happened.
  func send(_ progress: Progress) { input.yield(progress) }

  /// Whether something with this key runs, or its end was not taken yet.
  func isRunning(_ key: String) -> Bool { state.withLock { $0.tasks[key] != nil } }

  /// Whether a server has answered anything to a check that runs.
  var hasAnswer: Bool { state.withLock { $0.places.values.contains(where: \.hasAnswer) } }

  /// Starts something that says itself what became of it.
  ///
  /// - Parameters:
  ///   - key: names it, until ``end(_:)``.
  ///   - place: the place that it has among the feeds that are asked at once, if any; given back at
  ///     its end.
  ///   - work: returns what to say.
  func start(
    _ key: String, in place: FeedPlace? = nil, _ work: @escaping @Sendable () async -> Progress
  ) {
    state.withLock { state in
      let task = Task {
        let progress = await work()
        await place?.leave()
        input.yield(progress)
      }
      if state.isCancelled { task.cancel() }
      state.tasks[key] = task
      state.places[key] = place
    }
  }

  /// Notes that the end of something was taken.
  func end(_ key: String) {
    state.withLock { state in
      state.tasks[key] = nil
      state.places[key] = nil
    }
  }

  /// Says that it is quiet if nothing is said for a while from now on.
  func awaitQuiet() {
    guard outliveRounds else { return }
    state.withLock { state in
      state.timer.task?.cancel()
      let number = state.timer.number + 1
      state.timer = (
        number,
        Task {
          if (try? await clock.sleep(for: Self.patience)) != nil { input.yield(.quiet(number)) }
        }
      )
    }
  }

  /// Whether that is the last one of ``awaitQuiet()``.
  func isLast(quiet number: Int) -> Bool { state.withLock { $0.timer.number == number } }

  /// Ends everything, and whatever starts later.
  func cancel() {
    state.withLock { state in
      state.isCancelled = true
      state.timer.task?.cancel()
      for task in state.tasks.values { task.cancel() }
    }
  }

  /// Waits until everything that was cancelled has ended.
  func untilEnded() async {
    for task in state.withLock({ Array($0.tasks.values) }) { await task.value }
  }
}
