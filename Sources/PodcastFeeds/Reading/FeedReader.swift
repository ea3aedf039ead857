public import PodcastModel

/// Reads a podcast's feed as its bytes arrive: RSS, Atom or JSON Feed, in any encoding, well formed or
/// not.
///
/// Give it the bytes with ``feed(_:)`` in pieces of any size, then call ``finish()`` once. What comes
/// out does not depend on the pieces. Nothing is ever loaded: no DTD, no entity, nothing from a network
/// or a disk. It keeps what it needs of each episode, and not the feed itself; only JSON and web pages
/// are gathered.
///
/// One reader is used by one thread at a time.
public final class FeedReader {
  private enum Route {
    /// No character has come that tells what this is.
    case unknown
    case markup
    case json
  }

  /// How many bytes are decoded at once.
  private static let pieceBytes = 64 * 1024

  private let url: FeedURL?
  private let wantsDetails: Bool
  private let preference: MediaPreference?
  private let limits: FeedLimits
  private var decoder: FeedDecoder
  private var markup: MarkupReader<FeedBuilder>
  private var route = Route.unknown
  /// Whether a limit is passed, so that nothing more is read.
  private var isStopped = false
  /// Clean text that may be a web page, or JSON.
  private var gathered: [UInt8] = []
  private var decodedBytes = 0
  /// What finding links or reading JSON took besides its bytes.
  private var laterWork = 0
  private var decoded: [UInt8] = []

  /// Makes a reader for one feed.
  ///
  /// - Parameters:
  ///   - url: the address from which the feed comes, to which relative ones are relative.
  ///   - charset: the `charset` parameter of the answer's content type, when there is one.
  ///   - details: whether descriptions, links, transcripts, chapters and persons are kept too.
  ///   - preference: which file of an episode is wanted if the feed offers several; nil for the
  ///     publisher's.
  ///   - limits: how much is read.
  public init(
    url: FeedURL? = nil, charset: String? = nil, details: Bool = false,
    preference: MediaPreference? = nil, limits: FeedLimits = FeedLimits()
  ) {
    self.preference = preference
    self.url = url
    wantsDetails = details
    self.limits = limits
    decoder = FeedDecoder(charset: charset)
    markup = MarkupReader(
      FeedBuilder(url: url, wantsDetails: details, limits: limits, preference: preference))
  }

  /// How much was done so far, in about the bytes that were read or written by each step.
  ///
  /// It does not depend on the machine, so that tests can bound what a hostile feed costs.
  package var work: Int { decodedBytes + markup.work + markup.target.work + laterWork }

  /// Takes the next bytes of the feed.
  public func feed(_ bytes: UnsafeRawBufferPointer) {
    bytes.withMemoryRebound(to: UInt8.self) { bytes in
      var rest = bytes
      while !rest.isEmpty, !isStopped {
        let count = min(rest.count, Self.pieceBytes)
        let piece = UnsafeBufferPointer(rebasing: rest[..<count])
        if decoder.isUnchanged(piece) {
          pass(piece)
        } else {
          decoded.removeAll(keepingCapacity: true)
          decoder.add(piece, to: &decoded)
          decoded.withUnsafeBufferPointer { pass($0) }
        }
        rest = UnsafeBufferPointer(rebasing: rest[count...])
      }
    }
  }

  /// Ends the feed and returns what was found.
  ///
  /// Throws ``PodgetError/Code/decoding`` when there is neither a feed nor a web page. A feed that
  /// breaks off is no error here: ``FeedDocument/error`` says what is wrong with it.
  public func finish() throws(PodgetError) -> FeedContent {
    decoded.removeAll(keepingCapacity: true)
    if !isStopped { decoder.finish(to: &decoded) }
    decoded.withUnsafeBufferPointer { pass($0) }
    if case .json = route { return try json() }
    guard decodedBytes > 0 else { throw PodgetError(.decoding, "The feed is empty.") }
    switch markup.kind {
    case .feed: return .feed(document())
    case .webPage:
      let found = gathered.withUnsafeBufferPointer { FeedDiscovery.found(in: $0, url: url) }
      laterWork += found.work
      return .webPage(found.links)
    case .outlines:
      throw PodgetError(
        .decoding, "This is a list of subscriptions and no feed.", remedy: .importSubscriptions)
    case nil: throw PodgetError(.decoding, "This is neither a feed nor a web page.")
    }
  }

