import PodcastTransfer

/// A transport that sends a `User-Agent` of its own with each request (RFC 9110, 10.1.5). A redirect is
/// a request too.
struct UserAgentTransport: Transport {
  private let transport: any Transport
  private let userAgent: String

  /// Sends a User-Agent with the requests that go through another transport.
  init(_ transport: any Transport, _ userAgent: String) {
    self.transport = transport
    self.userAgent = userAgent
  }

  func perform(
    _ request: HTTPRequest, receiver: any ResponseReceiver, control: TransferControl
  ) async -> TransferEnd {
    var request = request
    request.headers.append(HTTPField("User-Agent", userAgent))
    return await transport.perform(request, receiver: receiver, control: control)
  }
}
