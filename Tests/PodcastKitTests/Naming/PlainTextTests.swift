import Testing

@testable import PodcastModel

/// What is known of plain texts from their bytes is what the properties of their scalars say.
@Suite("Plain texts") struct PlainTextTests {
  private static let scalars = (0...0x10FFFF as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init)

  @Test("without case they are what Unicode says, alone and between others") func folded() {
    var plain = 0
    for scalar in Self.scalars {
      for text in ["\(scalar)", "Ä\(scalar)z\(scalar)"] {
        guard let folded = PlainText.folded(text) else { continue }
        plain += 1
        let expected = FileName.foldedByProperties(text)
        guard !folded.utf8.elementsEqual(expected.utf8) else { continue }
        Issue.record("U+\(String(scalar.value, radix: 16)): \(folded) is not \(expected)")
      }
    }
    #expect(plain > 60_000)
    #expect(PlainText.folded("STRASSE 東京") == FileName.comparisonKey("Straße 東京"))
    #expect(PlainText.folded("u\u{308}") == nil)
  }

  @Test("they need nothing replaced in a name, and are in one form") func legal() {
    var plain = 0
    for scalar in Self.scalars {
      let text = "a\(scalar)b"
      guard PlainText.isLegal(text) else { continue }
      plain += 1
      let properties = scalar.properties
      let isFine =
        (scalar == " " || !properties.isWhitespace) && !properties.isDefaultIgnorableCodePoint
        && ![.control, .format, .unassigned].contains(properties.generalCategory)
        && text.composed.utf8.elementsEqual(text.utf8) && !"/\\|:\"*?<>".contains("\(scalar)")
      if !isFine { Issue.record("U+\(String(scalar.value, radix: 16))") }
    }
    #expect(plain > 30_000)
    #expect(PlainText.isLegal("Größe - поезд 東京") && !PlainText.isLegal("two  blanks"))
    #expect(!PlainText.isLegal(" blank") && !PlainText.isLegal("u\u{308}"))
  }
}
