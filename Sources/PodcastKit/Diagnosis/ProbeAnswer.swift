import PodcastModel
import PodcastTransfer

/// What came of one request of a probe, with the redirects on its way.
package struct ProbeAnswer: Sendable, Hashable {
  /// The byte from which on the request asked; nil without a Range field.
  package var rangeStart: Int64?
  /// Whether the request accepted content codings, which were then taken off.
  package var acceptsCodings: Bool
  /// The redirects in order, a refused one last.
  package var hops: [RedirectHop]
  /// The address that was asked last.
  package var url: String
  /// How the last transfer ended; `refused` after a final head means that enough had come.
  package var end: TransferEnd
  /// The first bytes of the body, at most ``ServerProbe/windowSize``.
  package var start: [UInt8]
  /// From the last request, connecting included, to its final head; nil without one.
  package var timeToHead: Duration?

  /// Makes an answer; tests use it.
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

  /// The final head; nil when none came or the last one was a redirect that is not followed.
  package var head: ResponseHead? {
    end.redirect == nil ? end.head : nil
  }
}

/// One redirect (RFC 9110, section 15.4).
package struct RedirectHop: Sendable, Hashable {
  /// Whether podget goes where a redirect leads.
  package enum Verdict: String, Sendable, Hashable, CaseIterable {
    /// It goes there.
    case followed
    /// From https to http without leave.
    case refusedAsInsecure
    /// To another scheme than http and https.
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
  /// Whether podget goes there.
  package var verdict: Verdict

  /// Makes a redirect; tests use it.
  package init(url: String, status: Int, target: String, verdict: Verdict = .followed) {
    self.url = url
    self.status = status
    self.target = target
    self.verdict = verdict
  }

  /// The host that answered; empty when the address has none.
  package var host: String { WebAddress(url)?.host ?? "" }

  /// The scheme in which it was asked; empty when the address has none.
  package var scheme: String { WebAddress(url)?.scheme ?? "" }

  /// Whether it leads from https to http, where anyone on the way can read and change what comes.
  package var isDowngrade: Bool {
    scheme == "https" && WebAddress(target)?.scheme == "http"
  }
}

extension RedirectHop.Verdict {
  /// What became of going where a redirect leads.
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
