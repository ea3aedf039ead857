import Foundation
import TestSupport
import Testing

@testable import podget

@Suite("JSON schemas") struct SchemaTests {
  @Test("the validator finds what is wrong")
  func validator() throws {
    let schema = try #require(SchemaCheck.schemas["search"])
    func problems(_ text: String) throws -> [String] {
      let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
      return SchemaValidator.problems(of: value, schema: schema)
    }
    let good =
      #"{"id":1,"title":"T","author":null,"feedUrl":null,"artworkUrl":null,"episodeCount":3}"#
    #expect(try problems("[\(good)]") == [])
    #expect(try problems("[]") == [])
    #expect(try problems(good).isEmpty == false)
    #expect(try problems("[\(good.replacing("\"id\":1", with: "\"id\":\"1\""))]").count == 1)
    #expect(try problems("[\(good.replacing("\"id\":1", with: "\"id\":true"))]").count == 1)
    #expect(try problems("[\(good.replacing(",\"author\":null", with: ""))]").count == 1)
    #expect(try problems("[\(good.replacing("{", with: "{\"x\":0,"))]").count == 1)
    #expect(try problems("[\(good.replacing(":3", with: ":-3"))]").count == 1)
  }

  @Test("every line of a run is of one kind of event")
  func events() throws {
    let schema = try #require(SchemaCheck.schemas["download"])
    let summary =
      #"{"event":"summary","finished":1,"skipped":0,"failed":0,"cancelled":0,"bytes":5}"#
    for (line, isRight) in [
      (summary, true), (summary.replacing("summary", with: "end"), false),
      (#"{"event":"paused","podcast":{"id":1,"title":"T","feedUrl":null},"episode":null}"#, false),
    ] {
      let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
      #expect(SchemaValidator.problems(of: value, schema: schema).isEmpty == isRight, "\(line)")
    }
  }

  @Test("every command that knows --json has a schema, and help json prints it")
  func help() async throws {
    let names = JSONSchemas.all.map(\.key)
    let others = ["help", "ls", "rm", "subs", "export", "browse"]
    #expect(names == CommandNames.all.filter { !others.contains($0) }.sorted())
    for name in names {
      let run = try await RunningProcess(.podget, ["help", "json", name]).waitForExit()
      #expect(run.status == .exited(0))
      let schema = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? NSDictionary
      #expect(schema == SchemaCheck.schemas[name])
    }
    let all = try await RunningProcess(.podget, ["help", "json"]).waitForExit()
    let object = try JSONSerialization.jsonObject(with: Data(all.output.utf8)) as? NSDictionary
    #expect(object?.allKeys.count == names.count)
  }

  @Test("the schemas in the repository are those that podget prints")
  func files() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../docs/schemas").standardizedFileURL
    for (name, _) in JSONSchemas.all {
      let file = folder.appending(path: "\(name).json")
      let text = try String(contentsOf: file, encoding: .utf8)
      #expect(
        text == JSONSchemas.text(name) + "\n",
        "podget help json \(name) > docs/schemas/\(name).json")
    }
  }
}
