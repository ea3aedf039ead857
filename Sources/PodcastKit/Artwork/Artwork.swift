package import PodcastArtwork
package import PodcastModel

/// An image of a podcast or an episode, as podget keeps it.
package struct Artwork: Sendable, Hashable {
  /// What is shown; the image itself is not kept.
  package var thumbnail: Thumbnail
  /// The size of the image in bytes.
  package var imageBytes: Int

  /// Creates an artwork.
  package init(thumbnail: Thumbnail, imageBytes: Int) {
    self.thumbnail = thumbnail
    self.imageBytes = imageBytes
  }
}

/// An image that is wanted, and for what.
package struct ArtworkRequest<Key: Sendable>: Sendable {
  /// What it is for, such as a row of a list.
  package var key: Key
  /// Its address.
  package var address: String
  /// The User-Agent; nil for the usual one.
  package var userAgent: String?

  /// Creates a request.
  package init(_ key: Key, address: String, userAgent: String? = nil) {
    self.key = key
    self.address = address
    self.userAgent = userAgent
  }
}

/// An image that has arrived, or why it has not.
package struct ArtworkArrival<Key: Sendable>: Sendable {
  /// What it is for.
  package var key: Key
  /// Its address.
  package var address: String
  /// The image, or its error.
  package var result: Result<Artwork, PodgetError>
}
