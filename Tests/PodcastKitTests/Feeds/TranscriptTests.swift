import PodcastFeeds
import PodcastModel
import Testing

/// Transcripts in all forms that feeds name.
struct TranscriptTests {
  private func paragraphs(
    _ text: String, _ format: TranscriptFormat
  ) throws -> [TranscriptParagraph] {
    try TranscriptParagraph.list(in: text.utf8, format: format)
  }

  private func paragraph(
    _ seconds: Double?, _ speaker: String?, _ text: String
  ) -> TranscriptParagraph {
    TranscriptParagraph(
      start: seconds.map { .milliseconds(Int($0 * 1000)) }, speaker: speaker, text: text)
  }

  @Test func `WebVTT has voices, tags, references and notes`() throws {
    let text = """
      WEBVTT - a title

      STYLE
      ::cue { color: red }

      NOTE
      nobody reads this

      intro
      00:01.000 --> 00:04.000 position:10%,line-left align:left
      <v.loud Ann>Hello &amp; <i>welcome</i>
      to <00:02.000><c.yellow>the</c> show.

      00:00:04.000 --> 00:00:06.500
      <v Ann>We begin.

      00:00:06.500 --> 00:00:08.000
      <v Bob Smith>5 < 6, he says</v>
      """
    #expect(
      try paragraphs(text, .webVTT) == [
        paragraph(1, "Ann", "Hello & welcome to the show. We begin."),
        paragraph(6.5, "Bob Smith", "5 < 6, he says"),
      ])
  }

  @Test(arguments: ["\n", "\r\n", "\r"])
  func `SubRip has numbers, names and any line ends`(end: String) throws {
    let text = """
      1
      00:00:00,500 --> 00:00:02,000
      Ann: {\\an8}<font color="red">First line</font>
      and second.
      2
      00:00:02,000 --> 00:00:03,000
      Still Ann.

      3
      01:00:00,000 --> 01:00:02,000
      Bob: It is 10:30 now
      """
    #expect(
      try paragraphs("\u{FEFF}" + text.replacing("\n", with: end), .subRip) == [
        paragraph(0.5, "Ann", "First line and second. Still Ann."),
        paragraph(3600, "Bob", "It is 10:30 now"),
      ])
  }

  @Test func `words of JSON become paragraphs`() throws {
    let text = """
      {"version":"1.0.0","segments":[
        {"speaker":"Ann","startTime":0.5,"endTime":0.75,"body":"I"},
        {"speaker":"Ann","startTime":0.75,"endTime":1,"body":"see"},
        {"startTime":1,"endTime":1.1,"body":"."},
        {"startTime":5,"endTime":6,"body":"Later."},
        {"speaker":"Bob","startTime":6,"body":"Yes"}, 7,
        {"start":"0:07","end":8,"text":"indeed"}
      ]}
      """
    #expect(
      try paragraphs(text, .json) == [
        paragraph(0.5, "Ann", "I see."), paragraph(5, "Ann", "Later."),
        paragraph(6, "Bob", "Yes indeed"),
      ])
  }

  @Test func `a paragraph ends with a sentence, and is never endless`() throws {
    func captions(_ text: String, _ count: Int) -> String {
      "WEBVTT\n\n"
        + (0..<count).map { number in
          "00:\(10 + number / 60):\(10 + number % 50).000 --> 00:\(10 + number / 60):\(11 + number % 50).000\n"
            + "\(text) \(number)\n\n"
        }.joined()
    }
    let sentences = try paragraphs(
      captions("Forty characters of a sentence. And more", 40).replacing("more", with: "more."),
      .webVTT)
    #expect(sentences.count > 1)
    let endless = try paragraphs(captions("words without any end", 200), .webVTT)
    #expect(endless.allSatisfy { $0.text.utf8.count < 400 } && endless.count > 3)
    let late = "WEBVTT\n\n00:01.000 --> 00:02.000\none\n\n00:06.000 --> 00:07.000\ntwo\n"
    #expect(try paragraphs(late, .webVTT) == [paragraph(1, nil, "one"), paragraph(6, nil, "two")])
  }

  @Test func `captions that are repeated are read once`() throws {
    let text = """
      WEBVTT

      00:01.000 --> 00:02.000
      the same words

      00:02.000 --> 00:03.000
      the same words

      00:03.000 --> 00:04.000
      and more
      """
    #expect(try paragraphs(text, .webVTT) == [paragraph(1, nil, "the same words and more")])
    // Not so if somebody else says them.
    let twice = """
      00:01.000 --> 00:02.000
      Ann: the same words

      00:02.000 --> 00:03.000
      the same words

      00:03.000 --> 00:04.000
      Bob: the same words
      """
    #expect(
      try paragraphs(twice, .subRip) == [
        paragraph(1, "Ann", "the same words"), paragraph(3, "Bob", "the same words"),
      ])
  }

  @Test func `a very long transcript keeps its beginning`() throws {
    let lines = (0..<40_000).map { "line \($0) with some more words, so that it is long enough\n" }
    let found = try paragraphs(lines.joined(), .text)
    #expect(found.first?.text.hasPrefix("line 0 ") == true)
    let size = found.reduce(0) { $0 + $1.text.utf8.count }
    #expect((1 << 19..<1 << 20).contains(size))
    // Nothing that fits is left out before something that does not.
    #expect(found.enumerated().allSatisfy { $1.text.hasPrefix("line \($0) ") })
  }

  @Test func `plain text keeps its lines, and a web page its words`() throws {
    #expect(
      try paragraphs("One  line.\r\n\r\n  Another: line. \n", .text) == [
        paragraph(nil, nil, "One line."), paragraph(nil, nil, "Another: line."),
      ])
    let page = """
      <html><head><style>p { color: red }</style></head><body>
      <cite>Ann:</cite> <time>0:01</time><p>Hello &mdash; all.</p><script>x("<p>")</script>
      """
    #expect(
      try paragraphs(page, .html).map(\.text) == ["Ann: 0:01", "Hello — all."])
  }

  @Test func `a document is read as what it is`() throws {
    let captions = "WEBVTT\n\n00:01.000 --> 00:02.000\nWords\n"
    for format in TranscriptFormat.allCases {
      #expect(try paragraphs(captions, format) == [paragraph(1, nil, "Words")])
    }
    let numbered = "1\n00:00:01,000 --> 00:00:02,000\nWords\n"
    #expect(try paragraphs(numbered, .text) == [paragraph(1, nil, "Words")])
    let json = "{\"segments\":[{\"startTime\":1,\"body\":\"Words\"}]}"
    for format in [TranscriptFormat.json, .webVTT, .subRip, .text] {
      #expect(try paragraphs(json, format) == [paragraph(1, nil, "Words")])
    }
    #expect(try paragraphs("<html><p>Words", .text) == [paragraph(nil, nil, "Words")])
  }

  @Test func `UTF-16 and Windows-1252 are read`() throws {
    let text = "1\n00:00:01,000 --> 00:00:02,000\nCafé\n"
    let units = text.utf16.flatMap { unit -> [UInt8] in [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
    let wide: [UInt8] = [0xFF, 0xFE] + units
    #expect(try TranscriptParagraph.list(in: wide, format: .subRip).map(\.text) == ["Café"])
    let narrow = text.unicodeScalars.map { UInt8($0.value) }
    #expect(try TranscriptParagraph.list(in: narrow, format: .subRip).map(\.text) == ["Café"])
  }

  @Test(arguments: TranscriptFormat.allCases)
  func `nothing to read is an error`(format: TranscriptFormat) {
    for text in ["", " \n\r\n", "\u{0}\u{1}"] {
      #expect(throws: PodgetError(.decoding, "The transcript is not readable.")) {
        try paragraphs(text, format)
      }
    }
  }

  @Test(arguments: [TranscriptFormat.webVTT, .subRip, .json])
  func `a web page instead of captions is named as one`(format: TranscriptFormat) {
    #expect(throws: PodgetError(.decoding, "There is a web page instead of the transcript.")) {
      try paragraphs("<!doctype html><p>Log in", format)
    }
  }

  @Test func `times that cannot be times are no captions`() throws {
    let times = ["99999999:00:00,000", "-1:00", "00:00:01,000x", "1e9", "", ":", "800:00:00"]
    for time in times {
      let text = "\(time) --> 00:00:02,000\nBad\n\n00:01.000 --> 00:02.000\nGood\n"
      #expect(try paragraphs(text, .subRip).map(\.text) == ["Good"], "\(time)")
    }
  }

  @Test func `control characters and marks without end are left out`() throws {
    let marks = String(repeating: "\u{301}", count: 500)
    let found = try paragraphs("a\u{1B}[2Jb\u{7}\u{9B} e\(marks)", .text)
    let text = try #require(found.first?.text)
    #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F })
    #expect(text.utf8.count < 200)
  }
}

