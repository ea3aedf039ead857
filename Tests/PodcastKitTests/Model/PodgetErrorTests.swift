import Glibc
import Testing

@testable import PodcastKit
@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

@Suite("Errors") struct PodgetErrorTests {
  @Test("the codes are the contract with scripts")
  func codes() {
    #expect(
      PodgetError.Code.allCases.map(\.rawValue) == [
        "network", "timeout", "tls", "httpStatus", "redirect", "rangeProtocol", "incomplete",
        "emptyBody", "notAudio", "diskFull", "disk", "notFound", "decoding", "command",
      ])
    #expect(
      RestartReason.allCases.map(\.rawValue).sorted() == [
        "changed", "noValidator", "overlapDiffers", "rangeIgnored", "rangeProtocol",
      ])
    #expect(
      SkipReason.allCases.map(\.rawValue) == [
        "alreadyDownloaded", "inProgressElsewhere", "removed", "forgotten", "maxBytes", "keepFree",
      ])
  }

  private static let statuses = [400, 401, 403, 404, 407, 410, 429, 451, 500, 503]

  @Test("every error is one sentence")
  func sentences() {
    let errors =
      Self.statuses.map { PodgetError.httpStatus($0) }
      + FileCheck.TextKind.allCases.map { PodgetError.notAudio($0) }
      + [.emptyBody(status: 200)]
      + [ENOSPC, EDQUOT, EACCES, EROFS, EIO].map { DiskError($0, "write", "a.part").podgetError }
    for error in errors {
      #expect(error.message.last == ".")
      #expect(error.message.first?.isUppercase == true)
      #expect(!error.message.contains("\n"))
      #expect(!error.message.contains("Optional("))
    }
    #expect(Set(errors.map(\.message)).count == errors.count)
  }

  @Test("a status is named in its error", arguments: statuses)
  func status(status: Int) {
    let error = PodgetError.httpStatus(status)
    #expect(error.code == .httpStatus)
    #expect(error.httpStatus == status)
    #expect(error.message.contains(String(status)))
  }

  @Test("a full disk and a full quota differ from other errors of the disk")
  func disk() {
    #expect(DiskError(ENOSPC, "write", "x").podgetError.code == .diskFull)
    #expect(DiskError(EDQUOT, "write", "x").podgetError.code == .diskFull)
    let other = DiskError(EROFS, "write", "x.part").podgetError
    #expect(other.code == .disk)
    #expect(other.message.contains("x.part"))
  }

  @Test("a permanent failure is resumed only on request")
  func forGood() {
    let lasting: [PodgetError] = [
      .httpStatus(404), .httpStatus(410), .httpStatus(403), .notAudio(.html),
      .emptyBody(status: 200),
    ]
    let passing: [PodgetError] = [
      .httpStatus(503), .httpStatus(429), .httpStatus(408), PodgetError(.network, "x."),
      PodgetError(.timeout, "x."), PodgetError(.diskFull, "x."), PodgetError(.tls, "x."),
    ]
    #expect(lasting.map(\.isForGood) == lasting.map { _ in true })
    #expect(passing.map(\.isForGood) == passing.map { _ in false })
  }
}
