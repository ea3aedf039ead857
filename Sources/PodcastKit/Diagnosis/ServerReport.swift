import PodcastLibrary
import PodcastModel

/// What a server does with the requests of a download, and what podget will therefore do.
///
/// It is computed from observations alone; the raw values of its findings are the contract with
/// scripts.
package struct ServerReport: Sendable, Hashable {
  /// How the connection to the final address was secured.
  package enum TLS: String, Sendable, Hashable, CaseIterable {
    /// The certificate is trusted.
    case verified
    /// No secure connection came about; the obstacle says why.
    case failed
    /// Plain http.
    case none
    /// Nothing was learnt about it: there was no connection.
    case unknown
  }

  /// How the end of the whole body is told (RFC 9112, section 6.3).
  package enum Framing: String, Sendable, Hashable, CaseIterable {
    /// By `Content-Length`.
    case length
    /// By the chunked coding; the length is not known in advance.
    case chunked
    /// By closing the connection, which a broken connection looks like.
    case close
  }

  /// What a validator is good for (RFC 9110, section 8.8).
  package enum Strength: String, Sendable, Hashable, CaseIterable {
    /// It is the same only for the same bytes.
    case strong
    /// It may be the same for other bytes.
    case weak
    /// It is not sent.
    case none
  }

  /// What becomes of a request for a part (RFC 9110, section 14.2).
  package enum Ranges: String, Sendable, Hashable, CaseIterable {
    /// The part comes.
    case honoured
    /// The whole comes.
    case ignored
    /// Something comes that cannot be combined with other parts.
    case contradictory
    /// An error status.
    case refused
    /// It was not asked, or no answer came.
    case untested
  }

  /// What becomes of a condition on the version (RFC 9110, section 13.1.5).
  package enum IfRange: String, Sendable, Hashable, CaseIterable {
    /// The part comes where the version is the same, and the whole where it is another.
    case honoured
    /// The part comes whatever the condition says.
    case ignored
    /// The whole comes even where the server's own validator is repeated.
    case neverFulfilled
    /// There is nothing to try it with, or no answer came.
    case untested
  }

  /// The answer to a range past the end (RFC 9110, section 15.5.17).
  package enum BeyondEnd: String, Sendable, Hashable, CaseIterable {
    /// 416 with the right length.
    case refusedWithLength
    /// 416 without a length.
    case refusedWithoutLength
    /// 416 with another length than before.
    case refusedWithOtherLength
    /// The whole.
    case whole
    /// Another status.
    case other
    /// It was not asked, or no answer came.
    case untested
  }

  /// Whether several requests brought the same file.
  package enum Repetition: String, Sendable, Hashable, CaseIterable {
    /// As far as was looked, it is the same.
    case same
    /// The bytes are the same and strong validators are not.
    case otherValidator
    /// The same places hold other bytes.
    case otherBytes
    /// The length is another.
    case otherLength
    /// No two answers can be compared.
    case untested
  }

  /// Whether a browser gets what podget does not get.
  package enum Browser: String, Sendable, Hashable, CaseIterable {
    /// It gets the episode.
    case served
    /// It fares no better.
    case refused
    /// It was not tried, since podget gets the episode too.
    case untested
  }

  /// What the report rests on.
  package var observations: ServerObservations

  /// Makes the report on observations.
  package init(_ observations: ServerObservations) { self.observations = observations }

  /// The address as it was asked for.
  package var url: String { observations.url }

  /// The address that answered last.
  package var finalURL: String { plain.url }

  /// The redirects in order.
  package var redirects: [RedirectHop] { plain.hops }

  /// The final status; nil without an answer.
  package var status: Int? { plain.head?.status }

  /// From the last request, connecting included, to the answer's head.
  package var timeToHead: Duration? { plain.timeToHead }

  /// Why nothing can be downloaded; nil when it can.
  package var obstacle: PodgetError? { observations.obstacle }

  /// The length of the whole in bytes, by whichever answer tells it.
  package var length: Int64? { plain.total ?? observations.repeated?.total }

  /// The `Content-Type` field.
  package var contentType: String? { plain.head?.first("Content-Type") }

  /// What the first bytes are; nil when none came.
  package var content: FileCheck.Verdict? { observations.whole.content }

  /// The content codings although none was asked for (RFC 9110, section 8.4).
  package var codings: [String] { plain.head?.codings ?? [] }

  /// The `ETag` field.
  package var etag: String? { plain.validator.etag }

  /// The `Last-Modified` field.
  package var lastModified: String? { plain.validator.lastModified }

  /// What a download is continued by: the value of its If-Range, or nil where it starts again.
  package var condition: String? { plain.validator.ifRange }

  var plain: ProbeAnswer { observations.plain }
}
