import PodcastKit

/// The lines of `artwork`.
extension JSONForms {
  /// An artwork that has arrived.
  struct Arrived: Sendable {
    let artwork: Artwork
    let podcast: Podcast
    let url: String
    /// Where its thumbnail was written; nil for nowhere.
    let path: String?
  }

  /// An artwork that cannot be had.
  struct Missed: Sendable {
    let podcast: Podcast?
    let source: String?
    let url: String?
    let error: PodgetError
  }

  static let arrivedArtwork = JSONForm<Arrived> {
    JSONMember("event", is: "artwork")
    JSONMember("podcast", podcast, \.podcast)
    JSONMember("url", .address, \.url)
    JSONMember("width", .count, \.artwork.thumbnail.width)
    JSONMember("height", .count, \.artwork.thumbnail.height)
    JSONMember("bytes", .count, \.artwork.imageBytes)
    JSONMember("path", .string, \.path)
  }

  static let missedArtwork = JSONForm<Missed> {
    JSONMember("event", is: "failed")
    JSONMember("podcast", podcast, \.podcast)
    JSONMember("source", .address, \.source)
    JSONMember("url", .address, \.url)
    JSONMember("error", error, \.error)
  }

  static let artworkSummary = JSONForm<(finished: Int, failed: Int)> {
    JSONMember("event", is: "summary")
    JSONMember("finished", .count) { $0.finished }
    JSONMember("failed", .count) { $0.failed }
  }
}
