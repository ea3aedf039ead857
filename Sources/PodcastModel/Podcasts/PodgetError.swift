/// What went wrong with an episode or a source, for scripts and people.
///
/// It is the `error` object of the JSON output and the sentence of the text output.
public struct PodgetError: Error, Sendable, Hashable {
  /// The kinds of failure; the raw values are the contract with scripts.
  public enum Code: String, Sendable, Hashable, CaseIterable, Codable {
    /// No connection, or it was lost too often.
    case network
    /// Nothing was received during the stall timeout.
    case timeout
    /// Certificates and handshakes.
    case tls
    /// A final status of 400 and above.
    case httpStatus
    /// Too many redirects, one from https to http that is not allowed, or one to another scheme.
    case redirect
    /// The server contradicts itself about ranges.
    case rangeProtocol
    /// The server never sent all of it.
    case incomplete
    /// The server sent nothing.
    case emptyBody
    /// The content is HTML, XML, JSON or plain text.
    case notAudio
    /// The disk is full, or the quota is used up.
    case diskFull
    /// Any other error of the disk.
    case disk
    /// The directory, feed or library has no such podcast or episode.
    case notFound
    /// An answer or a feed that cannot be parsed.
    case decoding
    /// A command that was to run after a download or a sync.
    case command
  }

  /// The kind of failure.
  public var code: Code
  /// What a user can do about a failure. The program that shows it says how: a command names its
  /// option.
  public enum Remedy: Sendable, Hashable {
    /// Download the rest later.
    case resume
    /// Ask again later.
    case tryAgain
    /// Make room on the disk, and then download the rest.
    case makeRoom
    /// Make room on the disk, and run the command again.
    case makeRoomAndRepeat
    /// Delete files immediately, instead of keeping them for a while.
    case deleteAtOnce
    /// Finish the partial download of the episode.
    case finishDownload
    /// Download the episode again.
    case downloadAgain
    /// Allow redirects from https to http.
    case allowInsecureRedirects
    /// Accept longer bodies without an announced length.
    case acceptMore
    /// Trust another list of certificates.
    case trustOtherCertificates
    /// Give a user name and a password.
    case logIn
    /// Follow a podcast first.
    case followOne
    /// Follow a podcast first, or say that none is followed on purpose.
    case followOneOrNone
    /// Follow another feed of a podcast too, or name the subscription with this name.
    case chooseFeed(String)
    /// Let the subscription with this name, and its login, go where its feed is.
    case acceptMove(String)
    /// Look for the podcast's id, or in another country's directory.
    case lookElsewhere
    /// Search for a podcast by this name.
    case search(String)
    /// Begin an address with its scheme.
    case beginWithScheme
    /// Check an address, and find out what its server does.
    case diagnose
    /// Look at what the library has.
    case listEpisodes
    /// Look at the addresses of podcasts, and at the ids of their episodes.
    case listWithAddresses
    /// Look at the names of the subscriptions.
    case listSubscriptions
    /// Let subscriptions that rest be asked again.
    case unpause
    /// Follow the feed.
    case subscribe
    /// Follow the podcasts of a list.
    case importSubscriptions
    /// Copy files that cannot be linked.
    case copyFiles
    /// Publish although most of what was published goes.
    case publishAnyway
  }

  /// One sentence: what happened. It does not name the episode; the program that prints it knows
  /// which one it was. User names and passwords of addresses are removed.
  public var message: String {
    didSet { message = AddressRedaction.withoutCredentials(in: message) }
  }
  /// The final HTTP status, with ``Code/httpStatus``.
  public var httpStatus: Int?

  /// A possible remedy; nil if none is known.
  public var remedy: Remedy?

  /// What a later run does about the failure, where its kind alone does not say that.
  package enum Circumstance: Sendable, Hashable {
    /// A redirect led to the refusal: the original address may lead elsewhere next time.
    case afterRedirect
    /// The body has no announced length, and is longer than podget accepts, or a live stream.
    case endless
    /// The file has not the hashes that the feed announces.
    case mismatch
  }

  /// What distinguishes this failure from others of its kind; nil for most.
  package var circumstance: Circumstance?

  /// Creates an error.
  public init(
    _ code: Code, _ message: String, httpStatus: Int? = nil, remedy: Remedy? = nil
  ) {
    self.code = code
    self.message = AddressRedaction.withoutCredentials(in: message)
    self.httpStatus = httpStatus
    self.remedy = remedy
  }

  /// Creates an error of one source among several, and begins with its name. The source is as the
  /// user named it; an address loses its credentials and its query.
  public init(_ code: Code, _ message: String, of source: String, httpStatus: Int? = nil) {
    self.init(
      code, "\(AddressRedaction.shown(source)): \(message)", httpStatus: httpStatus)
  }
}
