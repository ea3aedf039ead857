import Foundation
import PodcastModel
import TestSupport
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

  @Test("a missing or absurd date is omitted with its separator") func missing() {
    for seconds in [nil, .nan, .infinity, 1e18, -1e18] as [Double?] {
      #expect(path(.standard, episode("T", seconds: seconds)) == "The Show|T")
    }
    #expect(path(.standard, episode("", seconds: nil)) == "The Show|Untitled")
    #expect(path(.standard, episode(".NET 8", seconds: 0)) == "The Show|1970-01-01 - .NET 8")
  }

  @Test("empty fields are omitted with the right separator") func separators() throws {
    let template = try FilenameTemplate(
      parsing: "{season}x{episode} - {title} [{id}] {season}.{ext}")
    #expect(path(template, episode("T", seconds: 0)) == "|3 - T [77]")
    let tail = try FilenameTemplate(parsing: "a/{podcast}/{title} - S{season}.{ext}")
    #expect(path(tail, episode("T", seconds: 0)) == "a/The Show|T")
  }

  @Test(
    "formats, fallbacks and braces",
    arguments: [
      ("{date:%Y}/{date:%m}/{title}", "2023/02|A Title"),
      ("{date:%Y-%m-%d %H.%M.%S}", "|2023-02-16 16.00.17"),
      (
        "{date:%-d. %B %y, %A (%a %b) %j %G-W%V-%u %F %s %%}",
        "|16. February 23, Thursday (Thu Feb) 047 2023-W07-4 2023-02-16 1676563217 %"
      ),
      ("{date:%-m-%H:%M}", "|2-16-00"), ("{episode:03} {title}", "|003 A Title"),
      ("{episode:02d}", "|03"), ("{id:.3}", "|123"), ("{title:.4}{season|x}", "|A Tix"),
      ("{season|0}x{episode}", "|0x3"), ("S{season:02|xx} {title}", "|Sxx A Title"),
      ("{season|} - {title}", "|A Title"), ("{title} [{season}]", "|A Title"),
      ("{title} ({season})({episode})", "|A Title (3)"), ("[{id}] {title}", "|[12345] A Title"),
      ("{{{title}}}", "|{A Title}"), ("a}}b{{c", "|a}b{c"),
      ("{author} - {type} - {duration}", "|Ann - full - 62"),
      ("{duration:03} {guid}", "|062 g-1"), ("{filename}", "|the file"),
      (
        "{show.title}/{episode.published_time:%Y-%m-%d} - {episode.title}",
        "The Show|2023-02-16 - A Title"
      ),
      ("{date:..}/{title}", "Untitled|A Title"), ("{title:.2}/../x", nil), ("{title|a/b}", nil),
    ] as [(String, String?)])
  func formats(text: String, expected: String?) throws {
    let podcast = Podcast(id: 1, title: "The Show", author: "Ann")
    let episode = Episode(
      id: 12345, guid: "g-1", title: "A Title", date: Date(timeIntervalSince1970: 1_676_563_217),
      duration: .seconds(3_700),
      enclosure: Enclosure(url: "https://a.example/x/the%20file.mp3?q=/"),
      number: 3)
    let template = try? FilenameTemplate(parsing: text + ".{ext}")
    let names = template?.components(podcast: podcast, episode: episode)
    #expect(names.map { "\($0.folder)|\($0.stem)" } == expected)
  }

  @Test("an invalid template says why") func errors() {
    typealias ParseError = FilenameTemplate.ParseError
    let cases: [(String, ParseError)] = [
      ("{title}", .missingExtension), ("{name}.{ext}", .unknownField("name")),
      ("{title.{ext}", .unclosedBrace), ("../{title}.{ext}", .invalidComponent),
      ("/{title}.{ext}", .invalidComponent), ("a//{title}.{ext}", .invalidComponent),
      ("{title}}.{ext}", .loneBrace), ("{date:%Q}.{ext}", .unknownFormat(field: .date, "%Q")),
      ("{date:}.{ext}", .unknownFormat(field: .date, "")),
      ("{episode:3}.{ext}", .unknownFormat(field: .episode, "3")),
      ("{title:03}.{ext}", .unknownFormat(field: .title, "03")),
      ("{date:%Y/%m}.{ext}", .slashInField("date:%Y/%m")), ("{}.{ext}", .unknownField("")),
    ]
    for (text, expected) in cases {
      #expect(throws: expected) { try FilenameTemplate(parsing: text) }
      #expect(expected.description.contains("template"))
    }
  }

  @Test("random templates name random episodes legally, inside the library, alike each time")
  func random() throws {
    let seed: UInt64 = 4
    var generator = SeededGenerator(seed: seed)
    let pieces = [
      "{podcast}", "{author}", "{title}", "{title:.7}", "{date}", "{date:%d.%m.%Y %H:%M}",
      "{date:...}", "{season|0}", "{episode:03}", "{type}", "{duration}", "{id}", "{guid}",
      "{filename}", "{guid|-}", "/", " - ", ".", "..", " ", "[{season}]", "({id})", "{{", "}}",
      "CON",
      "nul", "~", "\u{202E}", "-", "{title|CON}", "x",
    ]
    var parsed = 0
    for _ in 0..<4_000 {
      let count = Int.random(in: 1...7, using: &generator)
      let text = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
      guard let template = try? FilenameTemplate(parsing: text + ".{ext}") else { continue }
      parsed += 1
      let podcast = Podcast(title: generator.title(), author: generator.title())
      let episode = Episode(
        id: Bool.random(using: &generator) ? 5 : nil, guid: generator.title(),
        title: generator.title(),
        date: Bool.random(using: &generator) ? Date(timeIntervalSince1970: 1e9) : nil,
        enclosure: Enclosure(url: "https://a.example/\(generator.title())"))
      let names = template.components(podcast: podcast, episode: episode)
      let folders = names.folder.split(separator: "/", omittingEmptySubsequences: false)
      let parts = (names.folder.isEmpty ? [] : folders) + [names.stem[...]]
      #expect(
        parts.allSatisfy { isLegal(String($0)) && $0.utf16.count <= 255 },
        "seed \(seed): \(text.debugDescription) \(names)")
      #expect(template.components(podcast: podcast, episode: episode) == names)
    }
    #expect(parsed > 1_000)
  }
}
