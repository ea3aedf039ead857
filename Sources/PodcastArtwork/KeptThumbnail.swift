/// A thumbnail together with a small file of it, which is decoded as any image.
package struct KeptThumbnail: Sendable, Hashable {
  /// The thumbnail.
  package let thumbnail: Thumbnail
  /// The file; empty if there is none.
  package let file: [UInt8]

  /// The word that asks the program for the file too.
  package static let word = "keep"
  /// The size of a file that no thumbnail exceeds: without loss, nothing is larger than its pixels.
  package static let maximumFileBytes = Thumbnail.maximumBytes
  /// The size of ``bytes`` that is not exceeded.
  package static let maximumBytes = Thumbnail.maximumBytes + maximumFileBytes

  /// Creates a thumbnail with its file.
  package init(_ thumbnail: Thumbnail, file: [UInt8]) {
    self.thumbnail = thumbnail
    self.file = file
  }

  /// Reads what ``bytes`` wrote; nil for anything else.
  package init?(bytes: [UInt8]) {
    guard let length = Thumbnail.length(of: bytes), length <= bytes.count,
      let thumbnail = Thumbnail(bytes: Array(bytes[..<length]))
    else { return nil }
    self.init(thumbnail, file: Array(bytes[length...]))
  }

  /// The thumbnail as it goes from one program to another, then the file.
  package var bytes: [UInt8] { thumbnail.bytes + file }
}
