import Foundation
import PodcastFeeds
import PodcastKit
import TestSupport
import Testing

/// A library with two episodes of the podcast News, and the folder `public` into which it is published.
struct PublishTrial {
  let run: CommandRun
  var folder: TemporaryFolder { run.folder }

  init() throws {
    run = try CommandRun()
    try run.addFinished("One", date: "2024-03-05T12:00:00Z", podcast: "News", guid: "tag:1")
    try run.addFinished("Two", date: "2024-03-06T12:00:00Z", podcast: "News", bytes: 2000)
  }

  func arguments(_ more: [String]) -> [String] {
    ["publish", folder.path("public"), "--base-url", "https://example.org/p"] + more
  }

  func publish(
    _ more: String..., library: String = "library"
  ) async throws -> RunningProcess.Result {
    try await run.podget(arguments(more + ["--library", folder.path(library)]))
  }

  /// Publishes with the built program, whose calls can fail.
  func publish(_ more: String..., faults: String) async throws -> RunningProcess.Result {
    var environment = run.environment
    environment["LD_PRELOAD"] = try FaultLibrary.path()
    environment["PODGET_FAULTS"] = faults
    return try await RunningProcess(
      .podget, arguments(more), environment: environment
    ).waitForExit()
  }

  /// Publishes with the built program after a command of the shell.
  func publish(after command: String, to target: String) async throws -> RunningProcess.Result {
    try await RunningProcess(
      "/bin/sh",
      [
        "-c", "\(command); exec \"$0\" publish \"$1\" --base-url https://example.org/p",
        BuiltBinary.podget.path, folder.path(target),
      ], environment: run.environment
    ).waitForExit()
  }

  /// The path of the podcast's folder.
  func show() throws -> String {
    let name = try FileManager.default.contentsOfDirectory(atPath: folder.path("public")).first {
      $0.hasPrefix("news-")
    }
    return "public/\(try #require(name))"
  }

  func file(_ title: String) throws -> String {
    "\(try show())/\(CommandRun.key("News", title)).mp3"
  }

  func titles() throws -> [String] { try feed().episodes.map(\.title) }

  func guid(of title: String) throws -> String? {
    try feed().episodes.first { $0.title == title }?.guid
  }

  private func feed() throws -> FeedDocument {
    guard case .feed(let document) = try FeedReader.read(folder.read("\(try show())/feed.xml"))
    else { throw PodgetError(.decoding, "It is no feed.") }
    return document
  }

  func record() throws -> String {
    String(decoding: try folder.read("public/.podget-publish"), as: UTF8.self)
  }

  func published() throws -> [String: [UInt8]] {
    var content: [String: [UInt8]] = [:]
    for path in folder.files where path.hasPrefix("public/") {
      content[path] = try folder.read(path)
    }
    return content
  }

  func remove(_ path: String) throws {
    try FileManager.default.removeItem(atPath: folder.path(path))
  }

  func move(_ path: String, to other: String) throws {
    try FileManager.default.moveItem(atPath: folder.path(path), toPath: folder.path(other))
  }

  func createFolder(_ path: String) throws {
    try FileManager.default.createDirectory(
      atPath: folder.path(path), withIntermediateDirectories: false)
  }

  func setTime(_ path: String, _ date: Date) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: date], ofItemAtPath: folder.path(path))
  }

  func mode(_ path: String) throws -> Int {
    try #require(
      FileManager.default.attributesOfItem(atPath: folder.path(path))[.posixPermissions] as? Int)
  }

  func inode(_ path: String) throws -> UInt64 {
    var status = stat()
    try #require(lstat(folder.path(path), &status) == 0)
    return UInt64(status.st_ino)
  }
}
