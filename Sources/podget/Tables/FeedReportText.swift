import FoundationEssentials
import PodcastKit

/// The output of `doctor` about a feed for people: what the feed is, what podget will do with it, and
/// the report about the newest episode's server.
struct FeedReportText: Sendable {
  /// The text about a server.
  let servers: ServerReportText

  private var lines: ReportLines { servers.lines }

  /// The report, with a newline at its end.
  func text(_ report: FeedReport) -> String {
    var text = findings(report).map { lines.line($0.name, $0.value) }.joined() + "\n"
    text +=
      report.feedObstacle == nil
      ? "podget can read this feed.\n" : "podget cannot read all of this feed.\n"
    for advice in report.advice {
      text += lines.paragraph("-", advice.sentence, indentation: 2)
    }
    if let episode = report.observations.episode, let server = report.server {
      text += "\n" + lines.line("Newest episode", episode.title)
      text += servers.text(server)
    }
    return text
  }

  private func findings(_ report: FeedReport) -> [(name: String, value: String)] {
    let (seen, document) = (report.observations, report.document)
    var lines = [("Source", AddressRedaction.shown(seen.source))]
    if let url = seen.url, url.withoutCredentials != seen.source {
      lines.append(("Feed", url.redacted))
    }
    lines += report.redirects.map { ("Redirect", $0.text) }
    if let plain = seen.plain {
      lines += [
        ("Answer", ServerReportText.answer(plain.head?.status, plain.timeToHead)),
        ("Encryption", ServerReportText.words(ServerReport.TLS(of: plain))),
        ("Length", seen.bytes.map { "\(ByteText.size(Int64($0))) (\($0) bytes)" } ?? "not known"),
        ("Type", plain.head?.first("Content-Type") ?? "none announced"),
        ("ETag", report.etag ?? "none"), ("Last-Modified", report.lastModified ?? "none"),
        ("Asked again", Self.words(seen.repetition)),
      ]
    }
    lines += [
      ("Format", Self.name(of: document.format)), ("Podcast", document.podcast.title),
      ("Episodes", Self.episodes(report)),
    ]
    return lines
  }

  private static func episodes(_ report: FeedReport) -> String {
    guard let dates = report.dates else { return "\(report.document.episodes.count)" }
    let (oldest, newest) = (CivilDay(dates.lowerBound), CivilDay(dates.upperBound))
    return "\(report.document.episodes.count), from \(oldest) to \(newest)"
  }

  private static func name(of format: FeedFormat) -> String {
    switch format {
    case .rss: "RSS"
    case .rdf: "RSS 1.0 (RDF)"
    case .atom: "Atom"
    case .json: "JSON Feed"
    }
  }

  private static func words(_ repetition: FeedObservations.Repetition) -> String {
    switch repetition {
    case .notModified: "304, not modified"
    case .sameBytes: "sends the same bytes again"
    case .otherBytes: "sends other bytes"
    case .untested: "not tried"
    }
  }
}

extension FeedAdvice {
  /// One sentence for people.
  var sentence: String {
    switch self {
    case .cannotRead(let error): error.sentence
    case .usesWhatCame(let count):
      "podget uses the \(count == 1 ? "episode" : "\(count) episodes") before the error, and reports "
        + "the source as failed."
    case .asksConditionally:
      "podget sync asks with the stored validators: an unchanged feed costs one short answer."
    case .fetchesAgain(hasValidators: true):
      "The server ignores its own validators: each podget sync fetches the whole feed, and does not "
        + "parse it if it is unchanged."
    case .fetchesAgain(hasValidators: false):
      "The server sends neither ETag nor Last-Modified: each podget sync fetches the whole feed, and "
        + "does not parse it if it is unchanged."
    case .parsesAgain:
      "The content differs at each request: each podget sync fetches and parses the whole feed."
    case .followsRedirect(let target):
      "The redirect is permanent: podget sync moves a subscription to \(target) after two syncs, at "
        + "least 24 hours apart, that see it (from http to https of the same address at once)."
    case .followsAnnouncement(let url):
      "The feed names a new address: podget sync moves a subscription to \(url.text) when that has the "
        + "same podcast."
    case .readsPages:
      "The feed has further pages: podget reads them with --all, or when more episodes are wanted than "
        + "this page has."
    case .isComplete: "The publisher says that no more episodes will come."
    case .ignoresUnplayable(let count):
      "\(count == 1 ? "1 item has" : "\(count) items have") no media file and "
        + "\(count == 1 ? "is" : "are") ignored."
    case .identifiesByAddress(let count):
      "\(count == 1 ? "1 episode has" : "\(count) episodes have") no guid: podget recognizes "
        + "\(count == 1 ? "it" : "them") by address, title and date."
    case .distinguishesGUIDs(let count):
      "\(count == 1 ? "1 episode has" : "\(count) episodes have") the guid of another one: podget "
        + "compares title, address and date too."
    }
  }
}
