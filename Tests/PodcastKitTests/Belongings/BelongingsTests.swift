import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastModel

@Suite("What is stored beside episodes") struct BelongingsTests {
  @Test(
    "the value of --with",
    arguments: [
      ("all", "all"), ("none", "none"), ("notes", "notes"),
      ("artwork,transcripts", "transcripts,artwork"),
      ("chapters,chapters", "chapters"), ("cover,transcripts,chapters,notes,artwork", "all"),
    ])
  func values(text: String, meaning: String) throws {
    let choice = try Belongings(option: text)
    #expect(choice.text == meaning)
    #expect(try Belongings(option: choice.text) == choice)
  }

  @Test(
    "other values are refused", arguments: ["", "transcript", "notes,", "All", "notes, artwork"])
  func refused(text: String) {
    #expect(throws: OptionValueError.self) { try Belongings(option: text) }
  }

  @Test("a file beside an episode has its stem, and a suffix if that name is taken") func names()
    throws
  {
    let key = EpisodeKey(named: "a")
    let names = BelongingName.candidates(beside: "One.mp3", key: key, ending: ".vtt")
    #expect(names.first?.text == "One.vtt")
    #expect(names.dropFirst().first?.text == "One [\(key.text.prefix(6))].vtt")
    let long = try #require(EntryName(String(repeating: "é", count: 125) + ".mp3"))
    for name in BelongingName.candidates(beside: long, key: key, ending: ".chapters.json") {
      #expect(name.text.utf8.count <= 255 && name.text.hasSuffix(".chapters.json"))
    }
  }

  @Test(
    "the ending of a name",
    arguments: [
      ("One.vtt", ".vtt"), ("One.chapters.json", ".chapters.json"), ("One [abcdef].jpg", ".jpg"),
      ("One", ""), ("1.5 hours", ""),
    ])
  func endings(name: String, ending: String) throws {
    #expect(BelongingName.ending(of: try #require(EntryName(name))) == ending)
  }
}
