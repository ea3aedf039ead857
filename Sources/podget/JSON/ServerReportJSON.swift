import PodcastKit

/// What `doctor` writes.
extension JSONForms {
  /// The report about an episode's server.
  static let serverReport = JSONForm<ServerReport> {
    JSONMember("url", shown, \.url)
    JSONMember("finalUrl", shown, \.finalURL)
    JSONMember("canDownload", .flag) { $0.obstacle == nil }
    JSONMember("error", error, \.obstacle?.hidingQueries)
    JSONMember("status", .integer, \.status)
    JSONMember("redirects", redirect.list, \.redirects)
    JSONMember("tls", .word, \.tls)
    JSONMember("timeToHead", .decimalSeconds, \.timeToHead)
    JSONMember("length", .count, \.length)
    JSONMember("framing", .word, \.framing)
    JSONMember("contentType", .string, \.contentType)
    JSONMember("content", .string, \.content?.name)
    JSONMember("contentEncoding", JSONForm.string.list, \.codings)
    JSONMember("etag", validator) { ($0.etag, $0.etagStrength) }
    JSONMember("lastModified", validator) { ($0.lastModified, $0.lastModifiedStrength) }
    JSONMember("ranges", .word, \.ranges)
    JSONMember("ifRange", .word, \.ifRange)
    JSONMember("beyondEnd", .word, \.beyondEnd)
    JSONMember("repetition", .word, \.repetition)
    JSONMember("browser", .word, \.browser)
    JSONMember("advice", advice.list) { $0.advice.map { ($0.code, $0.sentence) } }
    JSONMember("requests", request.list, \.observations.requests)
  }

  /// The report about a feed.
  static let feedReport = JSONForm<FeedReport> {
    JSONMember("url", shown, \.observations.source)
    JSONMember("finalUrl", shown, \.observations.plain?.url)
    JSONMember("canDownload", .flag) { $0.obstacle == nil }
    JSONMember("error", error, \.obstacle?.hidingQueries)
    JSONMember("status", .integer, \.observations.plain?.head?.status)
    JSONMember("redirects", redirect.list, \.redirects)
    JSONMember("tls", .word) { $0.observations.plain.map { ServerReport.TLS(of: $0) } }
    JSONMember("timeToHead", .decimalSeconds, \.observations.plain?.timeToHead)
    JSONMember("length", .count, \.observations.bytes)
    JSONMember("contentType", .string) { $0.observations.plain?.head?.first("Content-Type") }
    JSONMember("etag", .string, \.etag)
    JSONMember("lastModified", .string, \.lastModified)
    JSONMember("conditional", .word, \.observations.repetition)
    JSONMember("feed", feedDocument, \.self)
    JSONMember("advice", advice.list) { $0.advice.map { ($0.code, $0.sentence) } }
    JSONMember("episode", shownEpisode, \.observations.episode)
    JSONMember("server", serverReport, \.server)
  }

  private static let feedDocument = JSONForm<FeedReport> {
    JSONMember("format", .word, \.document.format)
    JSONMember("title", shownText, \.document.podcast.title)
    JSONMember("url", .string, \.observations.url?.redacted)
    JSONMember("newUrl", .string, \.document.newFeedURL?.redacted)
    JSONMember("nextPage", .string, \.document.nextPage?.redacted)
    JSONMember("episodes", .count, \.document.episodes.count)
    JSONMember("unplayable", .count, \.document.unplayableCount)
    JSONMember("newest", .date, \.dates?.upperBound)
    JSONMember("oldest", .date, \.dates?.lowerBound)
    JSONMember("missingGuids", .count, \.missingGUIDs)
    JSONMember("repeatedGuids", .count, \.repeatedGUIDs)
    JSONMember("complete", .flag, \.document.isComplete)
    JSONMember("blocked", .flag, \.document.isBlocked)
    JSONMember("locked", .flag, \.document.isLocked)
  }

  private static let shownEpisode = JSONForm<Episode> {
    JSONMember("id", .integer, \.id)
    JSONMember("guid", shownText, \.guid)
    JSONMember("title", shownText, \.title)
    JSONMember("date", .date, \.date)
  }

  private static let validator = JSONForm<(value: String?, strength: ServerReport.Strength)> {
    JSONMember("value", .string) { $0.value }
    JSONMember("strength", .word) { $0.strength }
  }

  private static let advice = JSONForm<(code: String, sentence: String)> {
    JSONMember("code", .string) { $0.code }
    JSONMember("message", shownText) { $0.sentence }
  }

  private static let redirect = JSONForm<RedirectHop> {
    JSONMember("url", shown, \.url)
    JSONMember("host", .string, \.host)
    JSONMember("scheme", .string, \.scheme)
    JSONMember("status", .integer, \.status)
    JSONMember("target", .string, \.redactedTarget)
    JSONMember("verdict", .word, \.verdict)
    JSONMember("downgrade", .flag, \.isDowngrade)
  }

  private static let request = JSONForm<(name: String, answer: ProbeAnswer)> {
    JSONMember("name", .string) { $0.name }
    JSONMember("rangeStart", .count) { $0.answer.rangeStart }
    JSONMember("status", .integer) { $0.answer.head?.status }
    JSONMember("contentRange", .string) { $0.answer.head?.first("Content-Range") }
    JSONMember("etag", .string) { $0.answer.head?.first("ETag") }
    JSONMember("url", shown) { $0.answer.url }
    JSONMember("bytes", .count) { $0.answer.start.count }
  }

  /// An address as people may share it.
  private static let shown = JSONForm<String>(schema: JSONSchema.string) {
    .string(AddressRedaction.shown($0))
  }

  /// A text whose addresses are as people may share them.
  private static let shownText = JSONForm<String>(schema: JSONSchema.string) {
    .string(AddressRedaction.shown(in: $0))
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
