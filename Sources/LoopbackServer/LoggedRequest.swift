/// A request together with what was sent for it so far.
public struct LoggedRequest: Sendable, Hashable {
  /// What was asked.
  public var request: Request
  /// The status that was answered; nil before the head, and for heads written byte by byte.
  public var status: Int?
  /// The bytes handed to the kernel besides a head: the body with its chunk framing.
  public var bytesSent: Int64

  /// The target's path.
  public var path: String { request.path }
}
