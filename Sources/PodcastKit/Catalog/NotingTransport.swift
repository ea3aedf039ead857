import PodcastTransfer

/// A transport that says when a server has answered.
struct NotingTransport: Transport {
  private struct Receiver: ResponseReceiver {
    let receiver: any ResponseReceiver
    let note: @Sendable () -> Void

    func receive(head: ResponseHead) -> Bool {
      note()
      return receiver.receive(head: head)
    }

    func receive(body: UnsafeRawBufferPointer) -> Bool { receiver.receive(body: body) }

    var isFull: Bool { receiver.isFull }

    func settle() { receiver.settle() }
  }

  private let transport: any Transport
  private let note: @Sendable () -> Void

  /// Performs requests with another transport, and calls `note` at the head of each answer.
  init(_ transport: any Transport, _ note: @escaping @Sendable () -> Void) {
    self.transport = transport
    self.note = note
  }

  func perform(
    _ request: HTTPRequest, receiver: any ResponseReceiver, control: TransferControl
  ) async -> TransferEnd {
    let end = await transport.perform(
      request, receiver: Receiver(receiver: receiver, note: note), control: control)
    // The receiver does not get the head of a redirect.
    if end.head != nil { note() }
    return end
  }
}
