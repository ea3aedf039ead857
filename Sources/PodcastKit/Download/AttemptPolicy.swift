import FoundationEssentials
import PodcastLibrary
import PodcastModel
import PodcastTransfer

/// Decides what to request, and what to do after an attempt. The decisions are pure; the state is
/// what one attempt of a download passes on to the next.
struct AttemptPolicy: Sendable {
  /// What to do next.
  enum Step: Sendable, Hashable {
    /// Ask again immediately.
    case request
    /// Ask again after the delay; `attempt` is its number, 2 for the first retry.
    case wait(Duration, attempt: Int, reason: PodgetError.Code)
    /// Report that the file restarts, then ask again.
    case restart(RestartReason)
    /// Look up the episode's current address in the podcast's directory; without a new one, take the
    /// other step.
    indirect case findAddress(orElse: Step)
    /// Every byte is there.
    case commit
    /// End with this interruption.
    case fail(Interruption)
  }

  /// How an attempt ended.
  struct Outcome: Sendable {
    var report: BodyWriter.Report
    /// Whether the file ends where the body did; only asked if no length shows the end.
    var ending = FileEnd.Judgement.complete
    /// How many redirects led to the answer.
    var redirects = 0
    /// The answer's Retry-After, if it is obeyed.
    var retryAfter: Duration?
    /// The time of day (UTC).
    var now: Date
  }

  /// One request, before any redirects.
  struct Request: Sendable {
    /// What is requested; the address is the first to ask.
    var request: HTTPRequest
    /// Whether it asks for the bytes that follow those on disk.
    var continues: Bool
    /// Why the file restarts, if that must be reported first.
    var announcement: RestartReason?
    /// Whether there are bytes on disk that do not count for this request, and this was reported.
    var announcedRestart: Bool
  }

  /// Whether the next request may ask for a range.
  private enum RangeUse {
    case wanted
    /// Not this time: the last answer could not be combined with the bytes on disk.
    case notNow
    /// Never again: the server has shown that every request gets another file.
    case never
  }

  /// The maximum number of attempts for an episode in one run. One that brings the file further is
  /// not counted; see ``BodyWriter/Report/isFree``.
  static let attemptLimit = 20
  /// How many bytes a resumed request asks for again, to compare them with the disk.
  static let overlap: Int64 = 64 * 1024

  private let retries: RetryPolicy
  private let slowDelay: Duration
  private let resumesByOverlap: Bool
  /// Where the bytes may come from.
  private(set) var routes: Routes
  /// Attempts since the last one that received enough.
  private var attempt = 1
  /// Attempts that count towards the limit.
  private var attempts = 0
  private var restarts = 0
  private var rangeUse = RangeUse.wanted
  /// Whether a content coding is accepted, because the server insisted on one.
  private var acceptsCodings = false
  /// Whether the listener knows that the next attempt restarts the file.
  private var announcedRestart = false
  /// Where the last body without a length ended, as long as its bytes are those on disk.
  private var lastEnd: Int64?
  private var hasBeenUnsure = false

  /// Creates the policy for one download.
  ///
  /// - Parameter canFindAddress: whether there may be a new address for the episode.
  init(_ url: String, _ options: DownloadOptions, canFindAddress: Bool) {
    routes = Routes(
      url, allowsInsecureRedirects: options.allowsInsecureRedirects, hasDirectory: canFindAddress)
    retries = options.retries
    slowDelay = options.slowDelay
    resumesByOverlap = options.resumesByOverlap
  }

  /// Why there is no further attempt; nil if there may be one.
  var exhaustion: Interruption? {
    guard attempts >= Self.attemptLimit else { return nil }
    return .server(
      PodgetError(
        .incomplete,
        "The server was asked \(attempts) times and did not send all of the episode.",
        remedy: .resume), isTransient: false)
  }

  /// Whether a request for the rest of the file would be made.
  func canContinue(_ held: HeldBytes) -> Bool {
    rangeUse == .wanted && held.isContinuable(byOverlap: resumesByOverlap)
  }

