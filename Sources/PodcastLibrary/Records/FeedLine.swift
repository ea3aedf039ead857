import FoundationEssentials
package import PodcastModel

/// A line of `feeds.ndjson`: the state of one feed, or only that it was checked again.
///
/// The file is podget's own memory, but anybody who can write into the library can change it, so
/// nothing in it is trusted: what podget never writes is refused.
package struct FeedLine: RecordLine {
  package static let currentVersion = 1

  package var version = Self.currentVersion
  /// The address first subscribed, which identifies the feed.
  package let feed: String
  /// The whole state; nil in a line that only says when the feed was checked.
  private let state: StoredFeedState?
  private let lastChecked: String?
  private let nextCheck: String?
  private let quietChecks: Int?

  /// A line with a state.
  package init(_ feed: String, _ state: FeedState) {
    self.feed = feed
    self.state = StoredFeedState(state)
    lastChecked = nil
    nextCheck = nil
    quietChecks = nil
  }

  /// A line that says only when the feed was checked, how often it was quiet, and when it is checked
  /// next. All else is as before.
  package init(_ feed: String, checked state: FeedState) {
    self.feed = feed
    self.state = nil
    lastChecked = state.lastChecked?.timestamp
    nextCheck = state.nextCheck?.timestamp
    quietChecks = state.quietChecks == 0 ? nil : state.quietChecks
  }

  /// Changes a state as the line says.
  package func apply(to state: inout FeedState) {
    if let stored = self.state {
      state = stored.state
    } else {
      state.lastChecked = lastChecked.flatMap { Date(timestamp: $0) } ?? state.lastChecked
      state.nextCheck = nextCheck.flatMap { Date(timestamp: $0) }
      state.quietChecks = max(0, quietChecks ?? 0)
    }
  }
}

extension FeedLine {
  package init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    version = try members.decodeIfPresent(Int.self, forKey: .version) ?? 1
    feed = try members.decode(String.self, forKey: .feed)
    state = try members.decodeIfPresent(StoredFeedState.self, forKey: .state)
    lastChecked = try members.decodeIfPresent(String.self, forKey: .lastChecked)
    nextCheck = try members.decodeIfPresent(String.self, forKey: .nextCheck)
    quietChecks = try members.decodeIfPresent(Int.self, forKey: .quietChecks)
  }
}

/// A feed's state as the file stores it. Dates are RFC 3339 in UTC, durations seconds; unset values
/// are left out.
private struct StoredFeedState: Codable, Sendable {
  struct Failure: Codable, Sendable {
    var code: PodgetError.Code
    var message: String
    var httpStatus: Int?
  }

  var etag: String?
  var lastModified: String?
  var validatorsSince: String?
  var validatorUse: String?
  var validatorUseSince: String?
  var equalBodies: Int?
  var body: String?
  var bodyBytes: Int?
  var settings: String?
  var needsFullAnswer: Bool?
  /// The keys, 8 bytes each with the most significant one first, in Base64.
  var keys: String?
  /// What else is known of their episodes, 8 bytes each, in the same way.
  var signs: String?
  /// The days on which they were listed last, 2 bytes each, in the same way; with the highest bit
  /// for those that wait.
  var days: String?
  var waiting: Int?
  var newest: String?
  var rhythm: Double?
  var isComplete: Bool?
  var ttl: Double?
  var maxAge: Double?
  var lastChecked: String?
  var lastRead: String?
  var lastNew: String?
  var quietChecks: Int?
  var failures: Int?
  var error: Failure?
  var failingSince: String?
  var failureReported: String?
  var notBefore: String?
  var deferredOrigin: String?
  var nextCheck: String?
  var moveTo: String?
  var moveSeen: String?
  var announced: String?
  var announcedAsked: String?
  var moveWaiting: String?
  var goneSince: String?
  var isGone: Bool?

