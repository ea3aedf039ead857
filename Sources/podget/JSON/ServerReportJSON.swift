import PodcastKit

extension JSONValue {
  /// The output of `doctor`.
  init(_ report: ServerReport) {
    self = [
      "url": .string(AddressRedaction.shown(report.url)),
      "finalUrl": .string(AddressRedaction.shown(report.finalURL)),
      "canDownload": .bool(report.obstacle == nil),
      "error": report.obstacle.map { JSONValue($0.hidingQueries) } ?? .null,
      "status": .integer(report.status),
      "redirects": .array(report.redirects.map { JSONValue($0) }),
      "tls": .string(report.tls.rawValue),
      "timeToHead": report.timeToHead.map { .decimalSeconds($0) } ?? .null,
      "length": .integer(report.length),
      "framing": .string(report.framing?.rawValue),
      "contentType": .string(report.contentType),
      "content": .string(report.content?.name),
      "contentEncoding": .array(report.codings.map { .string($0) }),
      "etag": [
        "value": .string(report.etag), "strength": .string(report.etagStrength.rawValue),
      ],
      "lastModified": [
        "value": .string(report.lastModified),
        "strength": .string(report.lastModifiedStrength.rawValue),
      ],
      "ranges": .string(report.ranges.rawValue),
      "ifRange": .string(report.ifRange.rawValue),
      "beyondEnd": .string(report.beyondEnd.rawValue),
      "repetition": .string(report.repetition.rawValue),
      "browser": .string(report.browser.rawValue),
      "advice": .array(report.advice.map { JSONValue(code: $0.code, $0.sentence) }),
      "requests": .array(report.observations.requests.map { JSONValue($0.name, $0.answer) }),
    ]
  }

  /// The output of `doctor` about a feed.
  init(_ report: FeedReport) {
    let (seen, document) = (report.observations, report.document)
    self = [
      "url": .string(AddressRedaction.shown(seen.source)),
      "finalUrl": .string(seen.plain.map { AddressRedaction.shown($0.url) }),
      "canDownload": .bool(report.obstacle == nil),
      "error": report.obstacle.map { JSONValue($0.hidingQueries) } ?? .null,
      "status": .integer(seen.plain?.head?.status),
      "redirects": .array(report.redirects.map { JSONValue($0) }),
      "tls": .string(seen.plain.map { ServerReport.TLS(of: $0).rawValue }),
      "timeToHead": seen.plain?.timeToHead.map { .decimalSeconds($0) } ?? .null,
      "length": .integer(seen.bytes),
      "contentType": .string(seen.plain?.head?.first("Content-Type")),
      "etag": .string(report.etag),
      "lastModified": .string(report.lastModified),
      "conditional": .string(seen.repetition.rawValue),
      "feed": [
        "format": .string(document.format.rawValue),
        "title": .string(AddressRedaction.shown(in: document.podcast.title)),
        "url": .string(seen.url?.redacted),
        "newUrl": .string(document.newFeedURL?.redacted),
        "nextPage": .string(document.nextPage?.redacted),
        "episodes": .integer(document.episodes.count),
        "unplayable": .integer(document.unplayableCount),
        "newest": .date(report.dates?.upperBound),
        "oldest": .date(report.dates?.lowerBound),
        "missingGuids": .integer(report.missingGUIDs),
        "repeatedGuids": .integer(report.repeatedGUIDs),
        "complete": .bool(document.isComplete),
        "blocked": .bool(document.isBlocked),
        "locked": .bool(document.isLocked),
      ],
      "advice": .array(report.advice.map { JSONValue(code: $0.code, $0.sentence) }),
      "episode": seen.episode.map { episode in
        [
          "id": .integer(episode.id),
          "guid": .string(episode.guid.map { AddressRedaction.shown(in: $0) }),
          "title": .string(AddressRedaction.shown(in: episode.title)), "date": .date(episode.date),
        ]
      } ?? .null,
      "server": report.server.map { JSONValue($0) } ?? .null,
    ]
  }

  private init(code: String, _ sentence: String) {
    self = ["code": .string(code), "message": .string(AddressRedaction.shown(in: sentence))]
  }

  private init(_ hop: RedirectHop) {
    self = [
      "url": .string(AddressRedaction.shown(hop.url)), "host": .string(hop.host),
      "scheme": .string(hop.scheme), "status": .integer(hop.status),
      "target": .string(hop.redactedTarget),
      "verdict": .string(hop.verdict.rawValue),
      "downgrade": .bool(hop.isDowngrade),
    ]
  }

  private init(_ name: String, _ answer: ProbeAnswer) {
    self = [
      "name": .string(name), "rangeStart": .integer(answer.rangeStart),
      "status": .integer(answer.head?.status),
      "contentRange": .string(answer.head?.first("Content-Range")),
      "etag": .string(answer.head?.first("ETag")),
      "url": .string(AddressRedaction.shown(answer.url)),
      "bytes": .integer(answer.start.count),
    ]
  }
}

extension PodgetError {
  /// The same without the queries of addresses: people share reports.
  fileprivate var hidingQueries: PodgetError {
    PodgetError(
      code, AddressRedaction.shown(in: message), httpStatus: httpStatus, remedy: remedy)
  }
}

extension ServerObservations {
  /// The requests that were made, in order, with the names that scripts know.
  var requests: [(name: String, answer: ProbeAnswer)] {
    let all = [
      ("plain", plain), ("decoded", decoded), ("conditional", conditional),
      ("wronglyConditional", wronglyConditional),
      ("repeated", repeated), ("atHeldAddress", atHeldAddress), ("beyondEnd", beyondEnd),
      ("browser", browser),
    ]
    return all.compactMap { name, answer in answer.map { (name, $0) } }
  }
}

extension FileCheck.Verdict {
  /// The extension or the kind of text; nil if the bytes do not show it.
  var name: String? {
    switch self {
    case .media(let fileExtension): fileExtension
    case .text(let kind): kind.rawValue
    case .unknown, .tooShort: nil
    }
  }
}
