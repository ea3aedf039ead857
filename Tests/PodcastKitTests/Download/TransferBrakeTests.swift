import Foundation
import TestSupport
import Testing

@testable import PodcastKit
@testable import PodcastModel

/// Which downloads are left for later.
@Suite struct TransferBrakeTests {
  private typealias Count = TransferBrake.Count
  private typealias Space = TransferBrake.Space

  private static let start = Date(timeIntervalSince1970: 1_700_000_000)

  private static func count(
    _ most: Int64?, arrived: Int64 = 0, coming: Int64 = 0, hasBegun: Bool = true
  ) -> Count {
    Count(most: most, arrived: arrived, coming: coming, hasBegun: hasBegun)
  }

  @Test(
    arguments: [
      // Without a limit.
      (1000, [count(nil, arrived: 5000)], Space(free: 0), nil),
      // What fits, and what is one byte more.
      (400, [count(1000, arrived: 500, coming: 100)], Space(), nil),
      (401, [count(1000, arrived: 500, coming: 100)], Space(), .maxBytes),
      // An unknown length counts what it brings.
      (nil, [count(1000, arrived: 999)], Space(), nil),
      (nil, [count(1000, arrived: 1000)], Space(), .maxBytes),
      (nil, [count(1000, coming: 1000)], Space(), .maxBytes),
      // The first one begins, and only the first one.
      (5000, [count(1000, hasBegun: false)], Space(), nil),
      (5000, [count(1000)], Space(), .maxBytes),
      // A podcast has a limit of its own besides that of the run.
      (400, [count(1000, arrived: 500), count(800, arrived: 500)], Space(), .maxBytes),
      (400, [count(1000, arrived: 500), count(800, hasBegun: false)], Space(), nil),
      (600, [count(1000, arrived: 500), count(800, hasBegun: false)], Space(), .maxBytes),
      // Space.
      (400, [], Space(free: 1000, kept: 600), nil),
      (401, [], Space(free: 1000, kept: 600), .keepFree),
      (400, [], Space(free: 1000, kept: 600, coming: 1), .keepFree),
      (nil, [], Space(free: 600, kept: 600), nil),
      (nil, [], Space(free: 599, kept: 600), .keepFree),
      (400, [], Space(free: nil, kept: 600), nil),
      (400, [], Space(free: 1, kept: nil), nil),
      // Servers and people may say any number.
      (.max, [count(.max, arrived: .max, coming: .max)], Space(), .maxBytes),
      (.max, [count(nil)], Space(free: .max, kept: .max, coming: .max), nil),
      (.max, [count(1000)], Space(free: 0, kept: .max), .maxBytes),
    ] as [(Int64?, [TransferBrake.Count], TransferBrake.Space, SkipReason?)])
  func decision(
    bytes: Int64?, counts: [TransferBrake.Count], space: TransferBrake.Space, reason: SkipReason?
  ) {
    #expect(TransferBrake.reason(against: bytes, counts, space) == reason)
  }

  private func plan(_ name: String, length: Int64?) -> DownloadPlan {
    let podcast = Podcast(id: 1, title: "Show")
    let episode = Episode(
      guid: name, title: name, enclosure: Enclosure(url: "http://h/\(name)", length: length))
    return DownloadPlan(
      key: name, podcast: podcast, episode: episode, folder: "Show", stem: name,
      announcedExtension: "mp3")
  }

  private func brake(_ most: Int64?, keptFree: Int64? = nil) -> TransferBrake {
    var options = DownloadOptions()
    (options.maximumBytes, options.keptFreeBytes) = (most, keptFree)
    return TransferBrake(options, at: Self.start)
  }

  private func begins(
    _ brake: TransferBrake, _ name: String, length: Int64?, held: Int64 = 0,
    own: (podcast: String, most: Int64)? = nil, free: Int64? = nil, after seconds: Double = 0
  ) -> Bool {
    brake.reason(
      against: plan(name, length: length), held: held,
      SubscribedSettings.Own(mostBytes: own), free: free,
      at: Self.start.addingTimeInterval(seconds)) == nil
  }

  private func note(_ brake: TransferBrake, _ name: String, _ kinds: DownloadEvent.Kind...) {
    for kind in kinds { brake.note(DownloadEvent(plan(name, length: nil), kind)) }
  }

  private static func file(_ bytes: Int64) -> DownloadEvent.Kind {
    .finished(FinishedFile(path: "a", bytes: bytes, sha256: nil))
  }

  @Test func `what arrives counts, and not what was there`() {
    let brake = brake(1000)
    #expect(begins(brake, "a", length: nil))
    note(brake, "a", .started(resumedFrom: 5000), .progress(received: 5300, total: nil))
    #expect(begins(brake, "b", length: 700))
    #expect(!begins(brake, "c", length: 1))
    // It brings less than announced, and is there after a restart.
    note(brake, "b", .started(resumedFrom: 0), .progress(received: 100, total: 300))
    #expect(begins(brake, "c", length: 400))
    note(brake, "c", .failed(PodgetError(.network, "")))
    note(brake, "b", .restarted(.changed), Self.file(300))
    // 300 and 400 have arrived.
    #expect(!begins(brake, "d", length: 301))
    #expect(begins(brake, "d", length: 1300, held: 1000))
  }

  @Test func `a download that is put back or has ended is not awaited`() {
    let brake = brake(1000)
    #expect(begins(brake, "a", length: 1000))
    #expect(!begins(brake, "b", length: 1))
    brake.putBack(plan("a", length: nil).key)
    #expect(begins(brake, "b", length: 1000))
    note(brake, "b", .cancelled(received: 10))
    #expect(begins(brake, "a", length: 1000))
  }

  @Test func `podcasts have their own bytes`() {
    let brake = brake(nil)
    let (one, other) = (("one", Int64(100)), ("other", Int64(100)))
    #expect(begins(brake, "a", length: 100, own: one))
    #expect(!begins(brake, "b", length: 1, own: one))
    #expect(begins(brake, "c", length: 100, own: other))
    #expect(begins(brake, "d", length: 1000))
  }

  @Test func `what is left waits, and after a day the bytes count anew`() {
    let brake = brake(100, keptFree: 10)
    let key = plan("b", length: nil).key
    #expect(begins(brake, "a", length: 100, free: 1000))
    note(brake, "a", Self.file(100))
    #expect(!begins(brake, "b", length: 50, free: 1000))
    #expect(brake.waiting(at: Self.start.addingTimeInterval(86_399)) == [key])
    brake.beginRound(at: Self.start.addingTimeInterval(86_399))
    #expect(!begins(brake, "b", length: 50, free: 1000, after: 86_399))
    brake.beginRound(at: Self.start.addingTimeInterval(86_400))
    #expect(brake.waiting(at: Self.start.addingTimeInterval(86_400)) == [])
    #expect(!begins(brake, "b", length: 50, free: 59, after: 86_400))
    #expect(brake.waiting(at: Self.start.addingTimeInterval(86_400 + 3599)) == [key])
    #expect(brake.waiting(at: Self.start.addingTimeInterval(86_400 + 3600)) == [])
    #expect(begins(brake, "b", length: 50, free: 60, after: 86_400 + 3600))
  }
}
