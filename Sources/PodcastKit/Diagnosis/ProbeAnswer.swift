import PodcastModel
import PodcastTransfer

/// The result of one request of a probe, with its redirects.
package struct ProbeAnswer: Sendable, Hashable {
  /// The first byte that the request asked for; nil without a Range field.
  package var rangeStart: Int64?
  /// Whether the request accepted content codings, which were then decoded.
  package var acceptsCodings: Bool
  /// The redirects in order, a refused one last.
  package var hops: [RedirectHop]
  /// The address of the last request.
  package var url: String
  /// How the last transfer ended; `refused` after a final head means that enough was received.
  package var end: TransferEnd
  /// The first bytes of the body, at most ``ServerProbe/windowSize``.
  package var start: [UInt8]
  /// The time from the last request, including the connection, to its final head; nil without one.
  package var timeToHead: Duration?

  /// Creates an answer; tests use it.
  package init(
    rangeStart: Int64? = nil, acceptsCodings: Bool = false, hops: [RedirectHop] = [], url: String,
    end: TransferEnd,
    start: [UInt8] = [], timeToHead: Duration? = nil
  ) {
    self.rangeStart = rangeStart
    self.acceptsCodings = acceptsCodings
    self.hops = hops
    self.url = url
    self.end = end
    self.start = start
    self.timeToHead = timeToHead
  }

  /// The final head; nil when there was none or the last one was a redirect that is not followed.
  package var head: ResponseHead? {
    end.redirect == nil ? end.head : nil
  }
}

/// One redirect (RFC 9110, section 15.4).
package struct RedirectHop: Sendable, Hashable {
  /// Whether podget follows a redirect.
  package enum Verdict: String, Sendable, Hashable, CaseIterable {
    /// It is followed.
    case followed
    /// From https to http, which is not allowed.
    case refusedAsInsecure
    /// To a scheme other than http and https.
    case refusedScheme
    /// More than ten redirects.
    case refusedAsTooMany
  }

  /// The address that answered.
  package var url: String
  /// Its status.
  package var status: Int
  /// The address that it names.
  package var target: String
  /// Whether podget follows it.
  package var verdict: Verdict

  /// Creates a redirect; tests use it.
  package init(url: String, status: Int, target: String, verdict: Verdict = .followed) {
    self.url = url
    self.status = status
    self.target = target
    self.verdict = verdict
  }

  /// The host that answered; empty when the address has none.
  package var host: String { WebAddress(url)?.host ?? "" }

  /// The scheme of the request; empty when the address has none.
  package var scheme: String { WebAddress(url)?.scheme ?? "" }

  /// The target without what may be secret: without credentials and query, and only the scheme of
  /// what is not a web address.
  package var redactedTarget: String {
    if let address = WebAddress(target), address.isHTTP { return AddressRedaction.shown(target) }
    return WebAddress.scheme(of: target).map { "\($0):…" } ?? AddressRedaction.shown(target)
  }

  /// Whether it leads from https to http, where anyone on the network can read and change the data.
  package var isDowngrade: Bool {
    scheme == "https" && WebAddress(target)?.scheme == "http"
  }
}

extension RedirectHop.Verdict {
  /// The verdict on a redirect.
  init(_ follow: () throws(RedirectChain.Refusal) -> Void) {
    do throws(RedirectChain.Refusal) {
      try follow()
      self = .followed
    } catch {
      self =
        switch error {
        case .tooMany: .refusedAsTooMany
        case .scheme: .refusedScheme
        case .insecure: .refusedAsInsecure
        }
    }
  }
}
