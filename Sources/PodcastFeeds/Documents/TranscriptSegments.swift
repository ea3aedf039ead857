/// Reads JSON transcripts: `segments` with `startTime`, `endTime`, `speaker` and `body`, each of a
/// word or of a sentence (Podcast Namespace, transcripts). Recognizers of speech write `start`, `end`
/// and `text` instead.
enum TranscriptSegments {
  private static let nameBytes = 128

  static func read(
    _ text: UnsafeBufferPointer<UInt8>, _ paragraphs: inout TranscriptParagraphs
  ) {
    var scanner = JSONScanner(text)
    // What came before a fault counts.
    try? scanner.object { (scanner, name) throws(JSONScanner.Fault) in
      guard name == "segments", scanner.isArray() else { return try scanner.skip() }
      try scanner.array { scanner throws(JSONScanner.Fault) in
        if let part = try segment(&scanner) { paragraphs.add(part) }
      }
    }
  }

  private static func segment(
    _ scanner: inout JSONScanner
  ) throws(JSONScanner.Fault) -> TranscriptParagraphs.Part? {
    guard scanner.isObject() else {
      try scanner.skip()
      return nil
    }
    var part = TranscriptParagraphs.Part(text: "")
    try scanner.object { (scanner, name) throws(JSONScanner.Fault) in
      switch name {
      case "startTime", "start": part.start = MediaTime.milliseconds(try scanner.scalar())
      case "endTime", "end": part.end = MediaTime.milliseconds(try scanner.scalar())
      case "speaker":
        part.speaker = try scanner.scalar()?.text.flatMap {
          FeedText.line($0.utf8, maximumBytes: nameBytes)
        }
      case "body", "text":
        part.text =
          try scanner.scalar()?.text.flatMap { FeedText.line($0.utf8, maximumBytes: 8192) } ?? ""
      default: try scanner.skip()
      }
    }
    return part
  }
}
