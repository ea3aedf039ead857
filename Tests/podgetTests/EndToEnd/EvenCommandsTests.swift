import Foundation
import TestSupport
import Testing

/// What holds for several commands of the built program alike.
@Suite struct EvenCommandsTests {
  private let listener: Listener

  init() throws {
    listener = try Listener(
      PodcastServer([PodcastServer.Episode(2, "Number 2"), PodcastServer.Episode(1, "Number 1")]))
  }

  private func podget(_ arguments: String..., status: Int32 = 0) async throws -> String {
    let result = try await listener.run(arguments)
    #expect(result.status == .exited(status), "\(arguments): \(result.output)\(result.error)")
    return result.output + result.error
  }

  @Test(
    "files whose record is gone are untracked, and list says how they come back",
    arguments: [nil, "", "\n", "{broken\n"])
  func unrecorded(record: String?) async throws {
    _ = try await podget("download", listener.podcast)
    let path = "library/The Symbolic World/.podget.ndjson"
    // A folder that is no podcast's has other files too.
    try listener.folder.write("library/notes/todo.txt", "no media")
    for hasIndex in [true, false] {
      if !hasIndex {
        try FileManager.default.removeItem(atPath: listener.folder.path("library/.podget"))
      }
      if let record {
        try listener.folder.write(path, record)
      } else if listener.folder.contains(path) {
        try FileManager.default.removeItem(atPath: listener.folder.path(path))
      }
      let isBroken = record == "{broken\n"
      let verify = try await listener.run("verify", "--json")
      #expect(verify.status == .exited(isBroken ? 1 : 0))
      let found = zip(try verify.values("status"), try verify.values("path"))
      #expect(
        found.filter { $0.0 == "untracked" }.map(\.1).sorted()
          == listener.files.filter { $0 != "notes/todo.txt" }.sorted())
      let list = try await listener.run("list")
      #expect(list.status == .exited(isBroken ? 1 : 0))
      #expect(list.error.contains(isBroken ? "no line of it" : "podget adopt "), "\(list.error)")
    }
    #expect(
      try await podget("adopt", listener.library, listener.podcast, "--json", status: 0)
        .contains("\"adopted\""))
    #expect(try await podget("list").contains("2 episodes"))
  }
}
