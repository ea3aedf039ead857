/// What came of one request of a probe, with the redirects on its way.
public struct ProbeAnswer: Sendable, Hashable {
  /// The byte from which on the request asked; nil without a Range field.
  public var rangeStart: Int64?
  /// Whether the request accepted content codings, which were then taken off.
  public var acceptsCodings: Bool
  /// The redirects in order, a refused one last.
  public var hops: [RedirectHop]
  /// The address that was asked last.
  public var url: String
  /// How the last transfer ended; `refused` after a final head means that enough had come.
  public var end: TransferEnd
  /// The first bytes of the body, at most ``ServerProbe/windowSize``.
  public var start: [UInt8]
  /// From the last request, connecting included, to its final head; nil without one.
  public var timeToHead: Duration?

  /// Makes an answer; tests use it.
  public init(
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
  public var head: ResponseHead? {
    end.redirect == nil ? end.head : nil
  }
}

/// One redirect (RFC 9110, section 15.4).
public struct RedirectHop: Sendable, Hashable {
  /// Whether podget goes where a redirect leads.
  public enum Verdict: String, Sendable, Hashable, CaseIterable {
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
  public var url: String
  /// Its status.
  public var status: Int
  /// The address that it names.
  public var target: String
  /// Whether podget goes there.
  public var verdict: Verdict

  /// Makes a redirect; tests use it.
  public init(url: String, status: Int, target: String, verdict: Verdict = .followed) {
    self.url = url
    self.status = status
    self.target = target
    self.verdict = verdict
  }

  /// The host that answered; empty when the address has none.
  public var host: String { WebAddress(url)?.host ?? "" }

  /// The scheme in which it was asked; empty when the address has none.
  public var scheme: String { WebAddress(url)?.scheme ?? "" }

  /// Whether it leads from https to http, where anyone on the way can read and change what comes.
  public var isDowngrade: Bool {
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