/// Which transcript is chosen.
struct TranscriptFormatTests {
  @Test(
    arguments: [
      ("text/vtt", "a", .webVTT), ("TEXT/VTT; charset=utf-8", "a", .webVTT),
      ("application/srt", "a", .subRip), ("application/x-subrip", "a.vtt", .subRip),
      ("application/json", "a", .json), ("text/html", "a.srt", .html), ("text/plain", "a", .text),
      ("text/plain", "https://a.example/b.srt?x=.vtt", .subRip), (nil, "b.VTT", .webVTT),
      (nil, "b", nil), (nil, "https://a.example/", nil), ("application/pdf", "a.txt", nil),
      ("application/octet-stream", "a.json", .json),
    ] as [(String?, String, TranscriptFormat?)])
  func `the type decides, then the extension`(
    type: String?, url: String, format: TranscriptFormat?
  ) {
    #expect(TranscriptFormat(type: type, url: url) == format)
  }

  @Test func `the one with the most to show is chosen, in the first language`() throws {
    let types = [
      "application/pdf", "text/plain", "application/srt", "text/vtt", "application/json",
    ]
    let items = types.enumerated().map { place, type in
      let language = type == "text/vtt" ? "de" : "en"
      return
        "<podcast:transcript url=\"https://a.example/\(place)\" type=\"\(type)\" language=\"\(language)\"/>"
    }
    let details = try FeedCase.document(
      """
      <rss version="2.0" xmlns:podcast="https://podcastindex.org/namespace/1.0"><channel>
      <title>A</title><item><title>B</title><enclosure url="https://a.example/b.mp3"/>
      \(items.joined())</item></channel></rss>
      """, details: true
    ).details
    let best = try #require(details.first?.bestTranscript)
    #expect(best.transcript.url == "https://a.example/4" && best.format == .json)
    #expect(EpisodeDetails().bestTranscript == nil)
  }

  @Test("the server's charset counts") func charset() throws {
    let words: [UInt8] = [0xCF, 0xF0, 0xE8, 0xE2, 0xE5, 0xF2]
    let list = try TranscriptParagraph.list(in: words, format: .text, charset: "windows-1251")
    #expect(list.map(\.text) == ["Привет"])
    let json =
      Array("{\"chapters\":[{\"startTime\":0,\"title\":\"".utf8) + words + Array("\"}]}".utf8)
    #expect(try Chapter.list(in: json, charset: "windows-1251").map(\.title) == ["Привет"])
  }
}
