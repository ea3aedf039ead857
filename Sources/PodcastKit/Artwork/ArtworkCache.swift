package import FoundationEssentials
import PodcastArtwork
package import PodcastModel
package import PodcastTransfer

/// Fetches artworks and keeps their thumbnails, in memory and on the disk.
///
/// All who ask for one address share one request and its result. A request ends when the last of
/// them is cancelled. Failures are not kept: who asks again causes another request.
package actor ArtworkCache {
  /// What the cache may use.
  package struct Limits: Sendable, Hashable {
    /// The bytes of pixels in memory.
    package var memoryBytes = 16 << 20
    /// How many images are fetched or decoded at once.
    package var requests = 6
    /// How many of them from one host.
    package var requestsPerHost = 2
    /// After how many seconds a server is asked whether an artwork is still the current one.
    package var refreshAge: Double = 30 * 86_400

    /// Creates the standard limits.
    package init() {}
  }

  private typealias Outcome = Result<Artwork, PodgetError>

  /// A request, and who waits for it.
  private struct Running {
    var number: Int
    var task: Task<Void, Never>
    var waiting: [Int: CheckedContinuation<Outcome, Never>] = [:]
  }

  private let loader: ArtworkLoader
  private var memory: ArtworkMemory
  private var running: [String: Running] = [:]
  private var lastNumber = 0

  /// Creates a cache.
  ///
  /// - Parameters:
  ///   - transport: performs the requests.
  ///   - decoder: makes the thumbnails.
  ///   - folder: keeps them on the disk; nil for none.
  ///   - limits: what it may use.
  ///   - retries: how failed requests are retried.
  ///   - allowsInsecureRedirects: whether an https address may redirect to an http one.
  ///   - clock: measures waits.
  ///   - now: the time of day.
  package init(
    transport: any Transport, decoder: any ImageDecoder, folder: ArtworkFolder?,
    limits: Limits = Limits(), retries: RetryPolicy = RetryPolicy(),
    allowsInsecureRedirects: Bool = false, clock: any Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    memory = ArtworkMemory(maximumBytes: limits.memoryBytes)
    loader = ArtworkLoader(
      transport: transport, decoder: decoder, folder: folder,
      allowsInsecureRedirects: allowsInsecureRedirects,
      retrying: FetchRetries(
        policy: retries, clock: clock, now: now, randomness: SystemRandomNumberGenerator()),
      gate: HostGate(
        .init(total: limits.requests, perHost: limits.requestsPerHost), clock: clock),
      refreshAge: limits.refreshAge, now: now)
  }

  /// The artwork at an address: from memory, from the disk, or from its server.
  ///
  /// Cancelling the task ends the wait at once, with an error.
  ///
  /// - Parameters:
  ///   - address: the address.
  ///   - userAgent: the User-Agent; nil for the usual one. Who asks first decides.
  package func artwork(
    for address: String, userAgent: String? = nil
  ) async throws(PodgetError) -> Artwork {
    if let known = memory.artwork(for: address) { return known }
    lastNumber += 1
    let number = lastNumber
    let outcome: Outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        wait(for: address, userAgent, number, continuation)
      }
    } onCancel: {
      Task { await self.leave(address, number) }
    }
    return try outcome.get()
  }

  /// The same as a value.
  func result(for address: String, _ userAgent: String?) async -> Result<Artwork, PodgetError> {
    do throws(PodgetError) {
      return .success(try await artwork(for: address, userAgent: userAgent))
    } catch {
      return .failure(error)
    }
  }

  private func wait(
    for address: String, _ userAgent: String?, _ number: Int,
    _ continuation: CheckedContinuation<Outcome, Never>
  ) {
    guard !Task.isCancelled else { return continuation.resume(returning: .failure(.stopped)) }
    var request =
      running[address]
      ?? Running(
        number: number,
        task: Task {
          let outcome = await loader.load(address, userAgent: userAgent)
          finish(address, number, outcome)
        })
    request.waiting[number] = continuation
    running[address] = request
  }

  /// One of those who asked is cancelled.
  private func leave(_ address: String, _ number: Int) {
    guard let continuation = running[address]?.waiting.removeValue(forKey: number) else { return }
    continuation.resume(returning: .failure(.stopped))
    if let request = running[address], request.waiting.isEmpty {
      running[address] = nil
      request.task.cancel()
    }
  }

  private func finish(_ address: String, _ number: Int, _ outcome: Outcome) {
    // A request that everybody left may end while another one for the same address runs.
    guard let request = running[address], request.number == number else { return }
    running[address] = nil
    if case .success(let artwork) = outcome { memory.insert(artwork, for: address) }
    for continuation in request.waiting.values { continuation.resume(returning: outcome) }
  }
}

extension PodgetError {
  /// The error of a request that the user no longer wants.
  fileprivate static let stopped = PodgetError(.network, "The request was stopped.")
}
