@testable import PodcastFeeds
@testable import PodcastModel

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
      try requireSearch(finds: paragraph.text, in: bytes)
      try requireSearch(finds: paragraph.speaker ?? "", in: bytes)
    }
    // A byte of windows-1252 has three in UTF-8, and captions are joined by spaces.
    try FuzzFailure.require(total <= bytes.count * 4, "\(total) bytes from \(bytes.count)")
  }

  /// `grep` looks for the words of an expression before it reads a document.
  private static func requireSearch(finds text: String, in document: [UInt8]) throws {
    let words = text.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
    guard let word = words.max(by: { $0.utf8.count < $1.utf8.count }), word.utf8.count < 100,
      let pattern = try? TitlePattern(String(word))
    else { return }
    let mayMatch = document.withUnsafeBufferPointer { PatternWords(pattern).mayMatch($0) }
    try FuzzFailure.require(mayMatch, "\(word) is not found")
  }
}
