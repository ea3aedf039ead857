import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import PodcastKit
@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

extension EngineTests {
  /// The room that is reserved for a file while it grows.
  @Suite("Room for downloads") struct EngineRoomTests {
    private static let bytes = MP3Maker.bytes(seed: 1, length: 2_000_000)
    private static let lie: Int64 = 700_000_000

    /// A server that announces far more than it has, and then stalls or closes.
    private func server(cut: Behaviour.Cut) throws -> LoopbackServer {
      try LoopbackServer(files: [
        "/a.mp3": FileServing(
          Representation(Self.bytes),
          behaviour: Behaviour {
            $0.contentLength = Self.lie
            ($0.cut, $0.cutPoint) = (cut, .afterBody(1_900_000))
          })
      ])
    }

    private func isReserved(_ engine: EngineHarness, _ plan: DownloadPlan) -> Bool {
      engine.library.root.status(of: ".podget/partial/\(plan.key).part")?.hasReservation ?? false
    }

    @Test("row 55: a length that no disk has room for is named, and nothing is kept")
    func absurd() async throws {
      let server = try LoopbackServer(files: [
        "/a.mp3": FileServing(
          Representation(Self.bytes), behaviour: Behaviour { $0.contentLength = .max })
      ])
      let engine = try EngineHarness()
      let plan = engine.plan(server.url("/a.mp3"))
      let run = try await engine.run([plan])
      #expect(run.error(plan)?.code == .diskFull)
      #expect(
        run.error(plan)?.message
          == "The server announces 9223372036854775807 bytes, more than the disk has room for.")
      #expect(server.log.count == 1 && engine.partSize(plan) == nil)
    }

    @Test("a wrong length keeps no space when the download has failed")
    func failure() async throws {
      let server = try server(cut: .close)
      var engine = try EngineHarness()
      engine.options.retries.retries = 1
      let plan = engine.plan(server.url("/a.mp3"))
      let run = try await engine.run([plan])
      #expect(run.error(plan)?.code == .network || run.error(plan)?.code == .incomplete)
      #expect(engine.partSize(plan) ?? 0 > 0)
      #expect(!isReserved(engine, plan))
    }

    @Test("a cancelled download keeps no reserved space")
    func cancel() async throws {
      let server = try server(cut: .stall)
      let engine = try EngineHarness()
      let plan = engine.plan(server.url("/a.mp3"))
      let run = try await engine.run([plan]) { event, downloader in
        guard case .progress = event.kind else { return }
        try await waitUntil("a block is written") { engine.partSize(plan) ?? 0 > 200_000 }
        #expect(isReserved(engine, plan))
        await downloader.cancel()
      }
      #expect(run.cancelled(plan) ?? 0 > 0)
      #expect(!isReserved(engine, plan))
    }

    @Test("a pause that closes the connection releases the space until it resumes")
    func pause() async throws {
      let server = try LoopbackServer(files: [
        "/a.mp3": FileServing(Representation(MP3Maker(seed: 1, approximateSize: 16 << 20))) {
          $0 == 1 ? .cut(.stall, .afterBody(1_900_000)) : .cut(.stall, .afterBody(1_000_000))
        }
      ])
      var engine = try EngineHarness()
      engine.options.pauseGrace = .milliseconds(1)
      engine.session.stallTimeout = .seconds(1)
      let plan = engine.plan(server.url("/a.mp3"))
      let (isPaused, isResumed) = (OnceFlag(), OnceFlag())
      let harness = engine
      _ = try await harness.run([plan]) { event, downloader in
        switch event.kind {
        case .progress where isPaused.take():
          try await waitUntil("a block is written") { harness.partSize(plan) ?? 0 > 200_000 }
          #expect(isReserved(harness, plan))
          await downloader.pause()
          try await waitUntil("the room is given back") { !isReserved(harness, plan) }
          _ = isResumed.take()
          await downloader.resume()
        case .progress where isResumed.isTaken:
          try await waitUntil("the room is taken anew") { isReserved(harness, plan) }
          await downloader.cancel()
        default: break
        }
      }
      #expect(!isReserved(engine, plan))
    }

    @Test("a version that is much shorter than the one before takes no more space than it needs")
    func restart() async throws {
      let long = MP3Maker(seed: 1, approximateSize: 24 << 20)
      let short = MP3Maker.bytes(seed: 2, length: 2_500_000)
      let server = try LoopbackServer(files: [
        "/a.mp3": FileServing(
          version: {
            $0.attempt == 1 ? Representation(long) : Representation(short, etag: "\"second\"")
          },
          behaviour: {
            $0.attempt == 1
              ? .cut(.reset, .afterBody(1_900_000))
              : $0.attempt == 2 ? .cut(.stall, .afterBody(2_000_000)) : Behaviour()
          })
      ])
      var harness = try EngineHarness()
      harness.session.stallTimeout = .seconds(1)
      let engine = harness
      let plan = engine.plan(server.url("/a.mp3"))
      let run = try await engine.run([plan]) { event, downloader in
        guard case .progress(_, 2_500_000) = event.kind else { return }
        #expect(!isReserved(engine, plan))
        await downloader.cancel()
      }
      #expect(run.restarts(plan) == [.changed])
    }
  }
}
