/// The media file of an episode, as announced (RSS 2.0, `enclosure`).
///
/// The announcement is a hint: `length` and `mimeType` are often wrong, and only the server's
/// answer and the bytes themselves decide.
public struct Enclosure: Sendable, Hashable {
  /// The address as published, percent-encoding unchanged.
  public var url: String
  /// The announced size in bytes; nil when absent or zero.
  public var length: Int64?
  /// The announced media type, such as `audio/mpeg`, or only a class such as `audio`.
  public var mimeType: String?
  /// The announced file extension without its dot, such as `mp3`.
  public var fileExtension: String?
  /// The announced hashes of its bytes (Subresource Integrity), one of which the file must have.
  public var integrity: String?

  /// Creates an enclosure; only the address is required.
  public init(
    url: String, length: Int64? = nil, mimeType: String? = nil, fileExtension: String? = nil
  ) {
    self.url = url
    self.length = length
    self.mimeType = mimeType
    self.fileExtension = fileExtension
  }
}
