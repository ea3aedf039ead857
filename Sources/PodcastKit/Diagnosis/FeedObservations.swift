package import PodcastFeeds
package import PodcastModel
import PodcastTransfer

/// What a feed and its servers did when a probe read it.
package struct FeedObservations: Sendable {
  /// The answer to a second request, with the validators of the first (RFC 9110, section 13).
  package enum Repetition: String, Sendable, Hashable, CaseIterable {
    /// 304, without a body.
    case notModified
    /// The same bytes once more.
    case sameBytes
    /// Other bytes.
    case otherBytes
    /// The server sends no validator, or did not answer.
    case untested
  }

  /// The source as it was named, without user name and password.
  package var source: String
  /// The address of the feed; nil for a file.
  package var url: FeedURL?
  /// The request for the feed, of which at most ``ServerProbe/windowSize`` bytes were read; nil for
  /// a file.
  package var plain: ProbeAnswer?
  /// The size of the complete feed in bytes, decompressed; nil for a file.
  package var bytes: Int?
  /// What the feed says.
  package var document: FeedDocument
  /// The answer to the second request.
  package var repetition = Repetition.untested
  /// The newest episode, and what its server did; nil if the feed has no episode.
  package var episode: Episode?
  package var server: ServerObservations?

  /// Creates observations; tests use it.
  package init(
    source: String, url: FeedURL? = nil, plain: ProbeAnswer? = nil, bytes: Int? = nil,
    document: FeedDocument, repetition: Repetition = .untested, episode: Episode? = nil,
    server: ServerObservations? = nil
  ) {
    self.source = source
    self.url = url
    self.plain = plain
    self.bytes = bytes
    self.document = document
    self.repetition = repetition
    self.episode = episode
    self.server = server
  }
}
