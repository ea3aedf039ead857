import PodcastLibrary
import PodcastModel

/// What a server does with the requests of a download, and what podget will do because of that.
///
/// It is computed from observations alone; the raw values of its findings are the contract with
/// scripts.
package struct ServerReport: Sendable, Hashable {
  /// How the connection to the final address was secured.
  package enum TLS: String, Sendable, Hashable, CaseIterable {
    /// The certificate is trusted.
    case verified
    /// The secure connection failed; the obstacle says why.
    case failed
    /// Plain http.
    case none
    /// Not known: there was no connection.
    case unknown
  }

  /// How the end of the complete body is marked (RFC 9112, section 6.3).
  package enum Framing: String, Sendable, Hashable, CaseIterable {
    /// By `Content-Length`.
    case length
    /// By the chunked coding; the length is not known in advance.
    case chunked
    /// By closing the connection, which looks the same as an interrupted connection.
    case close
  }

  /// The strength of a validator (RFC 9110, section 8.8).
  package enum Strength: String, Sendable, Hashable, CaseIterable {
    /// The same validator means the same bytes.
    case strong
    /// The same validator may stand for different bytes.
    case weak
    /// It is not sent.
    case none
  }

  /// How a range request is answered (RFC 9110, section 14.2).
  package enum Ranges: String, Sendable, Hashable, CaseIterable {
    /// With the part.
    case honored
    /// With the complete file.
    case ignored
    /// With something that cannot be combined with other parts.
    case contradictory
    /// With an error status.
    case refused
    /// It was not tried, or there was no answer.
    case untested
  }

  /// How a condition on the version is answered (RFC 9110, section 13.1.5).
  package enum IfRange: String, Sendable, Hashable, CaseIterable {
    /// With the part if the version is the same, otherwise with the complete file.
    case honored
    /// With the part, whatever the condition says.
    case ignored
    /// With the complete file, even if the condition has the server's own validator.
    case neverFulfilled
    /// There is nothing to try it with, or there was no answer.
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
    /// The complete file.
    case whole
    /// Another status.
    case other
    /// It was not tried, or there was no answer.
    case untested
  }

  /// Whether several requests got the same file.
  package enum Repetition: String, Sendable, Hashable, CaseIterable {
    /// It is the same, as far as it was compared.
    case same
    /// The bytes are the same, but strong validators differ.
    case otherValidator
    /// The same positions have different bytes.
    case otherBytes
    /// The length differs.
    case otherLength
    /// No two answers can be compared.
    case untested
  }

  /// Whether a browser gets what podget does not get.
  package enum Browser: String, Sendable, Hashable, CaseIterable {
    /// It gets the episode.
    case served
    /// It does not get it either.
    case refused
    /// It was not tried, because podget gets the episode too.
    case untested
  }

  /// The observations.
  package var observations: ServerObservations

  /// Creates the report from observations.
  package init(_ observations: ServerObservations) { self.observations = observations }

  /// The address as it was requested.
  package var url: String { observations.url }

  /// The address that answered last.
  package var finalURL: String { plain.url }

  /// The redirects in order.
  package var redirects: [RedirectHop] { plain.hops }

  /// The final status; nil without an answer.
  package var status: Int? { plain.head?.status }

  /// From the last request, including the connection, to the answer's head.
  package var timeToHead: Duration? { plain.timeToHead }

  /// Why nothing can be downloaded; nil when it can be.
  package var obstacle: PodgetError? { observations.obstacle }

  /// The length of the complete file in bytes, from any answer that has it.
  package var length: Int64? { plain.total ?? observations.repeated?.total }

  /// The `Content-Type` field.
  package var contentType: String? { plain.head?.first("Content-Type") }

  /// The type of the first bytes; nil when there are none.
  package var content: FileCheck.Verdict? { observations.whole.content }

  /// The content codings, although none was requested (RFC 9110, section 8.4).
  package var codings: [String] { plain.head?.codings ?? [] }

  /// The `ETag` field.
  package var etag: String? { plain.validator.etag }

  /// The `Last-Modified` field.
  package var lastModified: String? { plain.validator.lastModified }

  /// The If-Range value that continues a download; nil when it restarts.
  package var condition: String? { plain.validator.ifRange }

  var plain: ProbeAnswer { observations.plain }
}
