import PodcastKit

/// The schema of `doctor`.
extension JSONSchemas {
  static let report = JSONSchema.oneOf([serverReport, feedReport])

  private static let feedReport = JSONSchema.object([
    "url": JSONSchema.string, "finalUrl": JSONSchema.optionalString,
    "canDownload": JSONSchema.bool, "error": JSONSchema.optional(error),
    "status": JSONSchema.optionalInteger, "redirects": JSONSchema.array(of: redirect),
    "tls": JSONSchema.wordsOrNull(ServerReport.TLS.allCases.map(\.rawValue)),
    "timeToHead": JSONSchema.optionalNumber, "length": JSONSchema.optionalCount,
    "contentType": JSONSchema.optionalString, "etag": JSONSchema.optionalString,
    "lastModified": JSONSchema.optionalString,
    "conditional": JSONSchema.words(FeedObservations.Repetition.allCases.map(\.rawValue)),
    "feed": JSONSchema.object([
      "format": JSONSchema.words(FeedFormat.allCases.map(\.rawValue)),
      "title": JSONSchema.string, "url": JSONSchema.optionalString,
      "newUrl": JSONSchema.optionalString, "nextPage": JSONSchema.optionalString,
      "episodes": JSONSchema.count, "unplayable": JSONSchema.count,
      "newest": JSONSchema.optionalDate, "oldest": JSONSchema.optionalDate,
      "missingGuids": JSONSchema.count, "repeatedGuids": JSONSchema.count,
      "complete": JSONSchema.bool, "blocked": JSONSchema.bool, "locked": JSONSchema.bool,
    ]),
    "advice": advice, "episode": JSONSchema.optional(episode),
    "server": JSONSchema.optional(serverReport),
  ])

  private static let serverReport = JSONSchema.object([
    "url": JSONSchema.string, "finalUrl": JSONSchema.string, "canDownload": JSONSchema.bool,
    "error": JSONSchema.optional(error), "status": JSONSchema.optionalInteger,
    "redirects": JSONSchema.array(of: redirect),
    "tls": JSONSchema.words(ServerReport.TLS.allCases.map(\.rawValue)),
    "timeToHead": JSONSchema.optionalNumber, "length": JSONSchema.optionalCount,
    "framing": JSONSchema.wordsOrNull(ServerReport.Framing.allCases.map(\.rawValue)),
    "contentType": JSONSchema.optionalString, "content": JSONSchema.optionalString,
    "contentEncoding": JSONSchema.array(of: JSONSchema.string), "etag": validator,
    "lastModified": validator,
    "ranges": JSONSchema.words(ServerReport.Ranges.allCases.map(\.rawValue)),
    "ifRange": JSONSchema.words(ServerReport.IfRange.allCases.map(\.rawValue)),
    "beyondEnd": JSONSchema.words(ServerReport.BeyondEnd.allCases.map(\.rawValue)),
    "repetition": JSONSchema.words(ServerReport.Repetition.allCases.map(\.rawValue)),
    "browser": JSONSchema.words(ServerReport.Browser.allCases.map(\.rawValue)),
    "advice": advice, "requests": JSONSchema.array(of: request),
  ])

  private static let advice = JSONSchema.array(
    of: JSONSchema.object(["code": JSONSchema.string, "message": JSONSchema.string]))

  private static let validator = JSONSchema.object([
    "value": JSONSchema.optionalString,
    "strength": JSONSchema.words(ServerReport.Strength.allCases.map(\.rawValue)),
  ])

  private static let redirect = JSONSchema.object([
    "url": JSONSchema.string, "host": JSONSchema.string, "scheme": JSONSchema.string,
    "status": JSONSchema.integer, "target": JSONSchema.string,
    "verdict": JSONSchema.words(RedirectHop.Verdict.allCases.map(\.rawValue)),
    "downgrade": JSONSchema.bool,
  ])

  private static let request = JSONSchema.object([
    "name": JSONSchema.string, "rangeStart": JSONSchema.optionalCount,
    "status": JSONSchema.optionalInteger, "contentRange": JSONSchema.optionalString,
    "etag": JSONSchema.optionalString, "url": JSONSchema.string, "bytes": JSONSchema.count,
  ])
}
