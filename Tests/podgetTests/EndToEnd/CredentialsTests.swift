import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Passwords of `~/.netrc` and of addresses: which servers get them, and where they are written.
@Suite(.serialized) struct CredentialsTests {
  private let episode = PodcastServer.Episode(1, "Number 1")

  private func listener(redirectingTo target: String? = nil) throws -> (Listener, LoopbackServer) {
    // Another origin on the same host, as on a server at home.
    let other = try LoopbackServer(files: ["/1.mp3": FileServing(Representation(episode.bytes))])
    let moved = PodcastServer.Episode(1, "Number 1") { _ in
      .redirects(to: other.origin + "/1.mp3")
    }
    let listener = try Listener(PodcastServer([moved]))
    try listener.folder.write(".netrc", Array("machine 127.0.0.1 login me password secret\n".utf8))
    #expect(chmod(listener.folder.path(".netrc"), 0o600) == 0)
    return (listener, other)
  }

  @Test func `over http netrc is used for origins that the user named, and nowhere else`()
    async throws
  {
    let (listener, other) = try listener()
    let result = try await listener.run("download", listener.podcast, "--json")
    #expect(result.status == .exited(0), "\(result.error)")
    // The directory is named by PODGET_ITUNES_URL, and the episode is on its origin.
    let sent = "Basic bWU6c2VjcmV0"
    #expect(listener.server.lookups.map { $0.request.first("Authorization") } == [sent])
    #expect(listener.server.downloads.map { $0.request.first("Authorization") } == [sent])
    #expect(other.log.map { $0.request.first("Authorization") } == [nil])
  }

  @Test func `doctor sends a password only to the named address`() async throws {
    let (listener, other) = try listener()
    let named = try await listener.run("doctor", "\(listener.server.origin)/1.mp3", "--json")
    #expect(named.status == .exited(0))
    #expect(
      listener.server.downloads.allSatisfy { $0.request.first("Authorization") != nil })
    #expect(!other.log.isEmpty)
    #expect(other.log.allSatisfy { $0.request.first("Authorization") == nil })
  }

  @Test(arguments: ["download", "resume", "show", "adopt"])
  func `a source's password and query are not repeated`(command: String) async throws {
    let listener = try Listener(PodcastServer([episode]))
    let sources = [
      "https://me:secret@host.example/feed?token=1", "me:secret@host.example/feed?token=1",
      "gopher://me:secret@host.example/feed?token=1",
      "https://me:se/cret@podcasts.apple.com/us/genre?token=1",
    ]
    try FileManager.default.createDirectory(
      atPath: listener.folder.path("found"), withIntermediateDirectories: true)
    for source in sources {
      let folder = command == "adopt" ? ["found"] : []
      let text = try await RunningProcess(
        .podget, [command] + folder + [source], environment: listener.variables,
        folder: listener.folder.path
      ).waitForExit()
      let json = try await RunningProcess(
        .podget, [command, "--json"] + folder + [source], environment: listener.variables,
        folder: listener.folder.path
      ).waitForExit()
      for (result, name) in [(text, "text"), (json, "json")] {
        let all = result.output + result.error
        #expect(!all.contains("secret") && !all.contains("se/cret"), "\(name): \(all)")
        #expect(!result.error.contains("token"), "\(name): \(result.error)")
        if command != "resume" {
          #expect(result.status == .exited(1), "\(all)")
          #expect(result.error.contains("host.example") || result.error.contains("apple.com"))
        }
      }
      // Scripts need the query to know which source it was.
      if command == "download" { #expect(json.output.contains("?token=1")) }
    }
  }

  @Test(arguments: [0o664, 0o646])
  func `a list that others can write runs no password command`(mode: mode_t) async throws {
    let follower = try Follower(["/feed.xml": FeedHost.Feed([FeedHost.Item(1)])])
    let podget = InProcess(environment: follower.variables)
    let mark = follower.folder.path("ran")
    let list = follower.folder.path("library/.podget/subscriptions.opml")
    let followed = await podget.run([
      "subscribe", "\(follower.host.origin)/feed.xml", "--user", "ann", "--password-command",
      "/bin/sh -c 'echo x >>\(mark); echo one'",
    ])
    #expect(followed.status == .exited(0), "\(followed.error)")
    unlink(mark)
    #expect(chmod(list, mode) == 0)
    let refused = await podget.run(["sync"])
    #expect(refused.status == .exited(1) && !follower.folder.contains("ran"), "\(refused.error)")
    #expect(chmod(list, 0o600) == 0)
    let synced = await podget.run(["sync"])
    #expect(synced.status == .exited(0) && follower.folder.contains("ran"), "\(synced.error)")
  }
}
