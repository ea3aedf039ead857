import PodcastLibrary
import PodcastModel
import PodcastTransfer

/// One thing that podget will do with a server, or that its user may do.
package enum ServerAdvice: Sendable, Hashable {
  /// Nothing can be downloaded.
  case cannotDownload(PodgetError)
  /// The failure may pass, so podget tries again.
  case triesAgain
  /// Another name, by `--user-agent`, gets the episode.
  case needsUserAgent
  /// A download that was cut goes on where it ended; the field is the condition that it sends.
  case resumes(field: String)
  /// The address leads to another file each time, and a download that was cut goes on at the one
  /// that its bytes came from.
  case resumesAtHeldAddress
  /// A download that was cut begins again.
  case beginsAgain(RestartReason)
  /// What comes compressed is unpacked; it cannot be continued.
  case unpacks
  /// A request to go on is refused with an error.
  case failsToResume(PodgetError)
  /// `--resume-by-overlap` would let it go on all the same.
  case mayResumeByOverlap
  /// `--resume-by-overlap` would mix versions or begin again.
  case mayNotResumeByOverlap
  /// The condition has no effect, so podget compares length, validators and bytes itself.
  case comparesItself
  /// Each request brings another file, so a break costs everything.
  case variesByRequest
  /// The same bytes come under other validators, so a download that was cut may begin again.
  case validatorsVary
  /// Only the audio's own structure can show that all of it has come.
  case checksEndOfAudio
  /// The bytes call for another extension than the type that the server announces.
  case correctsExtension(found: String)
  /// A redirect led from https to http, with leave.
  case followsInsecurely
  /// The answer broke off, and podget will ask for the rest.
  case asksForRest
}

extension ServerReport {
  /// What podget will therefore do, the most important first.
  package var advice: [ServerAdvice] {
    if let obstacle {
      var advice = [ServerAdvice.cannotDownload(obstacle)]
      if browser == .served { advice.append(.needsUserAgent) }
      if observations.whole.isObstacleTransient { advice.append(.triesAgain) }
      return advice
    }
    var advice = [resumption].compactMap { $0 }
    if advice == [.beginsAgain(.noValidator)], ranges == .honoured {
      switch repetition {
      case .same where plain.total != nil: advice.append(.mayResumeByOverlap)
      case .otherBytes, .otherLength, .otherValidator: advice.append(.mayNotResumeByOverlap)
      case .same, .untested: break
      }
    }
    if ifRange == .ignored, condition != nil { advice.append(.comparesItself) }
    switch repetition {
    case _ where advice.first == .resumesAtHeldAddress: break
    case .otherBytes, .otherLength: advice.append(.variesByRequest)
    case .otherValidator: advice.append(.validatorsVary)
    case .same, .untested: break
    }
    if framing == .close { advice.append(.checksEndOfAudio) }
    if observations.whole.end.cause.isTransient { advice.append(.asksForRest) }
    if case .media(let found) = content, let announced = announcedExtension,
      FileCheck.fileExtension(found: found, announced: announced) != announced
    {
      advice.append(.correctsExtension(found: found))
    }
    if redirects.contains(where: \.isDowngrade) { advice.append(.followsInsecurely) }
    return advice
  }

  /// Whether a download would go back to the address that its bytes came from.
  var mayResumeAtHeldAddress: Bool {
    guard let url = observations.conditional?.url, url != plain.url else { return false }
    return [.beginsAgain(.changed), .beginsAgain(.overlapDiffers)].contains(resumption)
  }

  /// What happens to a download that is cut at the middle, by the rules of a real one; nil where no
  /// answer tells.
  private var resumption: ServerAdvice? {
    if let answer = observations.atHeldAddress, case .part = verdict(on: answer) {
      return .resumesAtHeldAddress
    }
    if plain.isCoded { return .unpacks }
    guard let condition else { return .beginsAgain(.noValidator) }
    guard let answer = observations.conditional, let verdict = verdict(on: answer) else {
      return nil
    }
    switch verdict {
    case .part:
      if repetition == .otherLength { return .beginsAgain(.changed) }
      if repetition == .otherBytes { return .beginsAgain(.overlapDiffers) }
      return .resumes(field: condition == etag ? "ETag" : "Last-Modified")
    case .whole(_, let reason): return .beginsAgain(reason ?? .rangeIgnored)
    case .restart(let reason): return .beginsAgain(reason)
    case .coded: return .unpacks
    case .failed(let error, _): return .failsToResume(error)
    case .complete: return nil
    }
  }

  private var announcedExtension: String? { contentType.flatMap(FileExtension.forMediaType) }
}

extension ServerAdvice {
  /// The name by which scripts know it.
  package var code: String {
    switch self {
    case .cannotDownload: "cannotDownload"
    case .triesAgain: "triesAgain"
    case .needsUserAgent: "needsUserAgent"
    case .resumes: "resumes"
    case .resumesAtHeldAddress: "resumesAtHeldAddress"
    case .beginsAgain: "beginsAgain"
    case .unpacks: "unpacks"
    case .failsToResume: "failsToResume"
    case .mayResumeByOverlap: "mayResumeByOverlap"
    case .mayNotResumeByOverlap: "mayNotResumeByOverlap"
    case .comparesItself: "comparesItself"
    case .variesByRequest: "variesByRequest"
    case .validatorsVary: "validatorsVary"
    case .checksEndOfAudio: "checksEndOfAudio"
    case .correctsExtension: "correctsExtension"
    case .followsInsecurely: "followsInsecurely"
    case .asksForRest: "asksForRest"
    }
  }

  /// One sentence for people.
  package var message: String {
    switch self {
    case .cannotDownload(let error): error.message
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
      "An interrupted download cannot be resumed: \(error.message)"
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
      "The same bytes have different validators from request to request, as from the nodes of a "
        + "content network, so an interrupted download may restart (changed)."
    case .checksEndOfAudio:
      "Only the end of the connection marks the end of the file, so podget accepts the file if its "
        + "length is the feed's or the audio is complete."
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
