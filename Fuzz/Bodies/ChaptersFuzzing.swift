import PodcastModel

@testable import PodcastFeeds

/// Chapters in JSON: by their beginnings, bounded, with addresses that can be fetched.
enum ChaptersFuzzing {
  static func run(_ input: inout FuzzInput) throws {
    let bytes = input.remaining()
    let chapters: [Chapter]
    do throws(PodgetError) {
      chapters = try Chapter.list(in: bytes)
    } catch {
      return try FuzzFailure.require(!error.message.isEmpty, "An error without words.")
    }
    var last = Duration.zero
    for chapter in chapters {
      try FuzzFailure.require(
        chapter.start >= last && chapter.start <= .milliseconds(MediaTime.maximum),
        "\(chapter.start) after \(last)")
      last = chapter.start
      try FuzzFailure.require(!chapter.title.isEmpty, "A chapter without a title.")
      try FuzzFailure.require(
        chapter.title.utf8.count <= FeedLimits.titleBytes, "A long title.")
      if let url = chapter.url {
        try FuzzFailure.require(WebAddress(url)?.isHTTP == true, "The address \(url)")
      }
    }
  }
}