  /// The next request.
  ///
  /// - Parameters:
  ///   - source: the recorded address that the bytes on disk came from.
  ///   - hostKeepsChanging: whether the host sends a different file for each request.
  mutating func request(
    _ held: HeldBytes, from source: String? = nil, hostKeepsChanging: Bool
  ) -> Request {
    routes.begin(source: source)
    if hostKeepsChanging { rangeUse = .never }
    let continues = canContinue(held)
    let begins = held.count > 0 && !continues
    let reason: RestartReason = rangeUse == .wanted ? .noValidator : .changed
    let announcement = begins && !announcedRestart ? reason : nil
    announcedRestart = false
    if rangeUse == .notNow { rangeUse = .wanted }
    var fields: [HTTPField] = []
    if !acceptsCodings { fields.append(HTTPField("Accept-Encoding", "identity")) }
    if continues, let ifRange = held.validator.ifRange {
      fields.append(HTTPField("If-Range", ifRange))
    }
    return Request(
      request: HTTPRequest(
        url: routes.present, headers: fields,
        rangeStart: continues ? held.count - min(held.count, Self.overlap) : nil,
        acceptsCodings: acceptsCodings),
      continues: continues, announcement: announcement, announcedRestart: begins)
  }

  /// Records the address of the next request, the first one or the target of a redirect.
  ///
  /// - Returns: whether an answer of another version is refused, because one more address may have
  ///   the version on disk.
  mutating func ask(_ url: String, continues: Bool) -> Bool {
    routes.ask(url)
    return continues && routes.hasOtherSource
  }

  /// Whether a redirect that is not followed came from an address other than the episode's own.
  /// Then the episode's own is used.
  mutating func redirectWasRefused() -> Bool { routes.leaveSource() }

  /// Whether the address is used once more in this attempt after a redirect led to a refusal: a
  /// signed address may have expired, and the original address creates a new one.
  mutating func asksAnew(after status: Int, redirects: Int) -> Bool {
    Self.mayHaveExpired(status, redirects: redirects) && routes.takeAnew()
  }

  /// The Retry-After of an answer after which the host is asked again; nil without one.
  static func retryAfter(of end: TransferEnd, redirects: Int, now: Date) -> Duration? {
    guard let head = end.head, mayHaveExpired(head.status, redirects: redirects) else {
      return RetryPolicy.retryAfter(of: end, now: now)
    }
    return RetryPolicy.retryAfter(head, now: now)
  }

  /// Whether the server has shown that it sends another version than the one on disk.
  func showsChange(_ report: BodyWriter.Report) -> Bool {
    report.interruption?.isChange == true && !routes.hasOtherSource
  }

  /// Uses a new address from now on. Returns false if it is not new.
  mutating func move(to url: String) -> Bool {
    guard routes.move(to: url) else { return false }
    attempt = 1
    return true
  }

  /// What to do after an attempt that ended by itself.
  mutating func next(
    after outcome: Outcome, using generator: inout some RandomNumberGenerator
  ) -> Step {
    if !outcome.report.isFree { attempts += 1 }
    if outcome.report.reachedEnd, isComplete(outcome) { return .commit }
    let step = judge(outcome, &generator)
    guard case .fail(let interruption) = step, !interruption.isOfDisk,
      attempts < Self.attemptLimit, routes.leaveSource()
    else { return step }
    // The failure of the old address says nothing about the original one.
    attempt = 1
    rangeUse = .notNow
    announcedRestart = true
    return .restart(.changed)
  }

  /// Whether the file ends where the body did.
  private mutating func isComplete(_ outcome: Outcome) -> Bool {
    guard case .unsure(let orOther) = outcome.ending else { return outcome.ending == .complete }
    return isRepeated(outcome.report) || (orOther && hasBeenUnsure && outcome.report.hasReplaced)
  }

  /// Whether a body ended where the one before did, with the same bytes.
  private func isRepeated(_ report: BodyWriter.Report) -> Bool {
    report.held == lastEnd && report.gained == 0 && !report.hasReplaced
  }

  /// What follows a body that may not be the complete file.
  private mutating func repeatEnd(
    _ outcome: Outcome, _ generator: inout some RandomNumberGenerator
  ) -> Step {
    let isSameEnd = isRepeated(outcome.report)
    lastEnd = outcome.report.held
    if case .incomplete(let reason) = outcome.ending {
      let error = PodgetError(
        .incomplete, "The server announces no length, and the audio ends too early. \(reason)")
      // A third time would bring the same. Later there may be another file.
      let interruption = Interruption.server(error, isTransient: true)
      return isSameEnd ? .fail(interruption) : retry(outcome, interruption, &generator)
    }
    defer { hasBeenUnsure = true }
    let error = PodgetError(
      .incomplete, "The server announces no length, and ends the episode elsewhere each time.")
    // Without a second look no end would ever be accepted, however few retries are allowed.
    guard hasBeenUnsure || attempt <= retries.retries || attempts >= Self.attemptLimit else {
      return .request
    }
    return retry(outcome, .server(error, isTransient: true), &generator)
  }

