import Foundation
import TestSupport

/// A user with a library, who runs podget against one server.
struct Listener {
  let folder: TemporaryFolder
  let server: PodcastServer
  /// Variables in addition to the directory's address.
  var environment: [String: String] = [:]

  init(_ server: PodcastServer) throws {
    self.server = server
    folder = try TemporaryFolder()
  }

  /// The library's folder.
  var library: String { folder.path("library") }

  /// The podcast as a source.
  var podcast: String { String(PodcastServer.id) }

  /// Starts podget; retries follow at once, so that no test waits for them.
  func start(_ arguments: String..., input: String? = nil) throws -> RunningProcess {
    try RunningProcess(
      .podget, arguments, environment: variables, folder: folder.path, input: input)
  }

  /// Runs podget to its end.
  func run(_ arguments: String..., input: String? = nil) async throws -> RunningProcess.Result {
    let result = try await RunningProcess(
      .podget, arguments, environment: variables, folder: folder.path, input: input
    ).waitForExit()
    SchemaCheck.check(arguments, result)
    return result
  }

  /// Runs podget with a list of arguments to its end.
  func run(_ arguments: [String]) async throws -> RunningProcess.Result {
    let result = try await RunningProcess(
      .podget, arguments, environment: variables, folder: folder.path
    ).waitForExit()
    SchemaCheck.check(arguments, result)
    return result
  }

  /// Starts podget on a terminal.
  func startOnTerminal(
    _ arguments: String..., columns: Int = 80, rows: Int = 24
  ) throws -> PseudoTerminalProcess {
    try PseudoTerminalProcess(
      .podget, arguments, environment: variables, folder: folder.path, columns: columns, rows: rows)
  }

  /// podget's environment, in addition to `PATH`.
  var variables: [String: String] {
    let standard = [
      "PODGET_ITUNES_URL": server.origin, "PODGET_LIBRARY": library, "PODGET_RETRY_DELAY": "0",
      "HOME": folder.path, "LANG": "C.UTF-8",
    ]
    return standard.merging(environment) { $1 }
  }

  /// The files of the library that a person sees, relative and sorted.
  var files: [String] {
    folder.files.compactMap { path in
      guard path.hasPrefix("library/") else { return nil }
      let name = path.dropFirst("library/".count)
      return name.contains("/.") || name.hasPrefix(".") ? nil : String(name)
    }
  }

  /// The names of the unfinished downloads' files, sorted.
  var partials: [String] {
    folder.files.filter { $0.hasPrefix("library/.podget/partial/") }
      .map { String($0.split(separator: "/").last ?? "") }
  }

  /// The sizes of the part files that are there, in bytes.
  var partSizes: [Int64] {
    partials.filter { $0.hasSuffix(".part") }.compactMap { name in
      let path = folder.path("library/.podget/partial/\(name)")
      return (try? FileManager.default.attributesOfItem(atPath: path))
        .flatMap { ($0[.size] as? NSNumber)?.int64Value }
    }
  }

  /// The bytes of a file of the library.
  func read(_ name: String) throws -> [UInt8] { try folder.read("library/\(name)") }

  /// Where an episode of the server's podcast belongs.
  func path(of episode: PodcastServer.Episode) -> String {
    let day = episode.date.map { "\($0.prefix(10)) - " } ?? ""
    return "The Symbolic World/\(day)\(episode.title).mp3"
  }

  /// Whether an episode is in the library just as the server has it.
  func holds(_ episode: PodcastServer.Episode) -> Bool {
    (try? read(path(of: episode))) == episode.bytes
  }
}

/// The SHA-256 of bytes as another program computes it.
func sha256(_ bytes: [UInt8]) async throws -> String {
  let folder = try TemporaryFolder()
  let path = try folder.write("bytes", bytes)
  let result = try await RunningProcess("/usr/bin/sha256sum", [path]).waitForExit()
  return String(result.output.prefix { $0 != " " })
}
