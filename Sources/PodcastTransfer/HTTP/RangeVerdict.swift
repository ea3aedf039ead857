package import PodcastModel

/// The bytes of an episode on disk, and their version.
package struct HeldBytes: Sendable, Hashable {
  /// How many bytes from the beginning are trusted.
  package var count: Int64
  /// The length of the complete file, if a server announced it.
  package var total: Int64?
  /// The version that the bytes belong to.
  package var validator: Validator

  /// Creates a description; without arguments it means that no bytes are on disk.
  package init(count: Int64 = 0, total: Int64? = nil, validator: Validator = Validator()) {
    self.count = count
    self.total = total
    self.validator = validator
  }
}

/// The verdict on a server's answer to a request for an episode.
package enum RangeVerdict: Sendable, Hashable {
  /// The body has these bytes of the file. The bytes on disk from the start of the range on must
  /// equal the body before anything is appended.
  case part(ByteRange, total: Int64?)
  /// The body has the complete file from byte 0. The bytes on disk are compared with it in place; a
  /// reason means that the restart is already known.
  case whole(total: Int64?, RestartReason?)
  /// All bytes are on disk already.
  case complete
  /// The body is not read.
  case refused(Interruption)
}

/// Judges a server's answer before a byte of its body is written.
///
/// The row numbers refer to the table of server behaviors, from which the tests are written.
extension RangeVerdict {
  /// Judges a final response head.
  ///
  /// - Parameters:
  ///   - head: the head of the final response, not a redirect.
  ///   - held: the bytes on disk.
  ///   - rangeStart: the first requested byte, nil without a Range field.
  ///   - acceptsCodings: whether the transport decodes content codings.
  package init(
    _ head: ResponseHead, held: HeldBytes, rangeStart: Int64?, acceptsCodings: Bool = false
  ) {
    self =
      switch head.status {
      case 200 where !head.codings.isEmpty:
        // Row 15: the length and the validators of a coded answer are not those of the file.
        acceptsCodings ? .whole(total: nil, held.count > 0 ? .changed : nil) : .refused(.coded)
      case 206: Self.partial(head, held: held, rangeStart: rangeStart)
      case 200: Self.whole(head, held: held, rangeStart: rangeStart)
      case 204, 205: .refused(.server(.emptyBody(status: head.status), isTransient: false))
      case 416 where rangeStart != nil: Self.unsatisfied(head, held: held)
      case 412: .refused(.restart(.changed))
      case 400...:
        .refused(
          .server(
            .httpStatus(head.status), isTransient: RetryPolicy.isTransient(status: head.status)))
      case 304:
        .refused(
          .server(
            PodgetError(.redirect, "The server answers 304 without having been asked for changes."),
            isTransient: false))
      case 300..<400:
        .refused(
          .server(
            PodgetError(.redirect, "The server redirects (\(head.status)) without an address."),
            isTransient: false))
      default:
        .refused(
          .server(
            PodgetError(
              .incomplete, "The server answers with status \(head.status), not the episode."),
            isTransient: false))
      }
  }

  private static func partial(
    _ head: ResponseHead, held: HeldBytes, rangeStart: Int64?
  ) -> RangeVerdict {
    guard let rangeStart else {
      // Row 13: no part was requested.
      return .refused(
        .server(
          PodgetError(
            .rangeProtocol, "The server sends a part of the episode without being asked."),
          isTransient: true))
    }
    let values = head.values("Content-Range")
    guard head.codings.isEmpty, values.count == 1, let field = ContentRange(values[0]),
      let range = field.range
    else { return .refused(.restart(.rangeProtocol)) }  // Rows 8, 14 and 15.
    switch head.contentLength {
    case .contradictory: return .refused(.restart(.rangeProtocol))
    case .known(let length) where length != range.count:
      return .refused(.restart(.rangeProtocol))  // Row 9.
    case .known, .unknown: break
    }
    if let total = field.total, let heldTotal = held.total, total != heldTotal {
      return .refused(.restart(.changed))  // Row 6.
    }
    if let total = field.total, total < held.count { return .refused(.restart(.changed)) }
    let sameVersion = held.validator.isSameVersion(as: Validator(head))
    if sameVersion == false { return .refused(.restart(.changed)) }  // Row 10.
    if field.total == nil {
      // Row 7: the total is the stored one, which the range must not pass.
      guard sameVersion == true, let heldTotal = held.total, range.end <= heldTotal else {
        return .refused(.restart(.rangeProtocol))
      }
    }
    // Rows 2 to 4: an earlier start only compares more, a later one compares less, a gap is a
    // failure.
    let first = range.start
    // Without a validator that overlap is the only proof, so it must be as long as requested.
    if held.validator.ifRange == nil, sameVersion != true, first > rangeStart {
      return .refused(.restart(.rangeProtocol))
    }
    let leavesGap = first > held.count || (first == held.count && first > rangeStart)
    // Of a body whose coding is unknown, only equal bytes show that it is the file.
    let isProven = sameVersion == true && head.unknownCodings.isEmpty
    if leavesGap, !(first == held.count && isProven) {
      return .refused(.restart(.rangeProtocol))
    }
    return .part(range, total: field.total ?? held.total)
  }

