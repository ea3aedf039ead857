import PodcastKit

extension ServerAdvice {
  /// One sentence for people.
  var sentence: String {
    switch self {
    case .cannotDownload(let error): error.sentence
    case .triesAgain: "This may be temporary: podget retries it, up to --retries times."
    case .needsUserAgent:
      "A browser gets the episode from the same address: set a browser's name with --user-agent."
    case .resumes(let field):
      "An interrupted download resumes: podget asks for the rest with If-Range and the \(field), and "
        + "compares the last 64 KiB."
    case .resumesAtHeldAddress:
      "The redirects lead to a different file each time. An interrupted download resumes at the "
        + "address that its bytes came from, as long as that address works."
    case .beginsAgain(let reason):
      "An interrupted download restarts (\(reason.rawValue)): \(Self.sentence(reason))."
    case .unpacks:
      "The server compresses the file although podget asked it not to. podget decompresses it, and "
        + "an interrupted download restarts."
    case .failsToResume(let error):
      "An interrupted download cannot be resumed: \(error.sentence)"
    case .mayResumeByOverlap:
      "With --resume-by-overlap it resumes if the length and 64 KiB of overlap are equal, as they "
        + "are now. This does not prove that the rest is the same."
    case .mayNotResumeByOverlap:
      "--resume-by-overlap does not help: the answers differ from each other."
    case .comparesItself:
      "The server ignores If-Range, so podget detects another version by its length, its validators "
        + "and 64 KiB of overlap."
    case .variesByRequest:
      "Each request gets a different file, perhaps with different advertisements. Only an attempt "
        + "without interruption works, so use few --jobs and a long --stall-timeout."
    case .validatorsVary:
      "The same bytes have different validators from request to request, as from the servers of a "
        + "content network, so an interrupted download may restart (changed)."
    case .checksEndOfAudio:
      "Only the end of the connection marks the end of the file, so podget accepts the file if its "
        + "length is the feed's, if the audio shows its end, or if the same bytes end there twice."
    case .correctsExtension(let found):
      "The file gets the extension \(found) from its content, not from the announced type."
    case .followsInsecurely:
      "A redirect leads from https to plain http, where anyone on the network can change the file. "
        + "podget follows it only with --allow-insecure-redirects."
    case .asksForRest:
      "The answer ended early. podget asks for the rest, up to --retries times."
    }
  }

  private static func sentence(_ reason: RestartReason) -> String {
    switch reason {
    case .changed: "each request gets a different version"
    case .noValidator:
      "the server sends neither a strong ETag nor a date that identifies the version"
    case .rangeProtocol: "the server's range answers are contradictory"
    case .rangeIgnored: "the server ignores ranges and sends the whole file"
    case .overlapDiffers: "the same range has different bytes at each request"
    }
  }
}
