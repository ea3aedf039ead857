import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import podget

/// Mistakes that people make, and what podget answers: what was typed, what is wrong, and what to
/// type instead.
@Suite("Messages about mistakes") struct MessageTests {
  private func podget(_ arguments: [String]) async throws -> RunningProcess.Result {
    let folder = try TemporaryFolder()
    return await InProcess(
      environment: [
        "HOME": folder.path, "PODGET_LIBRARY": folder.path("library"), "LANG": "C.UTF-8",
        "PODGET_ITUNES_URL": "http://127.0.0.1:1", "PODGET_RETRIES": "0",
      ]
    ).run(arguments)
  }

  @Test(
    "a wrong command line",
    arguments: [
      (
        ["https://podcasts.apple.com/us/podcast/x/id7"],
        "A source needs a command: podget download https://podcasts.apple.com/us/podcast/x/id7"
      ),
      (
        ["https://host.example/feed?key=s3cret"],
        "A source needs a command: podget download https://host.example/feed?…"
      ),
      (["./show.xml"], "A source needs a command: podget download ./show.xml"),
      (
        ["https://open.spotify.com/show/4rOoJ6Egrf8K2IrywzwOMk"],
        "Spotify offers no feeds of podcasts; podget search TITLE may find its id."
      ),
      (
        ["https://youtu.be/abc"],
        "YouTube offers no feeds of podcasts; podget search TITLE may find its id."
      ),
      (["update"], #"There is no command "update"; did you mean "sync"?"#),
      (["add", "7"], #"There is no command "add"; did you mean "subscribe"?"#),
      (["get", "7"], #"There is no command "get"; did you mean "download"?"#),
      (
        ["config", "set", "jobs", "8"],
        #"There is no command "config set"; did you mean "config edit"?"#
      ),
      (
        ["list", "--since", "yesterday"],
        #"--since: "yesterday" is neither a day like 2024-03-01 nor an age like 30d, 2w, 6m, 1y."#
      ),
      (
        ["remove", "-v", "-hello"],
        "There is no option -hello; write -- before names that begin with a dash."
      ),
      (
        ["subscribe", "https://host.example/feed", "--latest", "3", "--unset", "latest"],
        "--latest and --unset latest cannot be used together."
      ),
      (["download", "7", "--jobs", "many"], #"--jobs takes a whole number, not "many"."#),
      (
        ["sync", "--feed-timeout", "soon"],
        #"--feed-timeout takes a number of seconds, not "soon"."#
      ),
      (
        ["show", "7", "--max-duration", "long"],
        #"--max-duration: "long" is not a duration like 90, 20m, 1h30m or 1:30:00."#
      ),
      (
        ["subscribe", "7", "--interval", "often"],
        #"--interval: "often" is not a duration like 90, 20m, 1h30m or 1:30:00."#
      ),
      (
        ["mark", "7", "--position", "32d"],
        #"--position: "32d" is not a duration like 90, 20m, 1h30m or 1:30:00."#
      ),
      (
        ["prune", "--downloaded-before", "then"],
        #"--downloaded-before: "then" is neither a day like 2024-03-01 nor an age like 30d, 2w, "#
          + "6m, 1y."
      ),
      (["list", "--until", "2024-13-01"], "--until: The calendar has no day 2024-13-01."),
      (
        ["list", "--match", "["],
        #"--match: "[" is not a regular expression "#
          + #"(expected custom character class members); write \ before a character such as [ or ( "#
          + "that stands for itself."
      ),
    ] as [([String], String)])
  func commandLine(arguments: [String], sentence: String) async throws {
    let result = try await podget(arguments)
    #expect(result.status == .exited(64) && result.output == "")
    #expect(result.error.split(separator: "\n").first.map(String.init) == "podget: \(sentence)")
  }

  @Test(
    "a source that cannot be read",
    arguments: [
      ("http://", #""http://" names no host: write an address such as https://host/feed.xml."#),
      (
        "spotify:show:4rOoJ6",
        "Spotify offers no feeds of podcasts; podget search TITLE may find its id."
      ),
      (
        "https://www.youtube.com/@news",
        "YouTube offers no feeds of podcasts; podget search TITLE may find its id."
      ),
      ("Podcasts/show", "There is no file Podcasts/show."),
      (
        "host.example/feed",
        "This is no subscription, id, link, feed address or file; an address begins with https://."
      ),
      (
        "nosuch",
        "This is no subscription, id, link, feed address or file; podget search nosuch may find its id."
      ),
    ])
  func source(source: String, sentence: String) async throws {
    for command in ["show", "doctor", "subscribe"] {
      let result = try await podget([command, source])
      #expect(result.status == .exited(1) && result.output == "")
      #expect(result.error == "podget: \(source): \(sentence)\n", "\(command)")
    }
    let download = try await podget(["download", source])
    #expect(download.error.contains("\(source): \(sentence)\n"))
  }

  @Test(
    "a secret is not repeated where no address is recognized",
    arguments: [
      ["doctor"], ["show"], ["download"], ["list"], ["resume"], ["sync"], ["subscribe"], ["star"],
      ["remove", "x", "--source"], ["unsubscribe"], ["browse"], [],
    ])
  func secret(command: [String]) async throws {
    for source in [
      "user:s3cret@host?token=s3cret", "host?token=s3cret", "feed:u:s3cret@h/f?k=s3cret",
    ] {
      let result = try await podget(command + [source])
      #expect(result.status != .exited(0))
      #expect(!(result.output + result.error).contains("s3cret"), "\(command): \(result.error)")
    }
  }

  @Test("a server that cannot be used") func servers() async throws {
    let server = try LoopbackServer { request, connection in
      if request.path != "/silent" {
        connection.respond(status: request.path == "/403" ? 403 : 404)
      }
    }
    for (source, sentence) in [
      (
        "http://127.0.0.1:1/feed",
        "The connection to 127.0.0.1 failed: nothing listens at 127.0.0.1, port 1."
      ),
      (
        "\(server.origin)/404",
        "127.0.0.1 answered with the error HTTP 404; check the address, or ask podget doctor about "
          + "it."
      ),
      (
        "\(server.origin)/403",
        "127.0.0.1 answered with the error HTTP 403; check the address, or ask podget doctor about "
          + "it."
      ),
      ("\(server.origin)/silent", "127.0.0.1 did not answer."),
    ] {
      let result = try await podget(["show", source, "--stall-timeout", "0.5"])
      #expect(result.error == "podget: \(source): \(sentence)\n")
    }
  }
}
