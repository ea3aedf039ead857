import Foundation
import TestSupport
import Testing

@testable import PodcastKit
@testable import PodcastLibrary
@testable import PodcastModel

/// Which downloads are left for later.
@Suite struct TransferBrakeTests {
  private typealias Count = TransferBrake.Count
  private typealias Space = DiskSpace

  private static let start = Date(timeIntervalSince1970: 1_700_000_000)

  private static func count(
    _ most: Int64?, arrived: Int64 = 0, coming: Int64 = 0, running: Int = 1
  ) -> Count {
    Count(most: most, arrived: arrived, coming: coming, running: running)
  }

  @Test(
    arguments: [
      // Without a limit.
      (1000, [count(nil, arrived: 5000)], Space(free: 0), .begin),
      // What fits, and what is one byte more.
      (400, [count(1000, arrived: 500, coming: 100)], Space(), .begin),
      (401, [count(1000, arrived: 500, coming: 100)], Space(), .wait),
      // Nothing runs any more: the last one may go beyond the limit, whatever its feed says.
      (5000, [count(1000, arrived: 999, running: 0)], Space(), .begin),
      (5000, [count(1000, arrived: 1000, running: 0)], Space(), .leave(.maxBytes)),
      // An unknown length counts what it brings.
      (nil, [count(1000, arrived: 999)], Space(), .begin),
      (nil, [count(1000, arrived: 999, coming: 1)], Space(), .wait),
      (nil, [count(1000, arrived: 1000)], Space(), .leave(.maxBytes)),
      // A podcast has a limit of its own besides that of the run.
      (400, [count(1000, arrived: 500), count(800, arrived: 500)], Space(), .wait),
      (400, [count(1000, arrived: 500), count(800, arrived: 800)], Space(), .leave(.maxBytes)),
      (400, [count(1000, arrived: 500), count(300, running: 0)], Space(), .begin),
      // Space.
      (400, [], Space(free: 1000, kept: 600), .begin),
      (401, [], Space(free: 1000, kept: 600), .leave(.keepFree)),
      (nil, [], Space(free: 600, kept: 600), .begin),
      (nil, [], Space(free: 599, kept: 600), .leave(.keepFree)),
      (400, [], Space(free: nil, kept: 600), .begin),
      (400, [], Space(free: 1, kept: nil), .begin),
      // A length that is larger than the disk is no length.
      (900, [], Space(free: 800, kept: 100, size: 900), .leave(.keepFree)),
      (901, [], Space(free: 800, kept: 100, size: 900), .begin),
      (901, [], Space(free: 99, kept: 100, size: 900), .leave(.keepFree)),
      // Servers and people may say any number.
      (.max, [count(.max, arrived: .max, coming: .max)], Space(), .leave(.maxBytes)),
      (.max, [count(.max, arrived: 1, coming: .max)], Space(), .wait),
      (.max, [count(nil)], Space(free: .max, kept: .max), .begin),
      (.max, [count(1000)], Space(free: 0, kept: .max), .leave(.keepFree)),
    ] as [(Int64?, [TransferBrake.Count], DiskSpace, TransferBrake.Decision)])
  func decision(
    bytes: Int64?, counts: [TransferBrake.Count], space: DiskSpace,
    decision: TransferBrake.Decision
  ) {
    #expect(TransferBrake.decision(about: bytes, counts, space) == decision)
  }

