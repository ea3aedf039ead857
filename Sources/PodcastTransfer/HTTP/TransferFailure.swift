package import PodcastModel

extension PodgetError {
  /// Why a transfer got no answer; nil for one that was complete or was ended on purpose.
  package init?(_ cause: TransferEnd.Cause) {
    switch cause {
    case .complete, .refused, .aborted: return nil
    case .stalled: self.init(.timeout, "The server stopped sending.")
    case .slow: self.init(.timeout, "The server sends very slowly, and other episodes waited.")
    case .network(let detail): self.init(.network, "The connection failed: \(detail).")
    case .handshake(let detail):
      self.init(.tls, "The secure connection failed: \(detail).")
    case .tls(let detail):
      self.init(
        .tls, "The server's certificate is not trusted: \(detail).",
        remedy: .trustOtherCertificates)
    case .truncated: self.init(.incomplete, "The compressed answer ends too early.")
    case .undecodable(let detail):
      self.init(.decoding, "The compressed answer cannot be read: \(detail).")
    case .unusable(let detail):
      self.init(.network, "The request cannot be made: \(detail).")
    }
  }
}

extension TransferEnd.Cause {
  /// Whether a retry may get an answer.
  package var isTransient: Bool {
    switch self {
    case .stalled, .slow, .network, .handshake, .truncated: true
    case .complete, .refused, .aborted, .tls, .undecodable, .unusable: false
    }
  }
}