  private mutating func judge(
    _ outcome: Outcome, _ generator: inout some RandomNumberGenerator
  ) -> Step {
    let report = outcome.report
    if report.gained > 0 || report.hasReplaced { lastEnd = nil }
    switch report.interruption {
    case .coded:
      guard !acceptsCodings else { return .fail(.coded) }
      acceptsCodings = true
      return .request
    case .restart(let reason):
      if report.interruption?.isChange == true, routes.takeSource() { return .request }
      return restart(reason)
    case .server(_, isTransient: false) where routes.isAtSource:
      // There is no better address for an old one.
      return report.interruption.map(Step.fail) ?? .request
    case let interruption?: return retry(outcome, interruption, &generator)
    case nil:
      if report.reachedEnd { return repeatEnd(outcome, &generator) }
      // A server may send less than was requested. While it makes progress, the rest is requested
      // immediately.
      guard report.isProgress else { return retry(outcome, .short, &generator) }
      attempt = 1
      return .request
    }
  }

  private mutating func restart(_ reason: RestartReason) -> Step {
    routes.leaveSource()
    restarts += 1
    guard restarts <= 4 else { return .fail(.restart(reason)) }
    // Twice is enough: this host creates a new file for each request. Then the bytes on disk are
    // compared with the complete body in place, so nothing is lost before the new version has
    // arrived.
    rangeUse = restarts < 2 ? .notNow : .never
    announcedRestart = true
    return .restart(reason)
  }

  private mutating func retry(
    _ outcome: Outcome, _ interruption: Interruption, _ generator: inout some RandomNumberGenerator
  ) -> Step {
    if interruption.isTransient { return again(outcome, interruption, &generator) }
    var step = Step.fail(interruption)
    guard case .server(var error, _) = interruption, let status = error.httpStatus else {
      return step
    }
    if Self.mayHaveExpired(status, redirects: outcome.redirects) {
      error.circumstance = .afterRedirect
      error.remedy = .tryAgain
      step = again(outcome, .server(error, isTransient: true), &generator)
    }
    guard Self.mayHaveMoved(status), routes.takeDirectory() else { return step }
    return .findAddress(orElse: step)
  }

  private mutating func again(
    _ outcome: Outcome, _ interruption: Interruption, _ generator: inout some RandomNumberGenerator
  ) -> Step {
    // A body that ended was not interrupted: another one would be received from its beginning.
    if outcome.report.isProgress, !outcome.report.reachedEnd { attempt = 1 }
    // One that gave way to others has not failed.
    let isSlow = interruption == .network(.slow)
    guard isSlow || attempt <= retries.retries, attempts < Self.attemptLimit else {
      return .fail(interruption)
    }
    let next = attempt + 1
    if !isSlow { attempt = next }
    var delay = retries.delay(beforeAttempt: next, using: &generator)
    // It would take its place from the others again at once.
    if isSlow { delay = max(delay, slowDelay) }
    let error = interruption.error
    if let asked = outcome.retryAfter {
      guard asked <= RetryPolicy.longestRetryAfter else {
        var limited = PodgetError.rateLimited(
          for: asked, now: outcome.now, httpStatus: error?.httpStatus)
        limited.circumstance = error?.circumstance
        return .fail(.server(limited, isTransient: false))
      }
      delay = max(delay, asked)
    }
    return .wait(delay, attempt: next, reason: error?.code ?? .network)
  }

  /// Whether a status may mean that the address which a redirect led to is valid no longer. The
  /// episode's own address may lead to another one.
  private static func mayHaveExpired(_ status: Int, redirects: Int) -> Bool {
    redirects > 0 && (400..<500).contains(status) && status != 412 && status != 416
      && !RetryPolicy.isTransient(status: status)
  }

  /// Whether a status may mean that the episode has a new address.
  private static func mayHaveMoved(_ status: Int) -> Bool { [401, 403, 404, 410].contains(status) }
}
