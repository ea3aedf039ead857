/// Decodes a body from all the codings that its head names, as it arrives.
final class BodyDecoder {
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
  func decode(
    _ bytes: UnsafeRawBufferPointer, into receive: (UnsafeRawBufferPointer) -> Bool
  ) -> Inflater.Outcome {
    if let unknown { return .invalid("its coding is unknown: \(unknown)") }
    return decode(bytes, from: 0, into: receive)
  }

  private func decode(
    _ bytes: UnsafeRawBufferPointer, from stage: Int, into receive: (UnsafeRawBufferPointer) -> Bool
  ) -> Inflater.Outcome {
    guard stage < stages.count else { return receive(bytes) ? .taken : .refused }
    return stages[stage].decode(bytes) { decode($0, from: stage + 1, into: receive) }
  }
}
