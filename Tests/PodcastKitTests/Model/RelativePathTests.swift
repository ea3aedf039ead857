import Testing

@testable import PodcastLibrary
@testable import PodcastModel

/// Paths are checked as bytes, so they have to be cut between bytes: a slash with a mark behind it is
/// one `Character`, which is not equal to a slash.
@Suite("Paths inside a library") struct RelativePathTests {
  private static let odd = [
    "A/\u{903}B/C", "A/\u{301}B", "A/\u{E33}", "\u{903}A/\u{903}B", "A/\u{200D}B", "A/\u{FE0F}B",
    "A\u{600}/B", "A\u{D4E}/\u{D4E}", "A\r/\nB", "A/\u{1F3FB}/\u{1F1E9}/\u{1F1EA}", "Cafe\u{301}/e",
    "Café/é", "A", "\u{301}", "A/B.\u{301}mp3",
  ]

  @Test("the parts of a path are the path", arguments: odd) func parts(text: String) throws {
    let path = try #require(RelativePath(text))
    let bytes = Array(text.utf8)
    let parts = path.components.map { Array($0.text.utf8) }
    #expect(Array(parts.joined(separator: [0x2F])) == bytes)
    #expect(parts.count == bytes.count { $0 == 0x2F } + 1)
    let (folder, name) = try #require(path.split)
    #expect(Array(name.text.utf8) == parts.last)
    #expect(Array(folder.text.utf8) == Array(parts.dropLast().joined(separator: [0x2F])))
    let split = LibraryPath.split(text)
    #expect(Array(split.folder.utf8) == Array(folder.text.utf8))
    #expect(Array(split.name.utf8) == Array(name.text.utf8))
    #expect(folder.appending(name) == path)
  }

  @Test("a slash before a mark is a slash") func marks() {
    #expect(RelativePath("A/\u{903}B/C")?.components.count == 3)
    #expect(FoundFile(path: "A/\u{903}B.mp3", bytes: 1, fileExtension: "mp3").folders == ["A"])
    #expect(LibraryPath.split("").name.isEmpty && LibraryPath.split("A/").folder == "A")
  }
}
