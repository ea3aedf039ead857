import Foundation
import LoopbackServer
import TestSupport

/// Runs podget against a directory on this machine and a library of its own.
struct CommandRun {
  /// The library's folder; not made before something is in it.
  let folder: TemporaryFolder
  /// Variables in addition to those that every run has.
  var more: [String: String] = [:]
  private let server: LoopbackServer

  /// Starts a directory that sends only this response.
  init(answer: [UInt8], status: Int = 200) throws {
    folder = try TemporaryFolder()
    server = try LoopbackServer { _, connection in
      connection.respond(status: status, body: answer)
    }
  }

  /// Starts a directory that knows the podcast of the fixtures.
  init() throws {
    // All episodes of the podcast are listed, so that podget does not request its real feed.
    let answer = String(decoding: try Fixtures.data("Lookup.json"), as: UTF8.self)
    try self.init(
      answer: Array(answer.replacing("\"trackCount\": 275", with: "\"trackCount\": 5").utf8))
  }

  /// What the directory was asked.
  var requests: [Request] { server.log.map(\.request) }

  /// The environment in which podget runs.
  var environment: [String: String] {
    [
      "PODGET_ITUNES_URL": server.origin, "PODGET_LIBRARY": folder.path("library"),
      "PODGET_RETRIES": "0", "no_proxy": "127.0.0.1", "LANG": "C.UTF-8",
    ].merging(more) { $1 }
  }

  /// Runs podget to its end.
  func podget(_ arguments: [String], input: String? = nil) async throws -> RunningProcess.Result {
    await InProcess(environment: environment, input: input ?? "").run(arguments)
  }

  /// Runs the built program to its end.
  func program(_ arguments: [String]) async throws -> RunningProcess.Result {
    let result = try await RunningProcess(
      .podget, arguments, environment: environment
    ).waitForExit()
    SchemaCheck.check(arguments, result)
    return result
  }

  /// What a window of this width shows once podget has ended.
  func screen(_ arguments: [String], columns: Int) async throws -> String {
    await InProcess(environment: environment).screen(arguments, columns: columns)
  }

  /// A key as podget generates it, always the same.
  static func key(_ podcast: String, _ title: String) -> String {
    ["", "second"].map { half in
      let number = "\(podcast)/\(title)\(half)".utf8.reduce(UInt64(0xCBF2_9CE4_8422_2325)) {
        ($0 ^ UInt64($1)) &* 0x100_0000_01B3
      }
      let digits = String(number, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// Adds an episode to the library as a finished download does: a line, and the file unless
  /// it is missing.
  func addFinished(
    _ title: String, date: String?, podcast: String = "The Symbolic World", id: Int? = nil,
    guid: String? = nil, bytes: Int = 1000, isMissing: Bool = false
  ) throws {
    let records = "library/\(podcast)/.podget.ndjson"
    let line: [String: Any?] = [
      "fact": "finished", "version": 1, "key": Self.key(podcast, title),
      "podcast": ["id": podcast == "The Symbolic World" ? 1_386_867_488 : nil, "title": podcast]
        .compactMapValues { $0 as Any? },
      "episode": [
        "id": id, "guid": guid, "title": title, "date": date, "duration": 90,
        "url": "https://example.org/\(podcast)/\(title)",
      ].compactMapValues { $0 as Any? },
      "file": "\(title).mp3", "bytes": bytes, "sha256": "ab12",
      "downloadedAt": "2024-03-01T10:00:00Z",
    ]
    let before = folder.contains(records) ? try folder.read(records) : []
    let data = try JSONSerialization.data(withJSONObject: line.compactMapValues { $0 })
    try folder.write(records, before + data + [0x0A])
    if !isMissing {
      try folder.write("library/\(podcast)/\(title).mp3", [UInt8](repeating: 1, count: bytes))
    }
  }
}

extension RunningProcess.Result {
  /// The JSON array on stdout.
  var objects: [[String: Any]] {
    get throws {
      try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [[String: Any]] ?? []
    }
  }

  /// One member of each element, such as `["status"]` or `["episode", "title"]`.
  func values(_ path: String...) throws -> [String] {
    try objects.map { object in
      path.reduce(object as Any) { ($0 as? [String: Any])?[$1] ?? "absent" }
    }.map { $0 is NSNull ? "null" : "\($0)" }
  }
}
