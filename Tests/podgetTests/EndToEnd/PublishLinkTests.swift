import Foundation
import PodcastTransfer
import TestSupport
import Testing

/// What `publish` does with episodes that are symbolic links in the library.
@Suite("Publishing episodes that are links") struct PublishLinkTests {
  private static let records = "library/News/.podget.ndjson"
  /// What only its user can read: no text, and no media. It has the length on record.
  private static let secret: [UInt8] =
    [0x03, 0xD9, 0xA2, 0x9A] + [UInt8](repeating: 0xAB, count: 1996)
  private let trial: PublishTrial
  private var folder: TemporaryFolder { trial.folder }
  private var path: String { folder.path("library/News/Two.mp3") }

  init() throws {
    trial = try PublishTrial()
    try trial.remove("library/News/Two.mp3")
    try folder.write("secret.kdbx", Self.secret)
    try FileManager.default.createSymbolicLink(
      atPath: path, withDestinationPath: folder.path("secret.kdbx"))
  }

  /// Replaces the checksums on record.
  private func record(_ member: String) throws {
    let text = String(decoding: try folder.read(Self.records), as: UTF8.self)
    let changed = text.replacing("\"sha256\":\"ab12\"", with: member)
    try #require(changed != text)
    try folder.write(Self.records, changed)
  }

  private func publish(_ option: String) async throws -> RunningProcess.Result {
    try await trial.publish(option)
  }

  private func isPublished() throws -> Bool {
    try trial.published().values.contains(Self.secret)
  }

  @Test(arguments: ["--index", "--copy"])
  func `a link to another file than the recorded one is not published`(option: String)
    async throws
  {
    let result = try await publish(option)
    #expect(result.status == .exited(1))
    #expect(
      result.error.contains(
        "Cannot publish \(path): it is a link to another file than the recorded one"),
      "\(result.error)")
    #expect(try trial.titles() == ["One"])
    #expect(try !isPublished())
  }

  @Test(arguments: ["--index", "--copy"])
  func `a link of which no checksum is on record is not published`(option: String) async throws {
    try record("\"other\":\"\"")
    let result = try await publish(option)
    #expect(result.status == .exited(1))
    #expect(
      result.error.contains(
        "Cannot publish \(path): it is a link, and no checksum of its file is on record"),
      "\(result.error)")
    #expect(try trial.titles() == ["One"])
    #expect(try !isPublished())
  }

  @Test(arguments: ["--index", "--copy"])
  func `a link to the recorded file is published`(option: String) async throws {
    var digest = SHA2Digest()
    Self.secret.withUnsafeBytes { digest.add($0) }
    let sum = digest.finish() ?? ""
    try record("\"sha256\":\"\(sum)\"")
    let result = try await publish(option)
    #expect(result.status == .exited(0), "\(result.error)")
    #expect(try trial.titles() == ["Two", "One"])
    #expect(try isPublished())
    #expect(try await publish(option).error.contains("0 files written"))
  }
}
