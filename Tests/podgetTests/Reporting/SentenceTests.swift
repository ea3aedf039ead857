import PodcastKit
import PodcastModel
import PodcastTransfer
import Testing

@testable import podget

/// What the command says of values that the library gives it.
@Suite("sentences") struct SentenceTests {
  @Test func `each piece of advice is one sentence`() {
    let error = PodgetError(.network, "It failed.")
    let all: [ServerAdvice] =
      [
        .cannotDownload(error), .triesAgain, .needsUserAgent, .resumes(field: "ETag"),
        .resumesAtHeldAddress, .unpacks, .failsToResume(error), .mayResumeByOverlap,
        .mayNotResumeByOverlap, .comparesItself, .variesByRequest, .validatorsVary,
        .checksEndOfAudio, .correctsExtension(found: "m4a"), .followsInsecurely, .asksForRest,
      ] + RestartReason.allCases.map { .beginsAgain($0) }
    for advice in all {
      #expect(advice.sentence.hasSuffix("."))
      #expect(!advice.sentence.contains("\n"))
    }
    #expect(Set(all.map(\.sentence)).count == all.count)
    #expect(Set(all.map(\.code)).count == 17)
  }

  @Test func `a remedy for a failure ends its sentence`() {
    let error = PodgetError(.tls, "It is not trusted.", remedy: .trustOtherCertificates)
    #expect(error.sentence == "It is not trusted; --cacert sets other certificates.")
    #expect(PodgetError(.tls, "It is not trusted.").sentence == "It is not trusted.")
    #expect(
      DiskError(28, "write", "a.part").podgetError.sentence
        == "The disk is full; make room and run podget resume.")
    #expect(
      PodgetError(.diskFull, "The disk is full.", remedy: .makeRoom).ofCommand.sentence
        == "The disk is full; make room and run it again.")
  }
}
