import FoundationEssentials
import PodcastFeeds
import PodcastModel
import PodcastTransfer
import Synchronization

/// Takes the answer for a feed and parses it while it arrives, on a thread of the disk pool: the
/// transport's thread only copies bytes.
final class FeedBody: ResponseReceiver {
  private struct State {
    /// Bytes that are not parsed yet, the oldest first.
    var waiting: [[UInt8]] = []
    /// How many bytes came, and how many of them wait.
    var bytes = 0
    var waitingBytes = 0
    /// Whether the transfer is paused until the waiting bytes are parsed.
    var isHeld = false
    /// Whether a thread parses, or will.
    var isScheduled = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let url: FeedURL
  private let wantsDetails: Bool
  private let preference: MediaPreference?
  private let disk: DiskPool
  private let state = Mutex(State())
  /// Made by the first thread that parses; one thread at a time uses it.
  private nonisolated(unsafe) var reader: FeedReader?
  private let charset = Mutex<String?>(nil)
  private let limits: FeedLimits
  private let control: TransferControl
  /// Identifies the body, and keeps what may be an unchanged one; one thread at a time uses it.
  private nonisolated(unsafe) var fingerprinter: BodyFingerprinter?

  /// How many bytes may wait: a compressed answer can come faster than it is parsed.
  private static let waitingLimit = 4 << 20

  /// Makes a body for one answer.
  ///
  /// - Parameters:
  ///   - preference: which file of an episode is wanted.
  ///   - limits: how much is read.
  ///   - known: the fingerprint of the last body: an equal one is not parsed.
  ///   - isIdentified: whether the fingerprint of this body is wanted.
  ///   - control: pauses the transfer while too many bytes wait.
  init(
    _ url: FeedURL, wantsDetails: Bool, preference: MediaPreference?, limits: FeedLimits,
    disk: DiskPool, control: TransferControl,
    known: BodyFingerprint? = nil, isIdentified: Bool = false
  ) {
    self.control = control
    fingerprinter = isIdentified ? BodyFingerprinter(known: known) : nil
    self.url = url
    self.wantsDetails = wantsDetails
    self.preference = preference
    self.limits = limits
    self.disk = disk
  }

  func receive(head: ResponseHead) -> Bool {
    charset.withLock { $0 = Self.charset(of: head) }
    // The page of an error is no feed.
    return head.status < 400
  }

  func receive(body: UnsafeRawBufferPointer) -> Bool {
    let (fits, starts) = state.withLock { state -> (Bool, Bool) in
      state.bytes += body.count
      guard state.bytes <= limits.bytes else { return (false, false) }
      state.waiting.append(Array(body))
      state.waitingBytes += body.count
      // Under the lock, as its end is: otherwise that could come first.
      if state.waitingBytes > Self.waitingLimit, !state.isHeld {
        state.isHeld = true
        control.hold()
      }
      defer { state.isScheduled = true }
      return (true, !state.isScheduled)
    }
    if starts { disk.start { [self] in parse() } }
    return fits
  }

  /// Waits until all that came is parsed, and returns what was found.
  func finish() async throws(PodgetError) -> FeedContent {
    await waitUntilIdle()
    let result = await disk.perform { [self] in
      Result { () throws(PodgetError) in try currentReader().finish() }
    }
    return try result.get()
  }

  /// Does the same for a body that is identified.
  ///
  /// - Returns: the fingerprint, nil if it could not be computed; and what was found, nil if the body
  ///   is the known one.
  func finishIdentified() async -> (
    fingerprint: BodyFingerprint?, content: Result<FeedContent, PodgetError>?
  ) {
    await waitUntilIdle()
    return await disk.perform { [self] in
      let fingerprint = fingerprinter?.finish()
      if let fingerprint, fingerprint == fingerprinter?.known { return (fingerprint, nil) }
      fingerprinter?.release().forEach(parse)
      return (fingerprint, Result { () throws(PodgetError) in try currentReader().finish() })
    }
  }

  private func waitUntilIdle() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        if state.isScheduled { state.waiter = continuation }
        return !state.isScheduled
      }
      if isIdle { continuation.resume() }
    }
  }

  private func currentReader() -> FeedReader {
    let reader = reader ?? makeReader()
    self.reader = reader
    return reader
  }

  private func parse(_ piece: [UInt8]) {
    piece.withUnsafeBytes { currentReader().feed($0) }
  }

  private func parse() {
    while true {
      let (pieces, waiter) = state.withLock { state in
        let pieces = state.waiting
        state.waiting = []
        state.waitingBytes = 0
        guard pieces.isEmpty else { return (pieces, CheckedContinuation<Void, Never>?.none) }
        if state.isHeld {
          state.isHeld = false
          control.proceed()
        }
        state.isScheduled = false
        defer { state.waiter = nil }
        return (pieces, state.waiter)
      }
      if pieces.isEmpty {
        waiter?.resume()
        return
      }
      for piece in pieces {
        for ready in fingerprinter?.add(piece) ?? [piece] { parse(ready) }
      }
    }
  }

  private func makeReader() -> FeedReader {
    FeedReader(
      url: url, charset: charset.withLock { $0 }, details: wantsDetails, preference: preference,
      limits: limits)
  }

  /// The `charset` parameter of an answer's media type (RFC 9110, section 8.3.2).
  static func charset(of head: ResponseHead) -> String? {
    guard let type = head.first("Content-Type") else { return nil }
    for parameter in type.split(separator: ";").dropFirst() {
      let parts = parameter.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, parts[0].trimmingWhitespace().lowercased() == "charset" else {
        continue
      }
      return parts[1].trimmingWhitespace().trimmingCharacters(where: { $0 == "\"" || $0 == "'" })
    }
    return nil
  }
}

extension StringProtocol {
  /// The text without such characters at its ends.
  fileprivate func trimmingCharacters(where isTrimmed: (Character) -> Bool) -> String {
    let start = drop(while: isTrimmed)
    guard let last = start.lastIndex(where: { !isTrimmed($0) }) else { return "" }
    return String(start[...last])
  }
}
