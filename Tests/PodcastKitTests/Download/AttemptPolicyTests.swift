import Foundation
import TestSupport
import Testing

@testable import PodcastKit
@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

@Suite("What follows an attempt") struct AttemptPolicyTests {
  private static let url = "https://a.example/1.mp3"
  private static let heldURL = "https://cdn.example/1.mp3"
  private static let held = HeldBytes(
    count: 200_000, total: 1_000_000, validator: Validator(etag: "\"1\""))
  private static let now = Date(timeIntervalSince1970: 1_700_000_000)

  private static func policy(
    retries: Int = 3, byOverlap: Bool = false, canFindAddress: Bool = false
  ) -> AttemptPolicy {
    var options = DownloadOptions()
    options.retries = RetryPolicy(retries: retries, baseDelay: .milliseconds(1))
    options.resumesByOverlap = byOverlap
    return AttemptPolicy(url, options, canFindAddress: canFindAddress)
  }

  private static func outcome(
    _ cause: TransferEnd.Cause = .refused, status: Int? = nil, fields: [HTTPField] = [],
    _ refusal: Interruption? = nil, reachedEnd: Bool = false, held: Int64? = nil,
    gained: Int64 = 0, repeated: Int64 = 0, hasReplaced: Bool = false,
    ending: FileEnd.Judgement = .complete, redirects: Int = 0
  ) -> AttemptPolicy.Outcome {
    let head = status.map { ResponseHead(status: $0, fields: fields) }
    return AttemptPolicy.Outcome(
      report: BodyWriter.Report(
        interruption: refusal ?? Interruption(cause), held: held ?? 200_000 + gained,
        total: 9_000_000, reachedEnd: reachedEnd,
        gained: gained, repeated: repeated, hasReplaced: hasReplaced),
      ending: ending, redirects: redirects,
      retryAfter: AttemptPolicy.retryAfter(
        of: TransferEnd(cause, head: head), redirects: redirects, now: now), now: now)
  }

  private static func refused(_ status: Int) -> Interruption {
    .server(.httpStatus(status), isTransient: RetryPolicy.isTransient(status: status))
  }

  /// The result of a step, without the delay, which is random.
  private static func name(_ step: AttemptPolicy.Step) -> String {
    switch step {
    case .request: "request"
    case .wait(_, let attempt, let reason): "wait \(attempt) \(reason.rawValue)"
    case .restart(let reason): "restart \(reason.rawValue)"
    case .findAddress(let otherwise): "find address, else \(name(otherwise))"
    case .commit: "commit"
    case .fail(let interruption): "fail \(interruption.error?.code.rawValue ?? "")"
    }
  }

  private static func next(
    _ policy: inout AttemptPolicy, _ outcome: AttemptPolicy.Outcome
  ) -> String {
    var random = SeededGenerator(seed: 1)
    return name(policy.next(after: outcome, using: &random))
  }

  /// A first attempt, and what follows it.
  private static let table: [(name: String, outcome: AttemptPolicy.Outcome, step: String)] = [
    ("every byte is there", outcome(.complete, status: 200, reachedEnd: true), "commit"),
    (
      "the audio ends too early",
      outcome(.complete, status: 200, reachedEnd: true, ending: .incomplete("It is cut.")),
      "wait 2 incomplete"
    ),
    (
      "nothing shows the end",
      outcome(.complete, status: 200, reachedEnd: true, ending: .unsure(orOther: false)),
      "wait 2 incomplete"
    ),
    ("all bytes were there", outcome(status: 416, reachedEnd: true), "commit"),
    ("a content coding", outcome(status: 200, .coded), "request"),
    ("another version", outcome(status: 206, .restart(.changed)), "restart changed"),
    (
      "a part that contradicts itself", outcome(status: 206, .restart(.rangeProtocol)),
      "restart rangeProtocol"
    ),
    ("less than was asked for, but much", outcome(.complete, gained: 1 << 20), "request"),
    ("less than was asked for, and little", outcome(.complete, gained: 9), "wait 2 incomplete"),
    ("a connection that breaks", outcome(.network("it broke")), "wait 2 network"),
    ("silence", outcome(.stalled), "wait 2 timeout"),
    ("slow while others waited", outcome(.slow), "wait 2 timeout"),
    ("a broken handshake", outcome(.handshake("it broke")), "wait 2 tls"),
    ("a certificate that is not trusted", outcome(.tls("no")), "fail tls"),
    ("compressed bytes that end too early", outcome(.truncated), "wait 2 incomplete"),
    ("compressed bytes that are none", outcome(.undecodable("no")), "fail decoding"),
    ("an address that cannot be asked", outcome(.unusable("no")), "fail network"),
    ("busy", outcome(status: 503, refused(503)), "wait 2 httpStatus"),
    ("gone", outcome(status: 410, refused(410)), "fail httpStatus"),
    (
      "a page", outcome(status: 200, .server(.notAudio(.html), isTransient: false)), "fail notAudio"
    ),
    ("a disk that fails", outcome(.refused, .disk(DiskError(5, "write", "it"))), "fail disk"),
  ]

