import ArgumentParser
import PodcastKit

/// `podget doctor`: what a server does, and how podget downloads from it.
struct DoctorCommand: PodgetCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Report what a server does, and how podget downloads from it.",
    usage: "podget doctor [<options>] <url>",
    discussion: """
      Requests an episode up to six times, reads at most 64 KiB of each response, and reports how \
      the server redirects, what it sends, and whether an interrupted download can continue. \
      Nothing is saved. The exit status is 0 if podget can download the episode, otherwise 1.

      With --json it writes one object; unknown values are null:
      - url, finalUrl: as requested, and after the redirects
      - canDownload: true or false; error: code, message, httpStatus
      - status: of the response to a plain request; timeToHead: seconds, connecting included
      - redirects: url, host, scheme, status, target, downgrade (from https to http), and \
      verdict: followed, refusedAsInsecure, refusedScheme, refusedAsTooMany
      - tls: verified, failed, none, unknown
      - length: bytes; framing: length, chunked, close
      - contentType: as announced; content: from the bytes, an extension or html, xml, json, plain
      - contentEncoding: the codings that were not requested
      - etag, lastModified: value, and strength: strong, weak, none
      - ranges: honoured, ignored, contradictory, refused, untested
      - ifRange: honoured, ignored, neverFulfilled, untested
      - beyondEnd, a range that begins at the end: refusedWithLength, refusedWithoutLength, \
      refusedWithOtherLength, whole, other, untested
      - repetition: same, otherValidator, otherBytes, otherLength, untested
      - browser, tried if podget is refused: served, refused, untested
      - advice: code, message; what podget will do, most important first
      - requests: name, rangeStart, status, contentRange, etag, url, bytes; of each request
      """)

  @Argument(help: "The address of an episode: http or https.")
  var url: String

  @OptionGroup(title: "Network") var network: NetworkOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    guard ServerProbe.canAsk(url) else {
      let shown = AddressRedaction.shown(url)
      throw ValidationError("\"\(shown)\" is not an address that begins with http:// or https://.")
    }
  }

  func run(in context: CommandContext) async throws -> Outcome {
    let settings = try context.settings()
    let network = try network.resolved(settings)
    let choices = try output.resolved(settings)
    let output = ListingOutput(choices, context)
    return try await output.reportingOutcome {
      let probing = Task { [url, choices] in
        try await choices.withTransport(network.session(naming: [url])) { session in
          await ServerProbe(
            transport: session, retries: network.retries,
            allowsInsecureRedirects: network.allowsInsecureRedirects
          ).observe(url)
        }
      }
      let session = Session(stop: { probing.cancel() })
      let observations = try await session.run { await probing.result }.get()
      if let status = session.interruptedWith { return Outcome(interruptedWith: status) }
      let report = ServerReport(observations)
      let text = ServerReportText(isVerbose: choices.verbose, window: output.window)
      try output.write(JSONValue(report), text: text.text(report))
      return Outcome(hasFailed: report.obstacle != nil)
    }
  }
}
