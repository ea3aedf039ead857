import PodcastFeeds
import PodcastModel
import Testing

/// Bytes in other encodings than UTF-8, and bytes that are in none.
@Suite("Encodings of feeds") struct FeedEncodingTests {
  private func title(
    _ title: [UInt8], declared: String? = nil, charset: String? = nil
  ) throws -> String {
    let declaration = declared.map { "<?xml version='1.0' encoding='\($0)'?>" } ?? ""
    let bytes =
      Array("\(declaration)<rss><channel><title>".utf8) + title
      + Array("</title></channel></rss>".utf8)
    let document = try FeedCase.document(bytes, charset: charset)
    #expect(document.error == nil)
    return document.podcast.title
  }

  // Learnt from Rss20LeMonde and others.
  @Test("a false iso-8859-1 declaration does not make UTF-8 unreadable")
  func falseDeclaration() throws {
    #expect(try title(Array("Actualités".utf8), declared: "iso-8859-1") == "Actualités")
    #expect(try title(Array("Новости".utf8), declared: "windows-1251") == "Новости")
    #expect(try title(Array("é".utf8), charset: "iso-8859-1") == "é")
  }

  @Test("iso-8859-1 means windows-1252")
  func windows1252() throws {
    #expect(try title([0x4D, 0x92, 0x73, 0xE9], declared: "ISO-8859-1") == "M’sé")
    #expect(try title([0x4D, 0x92, 0x73]) == "M’s")
    #expect(try title([0x81, 0x41]) == "\u{FFFD}A")
  }

  // The last two letters of each word look like one of UTF-8.
  @Test("a declared character set counts for the whole feed, or not at all")
  func mixed() throws {
    let german: [UInt8] = [0x84] + Array("Spa".utf8) + [0xDF, 0x93]
    let french: [UInt8] = [0xAB] + Array("CAF".utf8) + [0xC9, 0xBB]
    for label in ["windows-1252", "iso-8859-1"] {
      #expect(try title(german, declared: label) == "„Spaß“")
      #expect(try title(french, declared: label) == "«CAFÉ»")
      #expect(try title(german, charset: label) == "„Spaß“")
      #expect(
        try title(german + Array(repeating: 0x20, count: 70_000) + french, charset: label)
          == "„Spaß“ «CAFÉ»")
    }
    // One byte in much UTF-8 does not make it another character set.
    let text = Array("Ação é só isso, não é não: coração à mão".utf8)
    #expect(
      try title(text + [0x2E, 0xE9], declared: "iso-8859-1")
        == "Ação é só isso, não é não: coração à mão.é")
    #expect(try title(german, declared: "utf-8").hasPrefix("„Spa"))
  }

  @Test("other character sets are converted")
  func converted() throws {
    let russian: [UInt8] = [0xCF, 0xF0, 0xE8, 0xE2, 0xE5, 0xF2]
    #expect(try title(russian, declared: "windows-1251") == "Привет")
    #expect(try title(russian, charset: "windows-1251") == "Привет")
    #expect(try title(russian, declared: "koi8-r", charset: "cp1251") == "Привет")
    #expect(try title([0xC4, 0xE3, 0xBA, 0xC3], declared: "gb2312") == "你好")
    #expect(try title([0xA4], declared: "iso-8859-15") == "€")
    #expect(try title([0xC4, 0xE3, 0xFF, 0x41], declared: "gb2312").hasPrefix("你"))
  }

  @Test("an unknown character set counts for nothing")
  func unknown() throws {
    #expect(try title(Array("é".utf8), declared: "nonesense") == "é")
  }

  @Test("UTF-16 and UTF-32 are known by their marks, and without them")
  func wide() throws {
    let text = "<?xml version='1.0' encoding='utf-16'?>" + FeedCase.rss("<title>ignored</title>")
    let little = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    let big = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    let wide = text.unicodeScalars.flatMap { [UInt8($0.value & 0xFF), 0, 0, 0] }
    for bytes in [
      [0xFF, 0xFE] + little, [0xFE, 0xFF] + big, little, big, [0xFF, 0xFE, 0, 0] + wide,
      [0xEF, 0xBB, 0xBF] + Array(text.utf8),
    ] {
      #expect(try FeedCase.document(bytes).podcast.title == "Show")
    }
  }

  @Test("a truncated sequence becomes one replacement character")
  func cutSequence() throws {
    #expect(try title([0x41, 0xE2, 0x80, 0x42]) == "A\u{FFFD}B")
    #expect(try title([0xED, 0xA0, 0x80]).isEmpty == false)
  }

  @Test("control characters and noncharacters are dropped")
  func controls() throws {
    #expect(try title([0x41, 0x00, 0x0B, 0x1F, 0x42, 0xEF, 0xBF, 0xBF]) == "AB")
  }
}