  /// Reads a whole feed at once. It is what ``init(url:charset:details:preference:limits:)``, ``feed(_:)`` and
  /// ``finish()`` do.
  public static func read(
    _ bytes: some Sequence<UInt8>, url: FeedURL? = nil, charset: String? = nil,
    details: Bool = false, preference: MediaPreference? = nil, limits: FeedLimits = FeedLimits()
  ) throws(PodgetError) -> FeedContent {
    let reader = FeedReader(
      url: url, charset: charset, details: details, preference: preference, limits: limits)
    Array(bytes).withUnsafeBytes { reader.feed($0) }
    return try reader.finish()
  }

  private static let tooLarge = PodgetError(.decoding, "The feed is too large.")

  static func error(of limit: FeedBuilder.PassedLimit, _ limits: FeedLimits) -> PodgetError {
    switch limit {
    case .items: PodgetError(.decoding, "The feed lists more than \(limits.items) episodes.")
    case .addresses: PodgetError(.decoding, "The feed's relative addresses are too long.")
    }
  }
}

extension FeedReader {
  /// Reads clean text.
  private func pass(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard !bytes.isEmpty else { return }
    let bytes = UnsafeBufferPointer(rebasing: bytes.prefix(max(limits.bytes - decodedBytes, 0)))
    decodedBytes += bytes.count
    if case .unknown = route { chooseRoute(bytes) }
    switch route {
    case .markup: passMarkup(bytes)
    case .json: gathered += bytes
    case .unknown: break
    }
    // JSON is gathered whole, so less of it is read.
    if decodedBytes >= (route == .json ? limits.bytes / 8 : limits.bytes) { isStopped = true }
  }

  /// JSON begins with a brace, everything else is looked at as markup.
  private func chooseRoute(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let first = bytes.first(where: { !MarkupTag.isSpace($0) }) else { return }
    route = first == UInt8(ascii: "{") ? .json : .markup
  }

  private func passMarkup(_ bytes: UnsafeBufferPointer<UInt8>) {
    if markup.kind != .feed { gather(bytes) }
    guard markup.kind != .webPage else { return }
    markup.add(bytes)
    if markup.kind == .feed, !gathered.isEmpty { gathered = [] }
    if markup.target.passedLimit != nil { isStopped = true }
  }

  /// Keeps the beginning of what may be a web page.
  private func gather(_ bytes: UnsafeBufferPointer<UInt8>) {
    let room = FeedDiscovery.maximumBytes - gathered.count
    if room > 0 { gathered += bytes.prefix(room) }
  }

  private func document() -> FeedDocument {
    var document = markup.target.result()
    if let limit = markup.target.passedLimit {
      document.error = Self.error(of: limit, limits)
    } else if isStopped {
      document.error = Self.tooLarge
    } else if !markup.isComplete {
      document.error = PodgetError(.decoding, "The feed is cut short.")
    }
    return document
  }

  private func json() throws(PodgetError) -> FeedContent {
    var reader = JSONFeedReader(
      url: url, wantsDetails: wantsDetails, limits: limits, preference: preference)
    let read = gathered.withUnsafeBufferPointer { reader.read($0) }
    laterWork += reader.work
    guard var document = read else {
      throw PodgetError(.decoding, "This is JSON, but no JSON Feed with a list of items.")
    }
    if isStopped { document.error = Self.tooLarge }
    return .feed(document)
  }
}
