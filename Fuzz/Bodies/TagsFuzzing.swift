import FoundationEssentials
import PodcastModel

@testable import PodcastKit
@testable import PodcastLibrary
@testable import PodcastTransfer

/// What podget reads before and after it writes tags: the audio in a file, what gives back the file, and
/// what podget-tag answers; and what it asks for.
enum TagsFuzzing {
  static func run(_ input: inout FuzzInput) throws {
    switch input.choice(4) {
    case 0: try audio(input.remaining())
    case 1: try original(input.remaining())
    case 2: try answer(input.remaining())
    default: try request(&input)
    }
  }

  /// Every format gets every input: the work is linear, and equal files have equal audio.
  private static func audio(_ content: [UInt8]) throws {
    var file = CountedBytes(content, repeating: 1)
    _ = try TaggedFormat(of: &file)
    for format in TaggedFormat.allCases {
      var (first, second) = (file, file)
      let sum: String?
      do throws(DiskError) {
        sum = try AudioDigest.sum(of: &first, format)
      } catch {
        throw FuzzFailure(description: "\(format) asks too often: \(error.operation)")
      }
      try FuzzFailure.require(
        try AudioDigest.sum(of: &second, format) == sum, "\(format): two digests")
      // What is behind the audio of a file of tags and pages counts.
      guard let sum, format == .flac || format == .vorbis || format == .opus else { continue }
      var longer = CountedBytes(content + [1], repeating: 1)
      try FuzzFailure.require(
        try AudioDigest.sum(of: &longer, format) != sum, "\(format): one more byte")
    }
  }

  private static func original(_ content: [UInt8]) throws {
    guard let kept = KeptOriginal(Data(content)) else { return }
    guard let data = kept.data, KeptOriginal(data) == kept else {
      throw FuzzFailure(description: "What is read is not written and read as the same.")
    }
    try FuzzFailure.require(kept.original.bytes >= 0, "A negative length.")
    for step in kept.replaced.steps {
      guard case .copy(let offset, let count) = step else { continue }
      try FuzzFailure.require(
        offset >= 0 && count > 0 && offset <= .max - count, "\(count) bytes at \(offset)")
    }
  }

  private static func answer(_ content: [UInt8]) throws {
    guard let names = TagProgram.names(in: content) else { return }
    try FuzzFailure.require(
      Set(names).count == names.count && names.allSatisfy(TagProgram.names.contains),
      "The names \(names)")
  }

  private static func request(_ input: inout FuzzInput) throws {
    var (episode, podcast) = (
      Episode(title: input.line(), enclosure: Enclosure(url: input.line())),
      Podcast(title: input.line(), author: input.line(), feedURL: FeedURL(input.line()))
    )
    episode.guid = input.line()
    episode.number = Int(input.number())
    episode.season = Int(input.number())
    episode.date = Date(timeIntervalSince1970: Double(input.number()))
    podcast.id = input.number()
    var request = TagRequest(episode, of: podcast)
    request.link(input.line())
    request.divide(
      (0..<input.choice(8)).map { _ in
        (start: .milliseconds(input.number() >> 12), title: input.line())
      }, end: input.flag() ? .seconds(input.short()) : nil)
    request.describe(String(decoding: input.remaining(), as: UTF8.self))
    let texts =
      [request.title, request.podcast, request.author, request.guid, request.feed, request.page]
      + request.chapters.map(\.title)
    for text in texts {
      try FuzzFailure.require(
        text.utf8.count <= TagRequest.longestAddress, "A text of \(text.utf8.count) bytes.")
      try FuzzFailure.require(
        !text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F },
        "A control character.")
    }
    try FuzzFailure.require(
      request.description.utf8.count <= TagRequest.longestDescription
        && !request.description.unicodeScalars.contains { $0.value == 0 }, "The description")
    for chapter in request.chapters {
      try FuzzFailure.require(chapter.start <= chapter.end, "A chapter that ends before it begins.")
    }
    for format in TaggedFormat.allCases {
      _ = request.bytes(for: format, writes: true)
    }
  }
}
