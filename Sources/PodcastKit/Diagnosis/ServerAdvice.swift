import PodcastLibrary
import PodcastModel
import PodcastTransfer

/// One thing that podget does with a server, or that the user may do.
package enum ServerAdvice: Sendable, Hashable {
  /// Nothing can be downloaded.
  case cannotDownload(PodgetError)
  /// The failure may be temporary, so podget retries.
  case triesAgain
  /// Another user agent gets the episode.
  case needsUserAgent
  /// An interrupted download continues where it ended; the field is the condition that it sends.
  case resumes(field: String)
  /// The address leads to a different file each time, and an interrupted download continues at the
  /// address that its bytes came from.
  case resumesAtHeldAddress
  /// An interrupted download restarts.
  case beginsAgain(RestartReason)
  /// A compressed body is decompressed; it cannot be continued.
  case unpacks
  /// A request for the rest is refused with an error.
  case failsToResume(PodgetError)
  /// With --resume-by-overlap it could continue: the length and the overlap are equal.
  case mayResumeByOverlap
  /// Continuing by the overlap would mix versions or restart.
  case mayNotResumeByOverlap
  /// The condition has no effect, so podget compares length, validators and bytes itself.
  case comparesItself
  /// Each request gets a different file, so an interruption loses everything.
  case variesByRequest
  /// The same bytes have different validators, so an interrupted download may restart.
  case validatorsVary
  /// Only the structure of the audio can show that it is complete.
  case checksEndOfAudio
  /// The bytes need another extension than the announced type.
  case correctsExtension(found: String)
  /// A redirect led from https to http, which is allowed.
  case followsInsecurely
  /// The answer ended early, and podget will ask for the rest.
  case asksForRest
}

extension ServerReport {
  /// What podget will do, most important first.
  package var advice: [ServerAdvice] {
    if let obstacle {
      var advice = [ServerAdvice.cannotDownload(obstacle)]
      if browser == .served { advice.append(.needsUserAgent) }
      if observations.whole.isObstacleTransient { advice.append(.triesAgain) }
      return advice
    }
    var advice = [resumption].compactMap { $0 }
    if advice == [.beginsAgain(.noValidator)], ranges == .honored {
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

  /// Whether a download would return to the address that its bytes came from.
  var mayResumeAtHeldAddress: Bool {
    guard let url = observations.conditional?.url, url != plain.url else { return false }
    return [.beginsAgain(.changed), .beginsAgain(.overlapDiffers)].contains(resumption)
  }

  /// What happens to a download that is interrupted in the middle, by the rules of a real download;
  /// nil if no answer shows it.
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
    case .refused(.restart(let reason)): return .beginsAgain(reason)
    case .refused(.coded): return .unpacks
    case .refused(let interruption): return interruption.error.map { .failsToResume($0) }
    case .complete: return nil
    }
  }

  private var announcedExtension: String? { contentType.flatMap(FileExtension.forMediaType) }
}

extension ServerAdvice {
  /// The name that scripts use.
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
}
