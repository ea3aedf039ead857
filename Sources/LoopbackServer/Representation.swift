/// One version of a file on a server: its bytes and its validators.
public struct Representation: Sendable {
  /// The size in bytes.
  public var size: Int64
  /// The entity tag with its quotes; nil when the server has none (RFC 9110, section 8.8.3).
  public var etag: String?
  /// The `Last-Modified` date; nil when the server has none.
  public var lastModified: String?
  /// The value of `Content-Type`.
  public var contentType: String
  private var content: @Sendable (Range<Int64>) -> ArraySlice<UInt8>

  /// A date long ago, which makes `Last-Modified` a strong validator (RFC 9110, 8.8.2.2).
  public static let longAgo = HTTPDate.text(1_676_563_217)

  /// Creates a version whose bytes are generated on request, in any order.
  public init(
    size: Int64, etag: String? = "\"first\"", lastModified: String? = longAgo,
    contentType: String = "audio/mpeg",
    content: @escaping @Sendable (Range<Int64>) -> ArraySlice<UInt8>
  ) {
    self.size = size
    self.etag = etag
    self.lastModified = lastModified
    self.contentType = contentType
    self.content = content
  }

  /// Creates a version from bytes in memory.
  public init(
    _ bytes: [UInt8], etag: String? = "\"first\"", lastModified: String? = longAgo,
    contentType: String = "audio/mpeg"
  ) {
    self.init(
      size: Int64(bytes.count), etag: etag, lastModified: lastModified, contentType: contentType
    ) { bytes[Int($0.lowerBound)..<Int($0.upperBound)] }
  }

  /// Creates a version from an mp3 file that is never completely in memory.
  public init(
    _ mp3: MP3Maker, etag: String? = "\"first\"", lastModified: String? = longAgo,
    contentType: String = "audio/mpeg"
  ) {
    self.init(size: mp3.size, etag: etag, lastModified: lastModified, contentType: contentType) {
      mp3.bytes(in: $0)
    }
  }

  /// The bytes of a range within the size.
  public func bytes(in range: Range<Int64>) -> ArraySlice<UInt8> {
    content(range)
  }
}
