import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import PodcastKit
@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

/// A library of its own, and downloads into it from a server on this machine over the real transport.
struct EngineHarness: Sendable {
  let folder: TemporaryFolder
  let library: Library
  var options = DownloadOptions()
  var session = CurlSession.Configuration(
    userAgent: "podget-test", stallTimeout: .seconds(10), proxy: "")
  var clock: any Clock<Duration> = ContinuousClock()
  var now: @Sendable () -> Date = { Date() }
  var refresh: AddressRefresh?

  /// What happens at each event, on the consumer's side.
  typealias EventHandler = @Sendable (DownloadEvent, Downloader) async throws -> Void

  init() throws {
    folder = try TemporaryFolder()
    library = try #require(try Library.open(folder.path("library"), creating: true))
    options.retries = RetryPolicy(baseDelay: .milliseconds(1))
  }

  /// The plan for an episode at an address.
  func plan(
    _ url: String, title: String = "Episode", date: Date? = nil, length: Int64? = nil
  ) -> DownloadPlan {
    let podcast = Podcast(id: 1, title: "Show")
    let episode = Episode(
      guid: title, title: title, date: date, enclosure: Enclosure(url: url, length: length))
    return DownloadPlan(
      key: EpisodeIdentity.key(podcast: podcast, episode: episode), podcast: podcast,
      episode: episode, folder: "Show", stem: title, announcedExtension: "mp3")
  }

  /// Downloads and returns the events, after it has checked that those of each plan are in order.
  func run(_ plans: [DownloadPlan], onEvent: @escaping EventHandler = { _, _ in }) async throws
    -> EngineRun
  {
    try await CurlSession.with(session) { session in
      try await run(plans, over: session, onEvent: onEvent)
    }
  }

  func run(
    _ plans: [DownloadPlan], over transport: any Transport,
    onEvent: @escaping EventHandler = { _, _ in }
  ) async throws -> EngineRun {
    let downloader = try Downloader(
      library: library, transport: transport, options: options, refresh: refresh, clock: clock,
      now: now)
    async let all: Void = downloader.run(plans)
    var run = EngineRun()
    for await event in downloader.events {
      run.append(event)
      try await onEvent(event, downloader)
    }
    await all
    for plan in plans { run.checkOrder(of: plan) }
    return run
  }

  /// The bytes of a file below the library.
  func read(_ path: String) throws -> [UInt8] { try folder.read("library/\(path)") }

  /// The SHA-256 of a file in the library, computed from a copy of what is on the disk.
  func sha256(_ path: String) throws -> String? {
    let copy = "copy-\(UUID().uuidString)"
    try folder.write(copy, read(path))
    return try PartFile.open(folder.path(copy), in: library.root)?.sha256()
  }

  /// The finished files: all that are not podget's own.
  var finishedFiles: [String] { files.filter { !$0.contains(".podget") } }

  /// The size of an episode's part file in bytes; nil if there is none.
  func partSize(_ plan: DownloadPlan) -> Int64? {
    (try? folder.read("library/.podget/partial/\(plan.key).part")).map { Int64($0.count) }
  }

  /// All files below the library but the index, which may come and go.
  var files: [String] {
    folder.files.filter { $0.hasPrefix("library/") }.map { String($0.dropFirst(8)) }
      .filter { !$0.hasPrefix(LibraryDatabase.name) }
  }
}

/// The events of one run of a downloader.
struct EngineRun: Sendable {
  private(set) var events: [DownloadEvent] = []
  private var kindsByKey: [String: [DownloadEvent.Kind]] = [:]

  mutating func append(_ event: DownloadEvent) {
    events.append(event)
    kindsByKey[event.plan.key, default: []].append(event.kind)
  }

  /// What happened to one episode, in order.
  func kinds(_ plan: DownloadPlan) -> [DownloadEvent.Kind] { kindsByKey[plan.key] ?? [] }

  /// How it ended.
  func outcome(_ plan: DownloadPlan) -> DownloadEvent.Kind? { kinds(plan).last }

  func finished(_ plan: DownloadPlan) -> FinishedFile? {
    if case .finished(let file) = outcome(plan) { file } else { nil }
  }

  func error(_ plan: DownloadPlan) -> PodgetError? {
    if case .failed(let error) = outcome(plan) { error } else { nil }
  }

  func cancelled(_ plan: DownloadPlan) -> Int64? {
    if case .cancelled(let received) = outcome(plan) { received } else { nil }
  }

  func restarts(_ plan: DownloadPlan) -> [RestartReason] {
    kinds(plan).compactMap { if case .restarted(let reason) = $0 { reason } else { nil } }
  }

  func retries(_ plan: DownloadPlan) -> [(attempt: Int, delay: Duration, reason: PodgetError.Code)]
  {
    kinds(plan).compactMap {
      if case .retrying(let attempt, let delay, let reason) = $0 {
        (attempt, delay, reason)
      } else {
        nil
      }
    }
  }

  func resumedFrom(_ plan: DownloadPlan) -> Int64? {
    kinds(plan).lazy.compactMap { if case .started(let from) = $0 { from } else { nil } }.first
  }

  /// First planned, unless it was not recorded, then exactly one terminal event, which is the last.
  fileprivate func checkOrder(of plan: DownloadPlan) {
    let kinds = kinds(plan)
    if kinds.count > 1 {
      guard case .planned = kinds.first else {
        Issue.record("\(plan.stem) begins with \(String(describing: kinds.first))")
        return
      }
      #expect(kinds.count { if case .planned = $0 { true } else { false } } == 1)
    }
    #expect(kinds.count { $0.isTerminal } == 1, "\(plan.stem): \(kinds)")
    #expect(kinds.last?.isTerminal == true, "\(plan.stem): \(kinds)")
  }
}

extension LoopbackServer {
  /// The address of a path.
  func url(_ path: String) -> String { origin + path }
}