  @Test func `a run that takes the place of another one goes on with its bytes`() {
    let first = brake(100)
    #expect(decide(first, "a", length: 60) == .begin)
    note(first, "a", .started(resumedFrom: 0), .progress(received: 60, total: 60))
    var options = DownloadOptions()
    (options.maximumBytes, options.arrivedBefore) = (60, first.arrived)
    let second = TransferBrake(options, at: Self.start.addingTimeInterval(3600))
    #expect(decide(second, "b", length: 1, after: 3600) == .leave(.maxBytes))
    // The day began with the first run.
    #expect(waiting(second, after: TransferBrake.window - 1) == [plan("b", length: 1).key])
    second.beginRound(at: Self.start.addingTimeInterval(TransferBrake.window))
    #expect(decide(second, "b", length: 1, after: TransferBrake.window) == .begin)
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

  private func decide(
    _ brake: TransferBrake, _ name: String, length: Int64?, held: Int64 = 0,
    own: (podcast: String, most: Int64)? = nil, free: Int64? = nil, after seconds: Double = 0
  ) -> TransferBrake.Decision {
    brake.decide(
      about: plan(name, length: length), held: held, SubscribedSettings.Own(mostBytes: own),
      Space(free: free), at: Self.start.addingTimeInterval(seconds))
  }

  private func note(_ brake: TransferBrake, _ name: String, _ kinds: DownloadEvent.Kind...) {
    for kind in kinds { brake.note(DownloadEvent(plan(name, length: nil), kind)) }
  }

  private func waiting(
    _ brake: TransferBrake, after seconds: Double, own: (podcast: String, most: Int64)? = nil
  ) -> Set<String> {
    brake.waiting(at: Self.start.addingTimeInterval(seconds)) { _ in
      SubscribedSettings.Own(mostBytes: own)
    }
  }

  private static func file(_ bytes: Int64) -> DownloadEvent.Kind {
    .finished(FinishedFile(path: "a", bytes: bytes, sha256: nil))
  }

  @Test func `what arrives counts, and not what was there`() {
    let brake = brake(1000)
    #expect(decide(brake, "a", length: nil) == .begin)
    note(brake, "a", .started(resumedFrom: 5000), .progress(received: 5300, total: nil))
    #expect(decide(brake, "b", length: 700) == .begin)
    #expect(decide(brake, "c", length: 1) == .wait)
    // It brings less than announced, and is there after a restart.
    note(brake, "b", .started(resumedFrom: 0), .progress(received: 100, total: 300))
    #expect(decide(brake, "c", length: 400) == .begin)
    note(brake, "c", .failed(PodgetError(.network, "")))
    note(brake, "b", .restarted(.changed), Self.file(300))
    // 300 and 400 have arrived.
    #expect(decide(brake, "d", length: 301) == .wait)
    #expect(decide(brake, "d", length: 1300, held: 1000) == .begin)
  }

  @Test func `a download that fails leaves none for later, and a long one comes`() {
    let brake = brake(1000)
    #expect(decide(brake, "a", length: 5000) == .begin)
    #expect(decide(brake, "b", length: 1) == .wait)
    note(brake, "a", .failed(PodgetError(.network, "")))
    #expect(decide(brake, "b", length: 10) == .begin)
    note(brake, "b", Self.file(10))
    #expect(decide(brake, "a", length: 5000) == .begin)
    brake.putBack(plan("a", length: nil).key)
    #expect(decide(brake, "c", length: 1000) == .begin)
    note(brake, "c", Self.file(1000))
    #expect(decide(brake, "a", length: 1) == .leave(.maxBytes))
  }

  @Test func `podcasts have their own bytes, and another limit counts at once`() {
    let brake = brake(nil)
    let (one, other) = (("one", Int64(100)), ("other", Int64(100)))
    #expect(decide(brake, "a", length: 100, own: one) == .begin)
    note(brake, "a", Self.file(100))
    #expect(decide(brake, "b", length: 1, own: one) == .leave(.maxBytes))
    #expect(decide(brake, "c", length: 100, own: other) == .begin)
    #expect(decide(brake, "d", length: 1000) == .begin)
    #expect(waiting(brake, after: 0, own: one) == [plan("b", length: nil).key])
    #expect(waiting(brake, after: 0, own: nil) == [])
  }

  @Test func `what is left waits, and after a day the bytes count anew`() {
    let brake = brake(100, keptFree: 10)
    let key = plan("b", length: nil).key
    #expect(decide(brake, "a", length: 100, free: 1000) == .begin)
    note(brake, "a", Self.file(100))
    #expect(decide(brake, "b", length: 50, free: 1000) == .leave(.maxBytes))
    #expect(waiting(brake, after: 86_399) == [key])
    brake.beginRound(at: Self.start.addingTimeInterval(86_399))
    #expect(decide(brake, "b", length: 50, free: 1000, after: 86_399) == .leave(.maxBytes))
    brake.beginRound(at: Self.start.addingTimeInterval(86_400))
    #expect(waiting(brake, after: 86_400) == [])
    #expect(decide(brake, "b", length: 50, free: 59, after: 86_400) == .leave(.keepFree))
    #expect(waiting(brake, after: 86_400 + 3599) == [key])
    #expect(waiting(brake, after: 86_400 + 3600) == [])
    #expect(decide(brake, "b", length: 50, free: 60, after: 86_400 + 3600) == .begin)
  }
}
