import PodcastFeeds
import PodcastModel
import Testing

/// Chapters in JSON.
struct ChapterTests {
  private func chapters(_ text: String) throws -> [Chapter] { try Chapter.list(in: text.utf8) }

  @Test func `chapters are read by their beginnings`() throws {
    let text = """
      {"version": "1.2.0", "title": "Show", "waypoints": [1, {"a": null}], "chapters": [
        {"startTime": 94.5, "title": "  The \\u00efcons\\n of the end ", "img": "https://a.example/1.png"},
        {"startTime": 0, "title": "Intro", "url": "https://a.example/intro?x=1", "endTime": 94.5},
        {"startTime": 3725, "title": "Not in the list", "toc": false},
        {"startTime": 3725.25, "toc": true, "location": {"name": "Here"}},
        {"startTime": 94.5, "title": "The same place"}
      ]}
      """
    #expect(
      try chapters(text) == [
        Chapter(start: .zero, title: "Intro", url: "https://a.example/intro?x=1"),
        Chapter(start: .milliseconds(94_500), title: "The ïcons of the end"),
        Chapter(start: .milliseconds(94_500), title: "The same place"),
        Chapter(start: .milliseconds(3_725_250), title: "Untitled chapter"),
      ])
  }

  @Test(
    arguments: [
      ("90", 90_000), ("1.5e2", 150_000), ("\"90\"", 90_000), ("\"1:30\"", 90_000),
      ("\"01:02:03.25\"", 3_723_250), ("\"2:03,5\"", 123_500),
    ] as [(String, Int)])
  func `a beginning may be a number or a text`(start: String, milliseconds: Int) throws {
    let found = try chapters("{\"chapters\":[{\"startTime\":\(start),\"title\":\"A\"}]}")
    #expect(found.map(\.start) == [.milliseconds(milliseconds)])
  }

  @Test(
    arguments: [
      "-1", "1e300", "\"x\"", "null", "true", "[1]", "2678401", "\"1:2:3:4\"", "\"99999999\"",
      "\"\"",
    ])
  func `a beginning that cannot be one leaves its chapter out`(start: String) throws {
    let text = """
      {"chapters":[{"startTime":\(start),"title":"A"},{"title":"B"},7,{"startTime":1,"title":"C"}]}
      """
    #expect(try chapters(text).map(\.title) == ["C"])
  }

  @Test func `addresses that nobody can open are left out`() throws {
    let text = """
      {"chapters":[{"startTime":1,"title":"A","url":"javascript:alert(1)"},
      {"startTime":2,"title":"B","url":"/relative"}]}
      """
    #expect(try chapters(text).map(\.url) == [nil, nil])
  }

  @Test func `a document that is cut gives what came before`() throws {
    let text = """
      {"chapters":[{"startTime":1,"title":"A"},{"startTime":2,"title":"B"},{"startTime":3,"title":"C"}]}
      """
    #expect(try chapters(String(text.prefix(75))).map(\.title) == ["A", "B"])
    #expect(try chapters("{\"chapters\":[]}") == [])
  }

  @Test(arguments: ["", "{}", "[]", "{\"chapters\": 7}", "words", "\u{0}"])
  func `anything else is an error`(text: String) {
    #expect(throws: PodgetError(.decoding, "The list of chapters is not readable.")) {
      try chapters(text)
    }
  }

  @Test func `a web page is named as one`() {
    #expect(throws: PodgetError(.decoding, "There is a web page instead of the chapters.")) {
      try chapters("\n<!DOCTYPE html><title>Not found</title>")
    }
  }

  @Test func `more chapters than anybody has are not kept`() throws {
    let entry = "{\"startTime\":1,\"title\":\"A\"}"
    let text = Array(repeating: entry, count: 20_000).joined(separator: ",")
    #expect(try chapters("{\"chapters\":[\(text)]}").count == 5000)
  }
}
