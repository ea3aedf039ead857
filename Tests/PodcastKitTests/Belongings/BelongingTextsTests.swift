import Foundation
import PodcastModel
import Testing

@testable import PodcastFeeds
@testable import PodcastKit

@Suite("Texts of a feed that are stored beside episodes") struct BelongingTextsTests {
  private let episode = Episode(
    guid: "1", title: "1", enclosure: Enclosure(url: "https://a.example/1.mp3"))

  private func text(_ kind: Belonging, _ details: EpisodeDetails) -> String? {
    BelongingOffers.list(.all, of: episode, in: Podcast(title: "P"), details)
      .first { $0.kind == kind }?.text
  }

  @Test("of very many chapters the first ones are stored, as a list that can be read")
  func chapters() throws {
    var details = EpisodeDetails()
    details.chapters = (0..<600).map { number in
      Chapter(
        start: .seconds(number), title: "Chapter \(number)",
        url: "https://a.example/" + String(repeating: "x", count: 100))
    }
    let stored = try #require(text(.chapters, details))
    #expect(stored.utf8.count <= PlannedBelonging.mostTextBytes)
    let list = try Chapter.list(in: stored.utf8)
    #expect(list == Array(details.chapters.prefix(list.count)) && list.count > 200)
    _ = try JSONSerialization.jsonObject(with: Data(stored.utf8))
    details.chapters = Array(details.chapters.prefix(3))
    #expect(try Chapter.list(in: #require(text(.chapters, details)).utf8) == details.chapters)
  }

  @Test("of very long notes the last lines are left out, but not the list of links") func notes()
    throws
  {
    var details = EpisodeDetails()
    let line = String(repeating: "word ", count: 20)
    details.description =
      "<a href=\"https://a.example/x\">link</a>"
      + String(repeating: "<p>\(line)</p>", count: 1_000)
    let stored = try #require(text(.notes, details))
    #expect(stored.utf8.count <= PlannedBelonging.mostTextBytes)
    #expect(stored.hasPrefix("link [1]\n") && stored.hasSuffix("\n\n[1]: https://a.example/x\n"))
    let lines = stored.split(separator: "\n").dropFirst().dropLast()
    #expect(lines.count > 500 && lines.allSatisfy { $0 == line.dropLast() })
  }

  @Test(
    "a combining mark hides nothing that acts",
    arguments: [
      "![\u{301}x][1]", "[x](\u{301}/x)", "[x]\u{301}(/x) [y](/y)", "[1]:\u{301} /x",
      "[1]: /x", "a <\u{301}!-- b", "`\u{301}a`", "\\\u{301}![x][1]", "\\![x](/x)",
    ])
  func marks(line: String) throws {
    var details = EpisodeDetails()
    let escaped = line.replacing("<", with: "&lt;")
    details.description = "<a href=\"https://x.example/i.png\">a</a><p>\(escaped)</p>"
    let stored = try #require(text(.notes, details))
    let list = "\n\n[1]: https://x.example/i.png\n"
    #expect(stored.hasSuffix(list))
    let scalars = Array(stored.unicodeScalars.dropLast(list.unicodeScalars.count))
    var place = 0
    var last: Unicode.Scalar = " "
    while place < scalars.count {
      let scalar = scalars[place]
      let pair = "\(String(last))\(String(scalar))"
      #expect(scalar != "<" && scalar != "`", "\(stored)")
      #expect(!["![", "](", "]:"].map { Array($0.utf8) }.contains(Array(pair.utf8)), "\(stored)")
      last = scalar
      if scalar == "\\" {
        // What is escaped begins nothing.
        place += 1
        last = " "
        if place < scalars.count, scalars[place] == "]" { last = "]" }
      }
      place += 1
    }
    #expect(Array(StoredNotes.words(stored).utf8).starts(with: Array("a [1]\n".utf8)))
    #expect(
      Data(StoredNotes.words(stored).utf8).range(of: Data(line.utf8)) != nil, "\(stored)")
  }

  @Test("stored notes are read as the lines that the feed had") func read() throws {
    var details = EpisodeDetails()
    details.description = "<p>{Explicit} a &lt; b</p><p>WEBVTT `c` \\d</p>0:00 --&gt; 1:30 [e](f)"
    let stored = try #require(text(.notes, details))
    let lines = ["{Explicit} a < b", "WEBVTT `c` \\d", "0:00 --> 1:30 [e](f)"]
    #expect(StoredNotes.lines(in: stored.utf8) == lines)
    // Notes of other tools may have another encoding, other ends of lines and empty lines.
    let other: [UInt8] = [0xEF, 0xBB, 0xBF] + Array("a\r\n\r\nb  c\u{1}\rd\\\n\n".utf8)
    #expect(StoredNotes.lines(in: other) == ["a", "", "b c", "d\\"])
    #expect(StoredNotes.lines(in: [0x43, 0x61, 0x66, 0xE9, 0x0A]) == ["Café"])
    #expect(StoredNotes.lines(in: [0x0A]) == [])
  }
}
