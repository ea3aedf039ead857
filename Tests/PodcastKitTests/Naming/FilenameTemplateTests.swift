import Foundation
import PodcastKit
import Testing

@Suite("File name templates") struct FilenameTemplateTests {
  let podcast = Podcast(id: 1, title: "The Show")

  func episode(_ title: String, seconds: Double?) -> Episode {
    Episode(
      id: 77, title: title, date: seconds.map { Date(timeIntervalSince1970: $0) },
      enclosure: Enclosure(url: "https://a/b.mp3"), number: 3)
  }

  func path(_ template: FilenameTemplate, _ episode: Episode) -> String {
    let (folder, stem) = template.components(podcast: podcast, episode: episode)
    return "\(folder)|\(stem)"
  }

  @Test("the standard template is the one that its text describes") func standard() throws {
    let parsed = try FilenameTemplate(parsing: "{podcast}/{date} - {title}.{ext}")
    #expect(parsed == .standard)
    #expect(path(parsed, episode("A/B", seconds: 0)) == "The Show|1970-01-01 - A-B")
  }

  @Test(
    "the date is the UTC day",
    arguments: [
      (1_676_563_217, "2023-02-16"), (1_709_251_199, "2024-02-29"), (1_709_251_200, "2024-03-01"),
      (-1, "1969-12-31"), (951_782_400, "2000-02-29"), (4_107_542_400, "2100-03-01"),
      (-62_135_596_800, "0001-01-01"), (253_402_300_799.5, "9999-12-31"),
    ])
  func days(seconds: Double, day: String) {
    #expect(path(.standard, episode("T", seconds: seconds)) == "The Show|\(day) - T")
  }

  @Test("a date that is missing or absurd goes with its separator") func missing() {
    for seconds in [nil, .nan, .infinity, 1e18, -1e18] as [Double?] {
      #expect(path(.standard, episode("T", seconds: seconds)) == "The Show|T")
    }
    #expect(path(.standard, episode("", seconds: nil)) == "The Show|Untitled")
    #expect(path(.standard, episode(".NET 8", seconds: 0)) == "The Show|1970-01-01 - .NET 8")
  }

  @Test("empty fields take the right separator along") func separators() throws {
    let template = try FilenameTemplate(
      parsing: "{season}x{episode} - {title} [{id}] {season}.{ext}")
    #expect(path(template, episode("T", seconds: 0)) == "|3 - T [77")
    let tail = try FilenameTemplate(parsing: "a/{podcast}/{title} - S{season}.{ext}")
    #expect(path(tail, episode("T", seconds: 0)) == "a/The Show|T")
  }

  @Test("what cannot be a template says why") func errors() {
    typealias ParseError = FilenameTemplate.ParseError
    let cases: [(String, ParseError)] = [
      ("{title}", .missingExtension), ("{name}.{ext}", .unknownField("name")),
      ("{title.{ext}", .unclosedBrace), ("../{title}.{ext}", .invalidComponent),
      ("/{title}.{ext}", .invalidComponent), ("a//{title}.{ext}", .invalidComponent),
    ]
    for (text, expected) in cases {
      #expect(throws: expected) { try FilenameTemplate(parsing: text) }
    }
  }
}
