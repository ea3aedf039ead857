/// A request together with what was sent for it so far.
public struct LoggedRequest: Sendable, Hashable {
  /// The request.
  public var request: Request
  /// The status of the answer; nil before the head, and for heads written byte by byte.
  public var status: Int?
  /// The bytes passed to the kernel after the head: the body with its chunk framing.
  public var bytesSent: Int64

  /// The target's path.
  public var path: String { request.path }
}