  @Test("after a first attempt", arguments: table.indices) func first(row: Int) {
    var policy = Self.policy()
    #expect(
      Self.next(&policy, Self.table[row].outcome) == Self.table[row].step, "\(Self.table[row].name)"
    )
  }

  @Test("after a slow attempt the others come first") func slow() {
    var policy = Self.policy()
    var random = SeededGenerator(seed: 1)
    let step = policy.next(after: Self.outcome(.slow), using: &random)
    #expect(step == .wait(.seconds(300), attempt: 2, reason: .timeout))
    // It has not failed, so it is no retry, but there are not more of them than of other attempts.
    var strict = Self.policy(retries: 0)
    for _ in 1...19 { #expect(Self.next(&strict, Self.outcome(.slow)) == "wait 2 timeout") }
    #expect(Self.next(&strict, Self.outcome(.slow)) == "fail timeout")
  }

  @Test("retries are counted from the last attempt that received enough") func retries() {
    var policy = Self.policy(retries: 2)
    let broken = Self.outcome(.network("it broke"))
    #expect(Self.next(&policy, broken) == "wait 2 network")
    #expect(Self.next(&policy, broken) == "wait 3 network")
    let better = Self.outcome(.network("it broke"), gained: 1 << 20)
    #expect(Self.next(&policy, better) == "wait 2 network")
    #expect(Self.next(&policy, broken) == "wait 3 network")
    #expect(Self.next(&policy, broken) == "fail network")
  }

  /// An end that nothing shows to be the file's.
  private static func unsure(
    held: Int64? = nil, gained: Int64 = 0, repeated: Int64 = 0, hasReplaced: Bool = false,
    orOther: Bool = false
  ) -> AttemptPolicy.Outcome {
    outcome(
      .complete, status: 200, reachedEnd: true, held: held, gained: gained,
      hasReplaced: hasReplaced,
      ending: .unsure(orOther: orOther))
  }

  @Test("the same bytes that end there twice are the file") func sameEnd() {
    var policy = Self.policy()
    let first = Self.unsure(held: 9 << 20, gained: 9 << 20)
    #expect(Self.next(&policy, first) == "wait 2 incomplete")
    // A connection that breaks meanwhile says nothing about the end.
    #expect(Self.next(&policy, Self.outcome(.network("it broke"))) == "wait 3 network")
    #expect(Self.next(&policy, Self.unsure(held: 9 << 20)) == "commit")
  }

  @Test("another end is not the same one, and only some ends need no repetition")
  func otherEnd() {
    for orOther in [false, true] {
      var policy = Self.policy()
      #expect(Self.next(&policy, Self.unsure(gained: 5, orOther: orOther)) == "wait 2 incomplete")
      // It continues what ended before.
      #expect(Self.next(&policy, Self.unsure(gained: 7, orOther: orOther)) == "wait 3 incomplete")
      let other = Self.unsure(gained: 7, hasReplaced: true, orOther: orOther)
      #expect(Self.next(&policy, other) == (orOther ? "commit" : "wait 4 incomplete"))
    }
    // Bytes that were replaced since are not those that ended there.
    var policy = Self.policy()
    #expect(Self.next(&policy, Self.unsure()) == "wait 2 incomplete")
    let replaced = Self.outcome(.network("it broke"), hasReplaced: true)
    #expect(Self.next(&policy, replaced) == "wait 3 network")
    #expect(Self.next(&policy, Self.unsure()) == "wait 4 incomplete")
  }

  @Test("however few retries are allowed, an end is looked at twice; progress adds none")
  func unsureRetries() {
    var policy = Self.policy(retries: 0)
    #expect(Self.next(&policy, Self.unsure(gained: 9 << 20)) == "request")
    #expect(Self.next(&policy, Self.unsure(gained: 9 << 20)) == "fail incomplete")
  }

  @Test("an incomplete end is repeated like a broken connection, until the same one comes again")
  func incompleteEnds() {
    func short(gained: Int64) -> AttemptPolicy.Outcome {
      Self.outcome(
        .complete, status: 200, reachedEnd: true, held: 9 << 20, gained: gained,
        ending: .incomplete("It is cut."))
    }
    var policy = Self.policy(retries: 1)
    #expect(Self.next(&policy, short(gained: 9 << 20)) == "wait 2 incomplete")
    #expect(Self.next(&policy, short(gained: 9 << 20)) == "fail incomplete")
    var patient = Self.policy()
    #expect(Self.next(&patient, short(gained: 9 << 20)) == "wait 2 incomplete")
    #expect(Self.next(&patient, short(gained: 0)) == "fail incomplete")
  }

  @Test("twenty attempts are the maximum; those that bring the file further are not counted")
  func limit() {
    let further = [
      Self.outcome(.complete, gained: 64 << 10),
      Self.outcome(.network("it broke"), gained: 64 << 10, repeated: 64 << 10),
    ]
    var policy = Self.policy()
    for number in 0..<100 {
      #expect(Self.next(&policy, further[number % 2]) == ["request", "wait 2 network"][number % 2])
    }
    #expect(policy.exhaustion == nil)
    let counted = [
      // Bytes that were replaced may be replaced again, and a body that begins again brings little.
      Self.outcome(.complete, gained: 1 << 20, hasReplaced: true),
      Self.outcome(.complete, gained: 1 << 20, repeated: 2 << 20),
    ]
    for number in 0..<20 {
      #expect(policy.exhaustion == nil)
      #expect(Self.next(&policy, counted[number % 2]) == "request")
      #expect(Self.next(&policy, further[0]) == "request")
    }
    #expect(policy.exhaustion?.error?.code == .incomplete)
  }

  @Test("an attempt that is refused, or that reaches an end, is counted whatever it brings")
  func countedEnds() {
    let counted = [
      Self.unsure(gained: 9 << 20),
      Self.outcome(.refused, .restart(.rangeProtocol), gained: 9 << 20),
      Self.outcome(.network("it broke"), gained: (64 << 10) - 1),
    ]
    for outcome in counted { #expect(!outcome.report.isFree) }
  }

  @Test("a lack of descriptors is retried, another error of the disk is not")
  func shortage() {
    var policy = Self.policy(retries: 1)
    let shortage = Self.outcome(.refused, .disk(DiskError(EMFILE, "open", "it")))
    #expect(Self.next(&policy, shortage) == "wait 2 disk")
    #expect(Self.next(&policy, shortage) == "fail disk")
    var other = Self.policy()
    #expect(
      Self.next(&other, Self.outcome(.refused, .disk(DiskError(EIO, "write", "it")))) == "fail disk"
    )
  }

  @Test("a Retry-After counts, and too long a one ends the download") func retryAfter() throws {
    var random = SeededGenerator(seed: 1)
    var policy = Self.policy()
    let short = Self.outcome(
      status: 503, fields: [HTTPField("Retry-After", "7")], Self.refused(503))
    #expect(
      policy.next(after: short, using: &random)
        == .wait(.seconds(7), attempt: 2, reason: .httpStatus))
    let long = Self.outcome(
      status: 503, fields: [HTTPField("Retry-After", "301")], Self.refused(503))
    guard case .fail(let interruption) = policy.next(after: long, using: &random) else {
      Issue.record("it waits")
      return
    }
    let error = try #require(interruption.error)
    #expect(error.httpStatus == 503 && error.message.contains("2023-11-14T22:18:21Z"))
  }

  @Test("a request for the rest names the version, and overlaps the bytes on disk")
  func requests() {
    var policy = Self.policy()
    let wanted = policy.request(Self.held, hostKeepsChanging: false)
    #expect(wanted.continues && wanted.announcement == nil && wanted.request.url == Self.url)
    #expect(wanted.request.rangeStart == 134_464)
    #expect(
      wanted.request.headers == [
        HTTPField("Accept-Encoding", "identity"), HTTPField("If-Range", "\"1\""),
      ])
    // Nothing proves that the rest belongs to the bytes on disk.
    var unproven = Self.held
    unproven.validator = Validator()
    let whole = policy.request(unproven, hostKeepsChanging: false)
    #expect(!whole.continues && whole.announcement == .noValidator && whole.announcedRestart)
    #expect(whole.request.rangeStart == nil)
    var overlapping = Self.policy(byOverlap: true)
    let byOverlap = overlapping.request(unproven, hostKeepsChanging: false)
    #expect(byOverlap.continues)
    // A host that generates a new file for each request gets no range request any more.
    let warned = policy.request(Self.held, hostKeepsChanging: true)
    #expect(warned.announcement == .changed)
    let later = policy.request(Self.held, hostKeepsChanging: false)
    #expect(!later.continues)
  }

  @Test("after two restarts no range is requested, and five are too many") func restarts() {
    var policy = Self.policy()
    let changed = Self.outcome(status: 206, .restart(.rangeProtocol))
    #expect(Self.next(&policy, changed) == "restart rangeProtocol")
    let first = policy.request(Self.held, hostKeepsChanging: false)
    #expect(!first.continues && first.announcement == nil && first.announcedRestart)
    let second = policy.request(Self.held, hostKeepsChanging: false)
    #expect(second.continues)
    #expect(Self.next(&policy, changed) == "restart rangeProtocol")
    for _ in 0..<3 {
      let wanted = policy.request(Self.held, hostKeepsChanging: false)
      #expect(!wanted.continues)
    }
    #expect(Self.next(&policy, changed) == "restart rangeProtocol")
    #expect(Self.next(&policy, changed) == "restart rangeProtocol")
    #expect(Self.next(&policy, changed) == "fail rangeProtocol")
  }

  @Test("a content coding is accepted once") func codings() {
    var policy = Self.policy()
    #expect(Self.next(&policy, Self.outcome(status: 200, .coded)) == "request")
    let wanted = policy.request(HeldBytes(), hostKeepsChanging: false)
    #expect(wanted.request.acceptsCodings && wanted.request.headers.isEmpty)
    #expect(Self.next(&policy, Self.outcome(status: 200, .coded)) == "fail rangeProtocol")
  }

  @Test("if another version answers, the address of the bytes is used once")
  func heldAddress() {
    var policy = Self.policy()
    func request() -> AttemptPolicy.Request {
      policy.request(Self.held, from: Self.heldURL, hostKeepsChanging: false)
    }
    var wanted = request()
    var keepsHeld = policy.ask(Self.url, continues: wanted.continues)
    #expect(keepsHeld)
    let changed = Self.outcome(status: 200, .restart(.changed))
    #expect(!policy.showsChange(changed.report))
    #expect(Self.next(&policy, changed) == "request")
    wanted = request()
    #expect(wanted.request.url == Self.heldURL && wanted.continues)
    keepsHeld = policy.ask(Self.heldURL, continues: true)
    #expect(!keepsHeld)
    // That it is gone says nothing about the episode.
    #expect(Self.next(&policy, Self.outcome(status: 404, Self.refused(404))) == "restart changed")
    wanted = request()
    #expect(wanted.request.url == Self.url && !wanted.continues && wanted.announcement == nil)
    _ = policy.ask(Self.url, continues: true)
    #expect(policy.showsChange(changed.report))
    #expect(Self.next(&policy, changed) == "restart changed")
    wanted = request()
    #expect(wanted.request.url == Self.url)
  }

  @Test("a disk that fails at the address of the bytes fails everywhere") func heldAddressOnDisk() {
    var policy = Self.policy()
    _ = policy.request(Self.held, from: Self.heldURL, hostKeepsChanging: false)
    _ = policy.ask(Self.url, continues: true)
    #expect(Self.next(&policy, Self.outcome(status: 200, .restart(.changed))) == "request")
    #expect(
      Self.next(&policy, Self.outcome(.refused, .disk(DiskError(EIO, "write", "it"))))
        == "fail disk"
    )
  }

  @Test("the address of the bytes is not used if a redirect to it would be refused")
  func insecureHeldAddress() {
    var policy = Self.policy()
    _ = policy.request(
      Self.held, from: "http://cdn.example/1.mp3", hostKeepsChanging: false)
    let answers = [policy.ask(Self.url, continues: true), policy.redirectWasRefused()]
    #expect(answers == [false, false])
  }

  @Test("a refused address is looked up once") func findsAddress() {
    var policy = Self.policy(canFindAddress: true)
    let gone = Self.outcome(status: 404, Self.refused(404))
    #expect(Self.next(&policy, gone) == "find address, else fail httpStatus")
    let isSame = policy.move(to: Self.url)
    #expect(!isSame)
    let isNew = policy.move(to: "https://b.example/1.mp3")
    #expect(isNew)
    let wanted = policy.request(HeldBytes(), hostKeepsChanging: false)
    #expect(wanted.request.url == "https://b.example/1.mp3")
    #expect(Self.next(&policy, gone) == "fail httpStatus")
  }

  @Test("if a redirect leads to a refusal, the first address is used once more in each attempt")
  func asksAnew() {
    var policy = Self.policy()
    for _ in 1...2 {
      _ = policy.request(HeldBytes(), hostKeepsChanging: false)
      let answers = [
        policy.asksAnew(after: 403, redirects: 0), policy.asksAnew(after: 500, redirects: 1),
        policy.asksAnew(after: 429, redirects: 1), policy.asksAnew(after: 416, redirects: 1),
        policy.asksAnew(after: 403, redirects: 1), policy.asksAnew(after: 403, redirects: 1),
      ]
      #expect(answers == [false, false, false, false, true, false])
    }
  }

  @Test(
    "a refusal after a redirect is retried, and is not for good", arguments: [400, 403, 404, 410])
  func refusedAfterRedirect(status: Int) {
    var policy = Self.policy(retries: 1, canFindAddress: true)
    let refused = Self.outcome(status: status, Self.refused(status), redirects: 1)
    let isLookedUp = status != 400
    #expect(
      Self.next(&policy, refused)
        == (isLookedUp ? "find address, else wait 2 httpStatus" : "wait 2 httpStatus"))
    var random = SeededGenerator(seed: 1)
    guard case .fail(let interruption) = policy.next(after: refused, using: &random),
      let error = interruption.error
    else {
      Issue.record("It does not end.")
      return
    }
    #expect(error.circumstance == .afterRedirect && error.httpStatus == status)
    // From the episode's own address the same is final.
    #expect(
      Self.next(&policy, Self.outcome(status: status, Self.refused(status))) == "fail httpStatus")
  }

  @Test("a Retry-After of a refusal after a redirect is obeyed") func refusedWithRetryAfter() {
    var policy = Self.policy()
    func outcome(_ seconds: Int, redirects: Int) -> AttemptPolicy.Outcome {
      Self.outcome(
        status: 403, fields: [HTTPField("Retry-After", "\(seconds)")], Self.refused(403),
        redirects: redirects)
    }
    var random = SeededGenerator(seed: 1)
    let waited = policy.next(after: outcome(7, redirects: 1), using: &random)
    #expect(waited == .wait(.seconds(7), attempt: 2, reason: .httpStatus))
    guard
      case .fail(let interruption) = policy.next(after: outcome(301, redirects: 1), using: &random),
      let error = interruption.error
    else {
      Issue.record("It waits too long.")
      return
    }
    #expect(error.message.contains("rate-limited") && error.circumstance == .afterRedirect)
    #expect(outcome(7, redirects: 1).retryAfter == .seconds(7))
    #expect(outcome(7, redirects: 0).retryAfter == nil)
  }
}
