import Foundation
import LoopbackServer
import PodcastArtwork
import PodcastModel
import PodcastTransfer
import Synchronization
import TestSupport

@testable import PodcastKit

/// A decoder without images: the first bytes of a body become the color of a thumbnail of one size.
final class ColourDecoder: ImageDecoder {
  let size: Int
  private let decoded = Mutex<[Data]>([])

  init(size: Int = 2) { self.size = size }

  /// What was decoded, in order.
  var bodies: [Data] { decoded.withLock { $0 } }

  func keptThumbnail(of image: Data) async throws(PodgetError) -> KeptThumbnail {
    decoded.withLock { $0.append(image) }
    return KeptThumbnail(try await thumbnail(of: image), file: Array(image))
  }

  func thumbnail(of image: Data) async throws(PodgetError) -> Thumbnail {
    let color = Array(image.prefix(3))
    guard color.count == 3,
      let thumbnail = Thumbnail(
        width: size, height: size, hasAlpha: false,
        pixels: (0..<size * size).flatMap { _ in color })
    else { throw PodgetError(.decoding, "no color") }
    return thumbnail
  }
}

/// A host of images on a loopback port, and a time of day that only tests move.
final class ArtworkHarness: Sendable {
  /// What a path answers.
  struct Answer: Sendable {
    var body: [UInt8] = []
    var status = 200
    var etag: String?
  }

  private final class Shared: Sendable {
    let answers = Mutex<[String: Answer]>([:])
    let isHeld = Mutex(false)
  }

  let folder: TemporaryFolder
  let decoder = ColourDecoder()
  private let server: LoopbackServer
  private let shared: Shared
  private let time = Mutex(Date(timeIntervalSince1970: 1_706_700_000.75))

  init(_ colors: [String: [UInt8]] = [:]) throws {
    folder = try TemporaryFolder()
    let shared = Shared()
    shared.answers.withLock { $0 = colors.mapValues { Answer(body: $0, etag: "\"\($0)\"") } }
    self.shared = shared
    server = try LoopbackServer { request, connection in
      while shared.isHeld.withLock({ $0 }), connection.wait(until: .now + .milliseconds(5)) {}
      let answer = shared.answers.withLock { $0[request.path] } ?? Answer(status: 404)
      let fields = answer.etag.map { [Request.Field("ETag", $0)] } ?? []
      if let etag = answer.etag, request.first("If-None-Match") == etag {
        connection.respond(status: 304, fields: fields)
      } else {
        connection.respond(status: answer.status, fields: fields, body: answer.body)
      }
    }
  }

  /// The answers by their paths; 404 without one.
  subscript(path: String) -> Answer {
    get { shared.answers.withLock { $0[path] ?? Answer(status: 404) } }
    set { shared.answers.withLock { $0[path] = newValue } }
  }

  /// Whether requests wait for their answers.
  var isHeld: Bool {
    get { shared.isHeld.withLock { $0 } }
    set { shared.isHeld.withLock { $0 = newValue } }
  }

  /// The requests so far.
  var log: [LoggedRequest] { server.log }
  /// The largest number of requests at once.
  var peak: Int { server.peakConcurrency }
  /// How many connections are open.
  var connections: Int { server.openConnections }

  func address(_ path: String) -> String { server.origin + path }

  func stop() { server.stop() }

  /// Moves the time of day.
  func pass(days: Double) { time.withLock { $0.addTimeInterval(days * 86_400) } }

  /// The folder of the cache.
  func artworkFolder(maximumBytes: Int64 = ArtworkFolder.standardBytes) throws -> ArtworkFolder {
    try FileManager.default.createDirectory(
      atPath: folder.path("artwork"), withIntermediateDirectories: true)
    return ArtworkFolder(
      try OpenFile.folder(folder.path("artwork"), creating: false), maximumBytes: maximumBytes)
  }

  /// The names of the files in the cache.
  var files: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder.path("artwork")).sorted()) ?? []
  }

  /// Works with a new cache, whose memory is empty.
  func withCache<Result: Sendable>(
    limits: ArtworkCache.Limits = ArtworkCache.Limits(),
    maximumBytes: Int64 = ArtworkFolder.standardBytes,
    _ work: (ArtworkCache) async throws -> Result
  ) async throws -> Result {
    let folder = try artworkFolder(maximumBytes: maximumBytes)
    return try await CurlSession.with(CurlSession.Configuration(userAgent: "test/1")) {
      session in
      try await work(
        ArtworkCache(
          transport: session, decoder: decoder, folder: folder, limits: limits,
          retries: RetryPolicy(retries: 0), now: { self.time.withLock { $0 } }))
    }
  }
}

extension Artwork {
  /// The color of the first pixel.
  var color: [UInt8] { Array(thumbnail.pixels.prefix(3)) }
}
