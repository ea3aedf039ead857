import PodcastLibrary
import PodcastModel
import PodcastTransfer

/// One thing that podget will do with a server, or that its user may do.
package enum ServerAdvice: Sendable, Hashable {
  /// Nothing can be downloaded.
  case cannotDownload(PodgetError)
  /// The failure may pass, so podget tries again.
  case triesAgain
  /// Another user agent gets the episode.
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
  /// An equal length and an equal overlap would let it go on all the same.
  case mayResumeByOverlap
  /// Going on by the overlap would mix versions or begin again.
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
}