  private static func whole(
    _ head: ResponseHead, held: HeldBytes, rangeStart: Int64?
  ) -> RangeVerdict {
    let total: Int64?
    switch head.contentLength {
    case .contradictory:
      // Row 37; RFC 9112, 6.3 calls it an unrecoverable error of this message.
      return .refused(
        .server(
          PodgetError(.incomplete, "The server names two different lengths."), isTransient: true))
    case .known(0): return .refused(.server(.emptyBody(status: head.status), isTransient: false))
    case .known(let length): total = length
    case .unknown: total = nil
    }
    guard held.count > 0, rangeStart != nil else { return .whole(total: total, nil) }
    // Rows 17 to 20: the length alone proves nothing, even if it equals the bytes on disk.
    let sameVersion = held.validator.isSameVersion(as: Validator(head))
    // One version has one length, even if this answer does not have it.
    if sameVersion == true, total == nil || total == held.total {
      return .whole(total: held.total, .rangeIgnored)
    }
    let isOther = sameVersion == false
    let otherTotal = total != nil && held.total != nil && total != held.total
    return .whole(total: total, isOther || otherTotal ? .changed : nil)
  }

  private static func unsatisfied(_ head: ResponseHead, held: HeldBytes) -> RangeVerdict {
    let values = head.values("Content-Range")
    guard values.count == 1, let field = ContentRange(values[0]), field.range == nil,
      let total = field.total
    else { return .refused(.restart(.rangeProtocol)) }  // Row 24: no information.
    let sameVersion = held.validator.isSameVersion(as: Validator(head))
    if total == held.count, held.total == total || sameVersion == true { return .complete }
    return .refused(.restart(total < held.count ? .changed : .rangeProtocol))  // Row 23.
  }
}

extension PodgetError {
  /// A final HTTP status of 400 and above.
  package static func httpStatus(_ status: Int) -> PodgetError {
    let advice =
      switch status {
      case 401, 407: "it requires a login, which ~/.netrc can provide"
      case 403: "it refuses access"
      case 404: "the episode is not there"
      case 410: "the episode was permanently removed"
      case 429: "too many requests; try again later"
      case 451: "it is not available where you are"
      case 500...: "the server has a problem; try again later"
      default: "it refuses the request"
      }
    return PodgetError(
      .httpStatus, "The server answers \(status): \(advice).", httpStatus: status)
  }

  /// A body in a coding that nobody knows, whose bytes are no media.
  package static func unknownCoding(_ head: ResponseHead) -> PodgetError {
    let names = head.unknownCodings.joined(separator: ", ")
    return PodgetError(.decoding, "The server's content coding is unknown: \(names).")
  }

  package static func emptyBody(status: Int) -> PodgetError {
    PodgetError(.emptyBody, "The server answers \(status) with an empty body.")
  }
}

extension ResponseHead {
  /// What the `Content-Length` fields say together (RFC 9110, 8.6; RFC 9112, 6.3).
  package enum ContentLength: Equatable {
    case unknown
    case known(Int64)
    case contradictory
  }

  /// Whether the body's framing shows its end (RFC 9112, 7.1). libcurl also accepts `identity` and
  /// unknown codings, then reads up to the end of the connection, and calls that complete.
  package var isChunked: Bool { listed("Transfer-Encoding").contains("chunked") }

  /// The codings of the message besides its chunks (RFC 9112, 7.2), as far as they are names.
  package var transferCodings: [String] {
    listed("Transfer-Encoding")
      .filter { !["chunked", "identity", "none"].contains($0) && !$0.contains(" ") }
  }

  /// The length of the body; one with a transfer coding has none, whatever other fields say.
  package var contentLength: ContentLength {
    guard !isChunked, transferCodings.isEmpty else { return .unknown }
    let lengths = values("Content-Length").flatMap { $0.split(separator: ",") }
      .map { Int64(digits: String($0).trimmingASCIIWhitespace()) }
    guard let first = lengths.first else { return .unknown }
    guard let first, lengths.allSatisfy({ $0 == first }) else { return .contradictory }
    return .known(first)
  }

  /// Whether the fields are those of a radio station's server (SHOUTcast, Icecast). Where such a
  /// server announces no length, it sends a live stream.
  package var isLiveStream: Bool {
    ["icy-name", "icy-br", "icy-pub", "icy-metaint"].contains { first($0) != nil }
  }

  /// The content codings (RFC 9110, 8.4), if there are any: names that are no coding are left out,
  /// and if only unknown ones are left, those are ``unknownCodings``.
  package var codings: [String] {
    let names = namedCodings
    return names.contains(where: Self.knownCodings.contains) ? names : []
  }

  /// Names of content codings that nobody knows, if there are no others. Uploads to object stores
  /// leave many, and the body is as it was before: its bytes show whether it is coded at all.
  package var unknownCodings: [String] {
    let names = namedCodings
    return names.contains(where: Self.knownCodings.contains) ? [] : names
  }

  private var namedCodings: [String] {
    listed("Content-Encoding").filter { !Self.noCodings.contains($0) }
  }

  /// Codings that change the bytes, whether podget decodes them or not: those that are registered,
  /// and other names of compressed formats.
  private static let knownCodings: Set = [
    "gzip", "x-gzip", "deflate", "compress", "x-compress", "br", "zstd", "dcb", "dcz", "exi",
    "aes128gcm", "pack200-gzip", "bzip2", "x-bzip2", "xz", "x-xz", "lzma", "x-lzma", "zip",
    "base64",
  ]

  /// What servers name although it is no coding: no coding at all, the encodings of mail, and
  /// charsets. How an upload was signed (`aws-chunked`) is unknown: a store that does not know it has
  /// kept the signatures between the bytes.
  private static let noCodings: Set = [
    "identity", "none", "null", "binary", "7bit", "8bit", "utf-8", "utf8",
    "us-ascii",
    "ascii", "iso-8859-1", "windows-1252",
  ]

  /// The members of a field that is a list of names (RFC 9110, 5.6.1), in lower case.
  private func listed(_ name: String) -> [String] {
    values(name).flatMap { $0.split(separator: ",") }
      .map { String($0).trimmingASCIIWhitespace().lowercased() }.filter { !$0.isEmpty }
  }
}
