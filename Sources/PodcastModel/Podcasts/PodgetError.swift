/// What went wrong with an episode or a source, in the terms that scripts and people get.
///
/// It is the `error` object of the JSON output and the sentence of the text output.
public struct PodgetError: Error, Sendable, Hashable {
  /// The kinds of failure; the raw values are the contract with scripts.
  public enum Code: String, Sendable, Hashable, CaseIterable, Codable {
    /// No connection, or it broke too often.
    case network
    /// Nothing arrived for the stall timeout.
    case timeout
    /// Certificates and handshakes.
    case tls
    /// A final status of 400 and above.
    case httpStatus
    /// Too many redirects, one from https to http without leave, or one to another scheme.
    case redirect
    /// The server contradicts itself about ranges.
    case rangeProtocol
    /// The server never delivered all of it.
    case incomplete
    /// The server delivered nothing.
    case emptyBody
    /// The content is HTML, XML, JSON or plain text.
    case notAudio
    /// No room, or over quota.
    case diskFull
    /// Any other error of the disk.
    case disk
    /// The directory, feed or library has no such podcast or episode.
    case notFound
    /// An answer or a feed that cannot be read.
    case decoding
  }

  /// The kind of failure.
  public var code: Code
  /// What a user can do about a failure. Whoever shows it says how: a command names its option.
  public enum Remedy: Sendable, Hashable {
    /// Download the rest later.
    case resume
    /// Make room on the disk, and download the rest then.
    case makeRoom
    /// Delete files at once, instead of keeping them for a while.
    case deleteAtOnce
    /// Finish the unfinished download of the episode.
    case finishDownload
    /// Download the episode once more.
    case downloadAgain
    /// Permit redirects from https to http.
    case allowInsecureRedirects
    /// Trust another list of certificates.
    case trustOtherCertificates
    /// Look for the podcast's id, or in another country's directory.
    case lookElsewhere
    /// Search for a podcast by this name.
    case search(String)
  }

  /// One sentence: what happened. It names no episode; whoever prints it knows which one it was.
  /// User names and passwords of addresses are taken out of it.
  public var message: String {
    didSet { message = AddressRedaction.withoutCredentials(in: message) }
  }
  /// The final HTTP status, with ``Code/httpStatus``.
  public var httpStatus: Int?

  /// What can be done about it; nil where nothing is known to help.
  public var remedy: Remedy?

  /// Makes an error.
  public init(
    _ code: Code, _ message: String, httpStatus: Int? = nil, remedy: Remedy? = nil
  ) {
    self.code = code
    self.message = AddressRedaction.withoutCredentials(in: message)
    self.httpStatus = httpStatus
    self.remedy = remedy
  }

  /// Makes an error of one source among several, whose name it begins with. The source is as the user
  /// named it; an address loses its credentials and its query.
  public init(_ code: Code, _ message: String, of source: String, httpStatus: Int? = nil) {
    self.init(
      code, "\(AddressRedaction.shown(source)): \(message)", httpStatus: httpStatus)
  }
}
