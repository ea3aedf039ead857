package import PodcastModel

extension PodgetError {
  /// Why a transfer got no answer; nil for one that was complete or was ended on purpose.
  ///
  /// - Parameter host: the host that was asked, where the user cannot know it.
  package init?(_ cause: TransferEnd.Cause, of host: String? = nil) {
    let server = host ?? "The server"
    let to = host.map { " to \($0)" } ?? ""
    let answer = "compressed answer" + (host.map { " of \($0)" } ?? "")
    switch cause {
    case .complete, .refused, .aborted: return nil
    case .stalled: self.init(.timeout, "\(server) stopped sending.")
    case .unanswered: self.init(.timeout, "\(server) did not answer.")
    case .slow: self.init(.timeout, "\(server) sends very slowly, and other episodes waited.")
    case .network(let detail): self.init(.network, "The connection\(to) failed: \(detail).")
    case .handshake(let detail): self.init(.tls, "The secure connection\(to) failed: \(detail).")
    case .tls(let detail):
      let certificate = host.map { "The certificate of \($0)" } ?? "The server's certificate"
      self.init(
        .tls, "\(certificate) is not trusted: \(detail).",
        remedy: .trustOtherCertificates)
    case .truncated: self.init(.incomplete, "The \(answer) ends too early.")
    case .undecodable(let detail):
      self.init(.decoding, "The \(answer) cannot be read: \(detail).")
    case .unusable(let detail):
      self.init(.network, "The request\(to) cannot be made: \(detail).")
    }
  }
}

extension TransferEnd.Cause {
  /// Whether a retry may get an answer.
  package var isTransient: Bool {
    switch self {
    case .stalled, .unanswered, .slow, .network, .handshake, .truncated: true
    case .complete, .refused, .aborted, .tls, .undecodable, .unusable: false
    }
  }
}
