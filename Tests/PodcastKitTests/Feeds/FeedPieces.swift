import PodcastFeeds
import PodcastModel
import Testing

/// Feeds that the reader gets in pieces, and truncated feeds.
enum FeedPieces {
  /// What a reader ends with.
  enum Outcome: Equatable {
    case content(FeedContent)
    case failure(PodgetError)
    case other

    init(_ result: Result<FeedContent, any Error>) {
      switch result {
      case .success(let content): self = .content(content)
      case .failure(let error as PodgetError): self = .failure(error)
      case .failure: self = .other
      }
    }
  }

  /// Reads bytes in pieces whose sizes a function gives.
  static func read(_ bytes: [UInt8], size: () -> Int) -> Outcome {
    let reader = FeedReader(details: true)
    var start = 0
    while start < bytes.count {
      let end = min(bytes.count, start + size())
      bytes[start..<end].withUnsafeBytes { reader.feed($0) }
      start = end
    }
    return Outcome(Result { try reader.finish() })
  }

  /// Expects the first bytes of a feed to give the first of its episodes, and an error unless only
  /// white space and the like is missing.
  static func checkCut(_ bytes: [UInt8], at length: Int, whole: FeedDocument) {
    guard let content = try? FeedReader.read(bytes[..<length]) else { return }
    guard case .feed(let document) = content else {
      Issue.record("\(length) bytes are no feed")
      return
    }
    #expect(document.episodes.count <= whole.episodes.count)
    #expect(document.episodes.elementsEqual(whole.episodes.prefix(document.episodes.count)))
    #expect(document == whole || document.error?.code == .decoding, "\(length) bytes")
  }
}
