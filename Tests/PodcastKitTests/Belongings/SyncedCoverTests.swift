import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import PodcastKit
@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

@Suite("A sync keeps the image of a podcast up to date") struct SyncedCoverTests {
  private let harness: SyncHarness

  init() throws { harness = try SyncHarness.followingOne() }

  private func serve(_ text: String, status: Int = 200) {
    var image = FeedHost.Feed()
    image.body = "RIFF\u{C}\u{0}\u{0}\u{0}WEBPVP8 0000\(text)"
    image.status = status
    harness.host["/cover"] = image
  }

  /// Changes the feed, but none of its episodes.
  private func change(_ word: String) {
    harness.host["/a"].head = "<itunes:image href=\"/cover\"/><copyright>\(word)</copyright>"
  }

  /// How often the image was requested by a sync.
  private func requests(isAsked: Bool = true) async throws -> Int {
    var options = SyncOptions()
    options.rules.belongings = isAsked ? Belongings([.cover]) : .none
    let before = harness.host.feedRequests.count
    let report = try await harness.sync(options: options)
    #expect(report.finished.isEmpty)
    let new = harness.host.feedRequests.dropFirst(before)
    #expect(new.count { $0.path == "/a" } == 1)
    return new.count { $0.path == "/cover" }
  }

  private var cover: String? {
    (try? harness.folder.read("library/The Feed/cover.webp")).map {
      String(decoding: $0.dropFirst(20), as: UTF8.self)
    }
  }

  @Test("also without new episodes, but not for a feed that is as it was, and not each day")
  func kept() async throws {
    _ = try await harness.sync()
    change("one")
    serve("one")
    #expect(try await requests(isAsked: false) == 0)
    change("two")
    #expect(try await requests() == 1 && cover == "one")
    serve("two")
    for day in 1...6 {
      harness.pass(.seconds(86_400))
      #expect(try await requests() == 0)
      change("day \(day)")
      #expect(try await requests() == 0)
    }
    harness.pass(.seconds(2 * 86_400))
    #expect(try await requests() == 0 && cover == "one")
    change("three")
    #expect(try await requests() == 1 && cover == "two")
  }

  @Test("one that cannot be had is requested once a week") func failing() async throws {
    _ = try await harness.sync()
    change("one")
    serve("", status: 404)
    #expect(try await requests() == 1)
    for day in 1...6 {
      harness.pass(.seconds(86_400))
      change("day \(day)")
      #expect(try await requests() == 0)
    }
    harness.pass(.seconds(2 * 86_400))
    serve("one")
    change("two")
    #expect(try await requests() == 1 && cover == "one")
  }
}
