import PodcastKit

extension JSONValue {
  /// The event of an artwork that has arrived.
  init(_ artwork: Artwork, of podcast: Podcast, url: String, path: String?) {
    self = [
      "event": "artwork", "podcast": JSONValue(podcast), "url": .address(url),
      "width": .integer(artwork.thumbnail.width), "height": .integer(artwork.thumbnail.height),
      "bytes": .integer(artwork.imageBytes), "path": .string(path),
    ]
  }

  /// The event of an artwork that cannot be had.
  init(failedArtworkOf podcast: Podcast?, source: String?, url: String?, _ error: PodgetError) {
    self = [
      "event": "failed", "podcast": podcast.map { JSONValue($0) } ?? .null,
      "source": .address(source), "url": .address(url), "error": JSONValue(error),
    ]
  }
}

/// The schemas of the lines of `artwork`.
extension JSONSchemas {
  /// One schema for each kind of line.
  static let artworkEvents: [JSONValue] = [
    JSONSchema.object([
      "event": JSONSchema.word("artwork"), "podcast": podcast, "url": JSONSchema.string,
      "width": JSONSchema.count, "height": JSONSchema.count, "bytes": JSONSchema.count,
      "path": JSONSchema.optionalString,
    ]),
    JSONSchema.object([
      "event": JSONSchema.word("failed"), "podcast": JSONSchema.optional(podcast),
      "source": JSONSchema.optionalString, "url": JSONSchema.optionalString, "error": error,
    ]),
    JSONSchema.object([
      "event": JSONSchema.word("summary"), "finished": JSONSchema.count,
      "failed": JSONSchema.count,
    ]),
  ]
}
