import Foundation
import LoopbackServer
import TestSupport
import Testing

extension Reliability {
  /// Calls of libcurl and libcrypto that fail, as they do without memory or a provider. The
  /// numbers are `CURLE_OUT_OF_MEMORY`, `CURLM_OUT_OF_MEMORY`, and the 0 by which libcrypto fails.
  @Suite(.serialized) struct RefusedCalls {
    private func listener(
      behaviour: @escaping @Sendable (Request) -> Behaviour = { _ in Behaviour() }
    ) throws -> (Listener, PodcastServer.Episode) {
      let episode = PodcastServer.Episode(1, "Number 1", size: 600_000, behaviour: behaviour)
      return (try Listener(try PodcastServer([episode])), episode)
    }

    private func run(
      _ listener: Listener, _ arguments: [String], faults: String
    ) async throws -> RunningProcess.Result {
      var variables = listener.variables
      variables["LD_PRELOAD"] = try FaultLibrary.path()
      variables["PODGET_FAULTS"] = faults
      variables["PODGET_FAULTS_MARK"] = listener.folder.path("mark")
      return try await RunningProcess(.podget, arguments, environment: variables).waitForExit()
    }

    @Test(arguments: [("setopt", 20), ("slist", 2)])
    func `a request is not sent without one of its options or fields`(
      call: String, atLeast: Int
    ) async throws {
      let (listener, episode) = try listener {
        $0.attempt == 1 ? .cut(.reset, .afterBody(300_000)) : Behaviour()
      }
      let first = try await listener.run("download", listener.podcast, "--retries", "0")
      try #require(first.status == .exited(1) && listener.partSizes == [300_000])
      var places = 0
      for place in 1...60 {
        let result = try await run(listener, ["resume", "--json"], faults: "\(call):\(place):27")
        if result.status == .exited(0) { break }
        places += 1
        #expect(try result.events().first("failed")?.code == "network", "\(place)")
        #expect(listener.partSizes == [300_000], "\(place)")
        try #require(listener.server.downloads.count == 1, "\(place)")
      }
      // The first place that is no such call any more lets everything through.
      #expect(places >= atLeast && listener.holds(episode))
      let resumed = try #require(listener.server.downloads.last?.request)
      #expect(listener.server.downloads.count == 2)
      #expect(resumed.rangeStart != nil && resumed.first("If-Range") == "\"1\"")
    }

    @Test func `a connection that cannot continue after a pause is replaced`() async throws {
      let (listener, episode) = try listener()
      let result = try await run(
        listener, ["download", listener.podcast, "--json", "--limit-rate", "1M"],
        faults: "pause:1:27")
      #expect(result.status == .exited(0) && listener.holds(episode), "\(result.error)")
      let retries = try result.events().filter { $0.name == "retrying" }
      #expect(retries.count == 1 && retries.first?["reason"] == "network")
    }

    @Test func `without the wait for sockets there is no busy loop`() async throws {
      let (listener, episode) = try listener {
        $0.attempt == 1 ? .cut(.stall, .afterBody(200_000)) : Behaviour()
      }
      let result = try await run(
        listener, ["download", listener.podcast, "--json", "--stall-timeout", "1"],
        faults: "poll:1+1:3,poll:20000:3")
      #expect(result.status == .exited(0) && listener.holds(episode), "\(result.error)")
      #expect(!listener.folder.contains("mark"))
    }

    @Test func `a general failure of libcurl is reported immediately`() async throws {
      let (listener, _) = try listener()
      let result = try await run(
        listener, ["download", listener.podcast, "--json", "--stall-timeout", "1"],
        faults: "perform:1+1:3")
      #expect(result.status == .exited(1))
      #expect(try result.events().first("failed")?.code == "network")
      #expect(listener.server.lookups.isEmpty)
    }

    @Test func `a checksum is right, or there is none and the download fails`() async throws {
      var failures = 0
      for place in 1...8 {
        let (listener, episode) = try listener()
        let right = try await sha256(episode.bytes)
        let result = try await run(
          listener, ["download", listener.podcast, "--json"], faults: "digest:\(place):0")
        if result.status == .exited(1) {
          failures += 1
          #expect(try result.events().first("failed")?.code == "disk", "\(place)")
          let resumed = try await listener.run("resume", "--json")
          #expect(try resumed.events().first("finished")?["sha256"] == right, "\(place)")
          // The received bytes were synced, so nothing is requested again.
          #expect(listener.server.downloads.count == 1)
        } else {
          #expect(try result.events().first("finished")?["sha256"] == right, "\(place)")
        }
        #expect(listener.holds(episode))
      }
      #expect(failures >= 4)
    }

    @Test func `verify calls no file damaged when its checksum cannot be computed`() async throws {
      let (listener, _) = try listener()
      try #require(try await listener.run("download", listener.podcast).status == .exited(0))
      for place in 1...3 {
        let result = try await run(listener, ["verify", "--json"], faults: "digest:\(place):0")
        #expect(!result.output.contains("damaged"), "\(place)")
        #expect(result.status == .exited(1) && result.output.contains("unreadable"), "\(place)")
      }
    }
  }
}