  init(_ state: FeedState) {
    etag = state.validators.etag
    lastModified = state.validators.lastModified
    validatorsSince = state.validatorsSince?.timestamp
    validatorUse = state.validatorUse == .both ? nil : state.validatorUse.rawValue
    validatorUseSince = state.validatorUseSince?.timestamp
    equalBodies = state.equalBodies == 0 ? nil : state.equalBodies
    body = state.bodyDigest
    bodyBytes = state.bodyBytes
    settings = state.settingsDigest
    needsFullAnswer = state.needsFullAnswer ? true : nil
    keys = Self.text(state.listed.keys.map(\.value))
    signs = Self.text(state.listed.signs.map(\.value))
    days = Self.text(state.listed.days)
    waiting = state.waiting == 0 ? nil : state.waiting
    newest = state.newest?.timestamp
    rhythm = state.rhythm.map { $0 / .seconds(1) }
    isComplete = state.isComplete ? true : nil
    ttl = state.ttl.map { $0 / .seconds(1) }
    maxAge = state.maxAge.map { $0 / .seconds(1) }
    lastChecked = state.lastChecked?.timestamp
    lastRead = state.lastRead?.timestamp
    lastNew = state.lastNew?.timestamp
    quietChecks = state.quietChecks == 0 ? nil : state.quietChecks
    failures = state.failures == 0 ? nil : state.failures
    error = state.lastError.map {
      Failure(code: $0.code, message: $0.message, httpStatus: $0.httpStatus)
    }
    failingSince = state.failingSince?.timestamp
    failureReported = state.failureReported?.timestamp
    notBefore = state.notBefore?.timestamp
    deferredOrigin = state.deferredOrigin
    nextCheck = state.nextCheck?.timestamp
    moveTo = state.move?.address.text
    moveSeen = state.move?.firstSeen.timestamp
    announced = state.announcement?.address.text
    announcedAsked = state.announcement?.lastAsked?.timestamp
    moveWaiting = state.waitingMove?.text
    goneSince = state.goneSince?.timestamp
    isGone = state.isGone ? true : nil
  }

  var state: FeedState {
    var state = FeedState()
    state.validators = FeedValidators(etag: etag, lastModified: lastModified)
    state.validatorsSince = Self.date(validatorsSince)
    state.validatorUse = validatorUse.flatMap(ValidatorUse.init) ?? .both
    state.validatorUseSince = Self.date(validatorUseSince)
    state.equalBodies = max(0, equalBodies ?? 0)
    state.bodyDigest = body
    state.bodyBytes = bodyBytes
    state.settingsDigest = settings
    state.needsFullAnswer = needsFullAnswer ?? false
    // Earlier versions stored keys alone.
    state.listed = ListedMemory(
      keys: Self.integers(keys).map { ListedKey(value: $0) },
      signs: Self.integers(signs).map { ListedSigns(value: $0) }, days: Self.integers(days),
      otherwise: Self.date(lastRead) ?? Self.date(lastChecked))
    state.waiting = min(max(0, waiting ?? 0), ListedMemory.mostListed)
    state.newest = Self.date(newest)
    state.rhythm = Self.duration(rhythm)
    state.isComplete = isComplete ?? false
    state.ttl = Self.duration(ttl)
    state.maxAge = Self.duration(maxAge)
    state.lastChecked = Self.date(lastChecked)
    state.lastRead = Self.date(lastRead)
    state.lastNew = Self.date(lastNew)
    state.quietChecks = max(0, quietChecks ?? 0)
    state.failures = max(0, failures ?? 0)
    state.lastError = error.map { PodgetError($0.code, $0.message, httpStatus: $0.httpStatus) }
    state.failingSince = Self.date(failingSince)
    state.failureReported = Self.date(failureReported)
    state.notBefore = Self.date(notBefore)
    state.deferredOrigin = deferredOrigin
    state.nextCheck = Self.date(nextCheck)
    if let address = moveTo.flatMap(FeedURL.init), let seen = Self.date(moveSeen) {
      state.move = FeedState.MoveNote(address: address, firstSeen: seen)
    }
    if let address = announced.flatMap(FeedURL.init) {
      state.announcement = FeedState.Announcement(
        address: address, lastAsked: Self.date(announcedAsked))
    }
    state.waitingMove = moveWaiting.flatMap(FeedURL.init)
    state.goneSince = Self.date(goneSince)
    state.isGone = isGone ?? false
    return state
  }

  private static func date(_ text: String?) -> Date? { text.flatMap { Date(timestamp: $0) } }

  /// A number of seconds that a server or a file may have; anything else is none.
  private static func duration(_ seconds: Double?) -> Duration? {
    seconds.flatMap { (0...1e10).contains($0) ? .seconds($0) : nil }
  }

  private static func text<Integer: FixedWidthInteger>(_ integers: [Integer]) -> String? {
    guard !integers.isEmpty else { return nil }
    var bytes = Data(capacity: Integer.bitWidth / 8 * integers.count)
    for integer in integers {
      withUnsafeBytes(of: integer.bigEndian) { bytes.append(contentsOf: $0) }
    }
    return bytes.base64EncodedString()
  }

  private static func integers<Integer: FixedWidthInteger>(_ text: String?) -> [Integer] {
    let size = Integer.bitWidth / 8
    guard let text, let bytes = Data(base64Encoded: text), bytes.count % size == 0 else {
      return []
    }
    return bytes.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count, by: size).map { place in
        Integer(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: Integer.self))
      }
    }
  }
}
