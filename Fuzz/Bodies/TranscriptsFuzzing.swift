import PodcastModel

@testable import PodcastFeeds

/// Transcripts in each form: paragraphs with words, no more of them than there are bytes.
enum TranscriptsFuzzing {
  static func run(_ input: inout FuzzInput) throws {
    let format = TranscriptFormat.allCases[input.choice(TranscriptFormat.allCases.count)]
    let bytes = input.remaining()
    let paragraphs: [TranscriptParagraph]
    do throws(PodgetError) {
      paragraphs = try TranscriptParagraph.list(in: bytes, format: format)
    } catch {
      return try FuzzFailure.require(!error.message.isEmpty, "An error without words.")
    }
    var total = 0
    for paragraph in paragraphs {
      try FuzzFailure.require(!paragraph.text.isEmpty, "A paragraph without words.")
      try FuzzFailure.require(paragraph.speaker?.isEmpty != true, "A speaker without a name.")
      if let start = paragraph.start {
        try FuzzFailure.require(
          start >= .zero && start <= .milliseconds(MediaTime.maximum), "The time \(start)")
      }
      for text in [paragraph.text, paragraph.speaker ?? ""] {
        try FuzzFailure.require(
          text.unicodeScalars.allSatisfy { $0.value >= 0x20 }, "A control character in \(text)")
      }
      total += paragraph.text.utf8.count
    }
    // A byte of windows-1252 has three in UTF-8, and captions are joined by spaces.
    try FuzzFailure.require(total <= bytes.count * 4, "\(total) bytes from \(bytes.count)")
  }
}
