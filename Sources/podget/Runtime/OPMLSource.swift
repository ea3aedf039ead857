import Glibc
import PodcastKit

/// Where a list of subscriptions is: a file, an address or standard input.
struct OPMLSource: Sendable {
  private static let maximumBytes = 64 << 20

  private let name: String

  /// Names the place as the user did.
  init(_ name: String) { self.name = name }

  /// The complete content.
  ///
  /// - Throws: a ``PodgetError``.
  func bytes(
    _ transport: any Transport, from input: StandardInput, retries: RetryPolicy,
    allowsInsecureRedirects: Bool
  ) async throws(PodgetError) -> [UInt8] {
    if name == SourceArguments.standardInput {
      return try await input.contents(limit: Self.maximumBytes)
    }
    if let url = FeedURL(name) {
      let catalog = FeedCatalog(
        transport: transport, retries: retries, allowsInsecureRedirects: allowsInsecureRedirects)
      return try await catalog.document(at: url, maximumBytes: Self.maximumBytes).bytes
    }
    do throws(DiskError) {
      let file = try OpenFile.ownFile(
        name, limit: Int64(Self.maximumBytes), followsLinks: true)
      return Array(try file.readAll(name, limit: Int64(Self.maximumBytes)))
    } catch {
      throw error.number == ENOENT
        ? PodgetError(.notFound, "There is no file \(name).") : error.podgetError
    }
  }
}
