package import FoundationEssentials
package import PodcastModel
import PodcastTransfer

/// A feed as it was read before: what makes the next request for it conditional (RFC 9110, section 13).
package struct FeedVersion: Sendable {
  /// The validators that are sent.
  let sent: FeedValidators
  /// The fingerprint of the last body; nil if every body is to be read.
  let fingerprint: BodyFingerprint?

  /// A feed that was not read before: the whole of it is asked for.
  package init() { (sent, fingerprint) = (FeedValidators(), nil) }

  /// What a request for a feed sends, and what is remembered of the feed.
  init(_ request: ConditionalRequest, _ state: FeedState) {
    sent = request.sent
    fingerprint = request.knownDigest.flatMap { digest in
      state.bodyBytes.map { BodyFingerprint(sha256: digest, bytes: $0) }
    }
  }

  /// The version that the last sync read.
  ///
  /// - Parameter now: the time of day.
  package init(_ state: FeedState, at now: Date) {
    let request = ConditionalRequest(state, settingsDigest: state.settingsDigest, now: now)
    self.init(request, state)
  }

  /// The version that an answer from an address brought.
  init(_ answer: FeedCatalog.Answer, from url: FeedURL) {
    sent = FeedAnswer(answer.head, url: url, body: .none, now: Date()).validators
    fingerprint = answer.fingerprint
  }

  /// The fields of a conditional request.
  var fields: [HTTPField] {
    var fields: [HTTPField] = []
    if let etag = sent.etag { fields.append(HTTPField("If-None-Match", etag)) }
    if let date = sent.lastModified { fields.append(HTTPField("If-Modified-Since", date)) }
    return fields
  }
}

extension FeedCatalog {
  /// Reads the feed at an address, if it has changed since it was read before.
  ///
  /// - Parameters:
  ///   - url: the address.
  ///   - version: the version that is known.
  ///   - details: whether descriptions, links, transcripts and such are kept.
  ///   - isEnough: whether these episodes will do; if not, further pages are read.
  /// - Returns: the feed with its version; nil if it is as it was.
  /// - Throws: a ``PodgetError``, as ``feed(at:details:isEnough:)``.
  func feed(
    at url: FeedURL, since version: FeedVersion, details: Bool, isEnough: ([Episode]) -> Bool
  ) async throws(PodgetError) -> (feed: Feed, version: FeedVersion)? {
    if let catalog = own(for: url) {
      return try await catalog.feed(
        at: url, since: version, details: details, isEnough: isEnough)
    }
    let answer: Answer
    do throws(FetchFailure) {
      answer = try await self.answer(
        at: url, fields: version.fields, known: version.fingerprint, details: details)
    } catch {
      throw error.explained
    }
    switch try answer.content.get() {
    case .notModified, .sameBody: return nil
    case .read(.feed(let document)):
      let feed = try await completed(document, url, details: details, isEnough: isEnough)
      return (feed, FeedVersion(answer, from: url))
    case .read(.webPage):
      let feed = try await feed(at: url, details: details, isEnough: isEnough)
      return (feed, FeedVersion())
    }
  }
}
