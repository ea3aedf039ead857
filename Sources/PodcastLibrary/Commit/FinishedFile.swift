/// A file that is complete and durable under its final name.
public struct FinishedFile: Sendable, Hashable {
  /// The path relative to the library.
  public var path: String
  /// The size in bytes.
  public var bytes: Int64
  /// The SHA-256 of the content in lower-case hex; nil when checksums were turned off.
  public var sha256: String?

  /// Creates a description of a finished file.
  public init(path: String, bytes: Int64, sha256: String?) {
    self.path = path
    self.bytes = bytes
    self.sha256 = sha256
  }
}
