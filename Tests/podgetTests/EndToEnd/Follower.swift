import Foundation
import LoopbackServer
import TestSupport

/// A person who follows feeds of a host on loopback.
struct Follower {
  let host: FeedHost
  let folder: TemporaryFolder
  /// Variables besides the usual ones.
  var environment: [String: String] = [:]

  init(_ feeds: [String: FeedHost.Feed] = [:]) throws {
    host = try FeedHost(feeds)
    folder = try TemporaryFolder()
  }

  var library: String { folder.path("library") }

  /// All variables that podget gets.
  var variables: [String: String] {
    let standard = [
      "PODGET_ITUNES_URL": host.origin, "PODGET_LIBRARY": library, "PODGET_RETRY_DELAY": "0",
      "PODGET_RETRIES": "0", "HOME": folder.path, "LANG": "C.UTF-8", "no_proxy": "127.0.0.1",
    ]
    return standard.merging(environment) { $1 }
  }

  /// Starts podget.
  func start(_ arguments: [String], input: String? = nil) throws -> RunningProcess {
    try RunningProcess(
      .podget, arguments, environment: variables, folder: folder.path, input: input)
  }

  /// Runs podget to its end.
  func run(_ arguments: String..., input: String? = nil) async throws -> RunningProcess.Result {
    let result = try await start(arguments, input: input).waitForExit()
    SchemaCheck.check(arguments, result)
    return result
  }

  /// Follows the feed at a path of the host.
  func follow(_ path: String, _ options: String...) async throws -> RunningProcess.Result {
    try await start(["subscribe", host.origin + path] + options).waitForExit()
  }

  /// The paths of the complete episodes below the library, sorted.
  var episodes: [String] {
    folder.files.filter { $0.hasPrefix("library/") && !$0.contains("/.") }
      .map { String($0.dropFirst("library/".count)) }.sorted()
  }

  /// The file with the subscriptions.
  var file: String {
    get throws {
      String(decoding: try folder.read("library/.podget/subscriptions.opml"), as: UTF8.self)
    }
  }
}
