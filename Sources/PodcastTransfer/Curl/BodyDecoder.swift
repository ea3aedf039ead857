/// Decodes a body from all the codings that its head names, as it arrives.
///
/// A few bytes may decode to gigabytes, so it stops between two blocks when it is told to, and goes on
/// where it was.
final class BodyDecoder {
  /// What became of a piece.
  enum Outcome: Sendable, Hashable {
    case taken
    /// It was told to stop. So many bytes of the piece are read, and the next one begins behind them,
    /// even if nothing is left of this one.
    case stopped(consumed: Int)
    /// The receiver of the decoded bytes refused them.
    case refused
    /// The bytes are not in this coding; the reason is part of a sentence.
    case invalid(String)
  }

  /// The coding that the server applied last comes first.
  private var stages: [Inflater] = []
  /// A coding that podget cannot decode.
  private let unknown: String?

  /// More codings than any server applies; each costs memory.
  private static let longestChain = 4

  /// Creates a decoder for a body; nil if it is not coded.
  ///
  /// - Parameter acceptsCodings: whether the request accepts content codings. Otherwise only
  ///   transfer codings are decoded, since they belong to the message and not to the file.
  init?(_ head: ResponseHead, acceptsCodings: Bool) {
    let codings = (acceptsCodings ? head.codings : []) + head.transferCodings
    var unknown = codings.count > Self.longestChain ? codings.joined(separator: ", ") : nil
    for name in codings.reversed() where unknown == nil {
      switch name {
      case "gzip", "x-gzip": stages.append(Inflater(.gzip))
      case "deflate": stages.append(Inflater(.deflate))
      // libcurl's other name for no coding.
      case "none": break
      default: unknown = name
      }
    }
    self.unknown = unknown
    guard unknown != nil || !stages.isEmpty else { return nil }
  }

  /// Whether every coding ended properly here.
  var isAtEnd: Bool { stages.allSatisfy(\.isAtEnd) }

  /// Decodes a piece of the body.
  ///
  /// - Parameters:
  ///   - mayGoOn: asked after each block of decoded bytes, of 64 KiB at most.
  ///   - receive: takes decoded bytes; false refuses the rest.
  func decode(
    _ bytes: UnsafeRawBufferPointer, while mayGoOn: () -> Bool,
    into receive: (UnsafeRawBufferPointer) -> Bool
  ) -> Outcome {
    if let unknown { return .invalid("its coding is unknown: \(unknown)") }
    stages[0].feed(bytes)
    while true {
      switch next(stages.count - 1) {
      case .needsInput: return .taken
      case .invalid(let reason): return .invalid(reason)
      case .bytes(let decoded):
        guard decoded.isEmpty || receive(decoded) else { return .refused }
        guard mayGoOn() else { return .stopped(consumed: bytes.count - stages[0].unread) }
      }
    }
  }

  /// The next block of a stage, which reads those of the stage before it.
  private func next(_ stage: Int) -> Inflater.Output {
    while true {
      let output = stages[stage].next()
      guard case .needsInput = output, stage > 0 else { return output }
      let input = next(stage - 1)
      guard case .bytes(let bytes) = input else { return input }
      guard !bytes.isEmpty else { return input }
      stages[stage].feed(bytes)
    }
  }
}
