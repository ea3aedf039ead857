import Foundation
import Testing

@testable import podget

@Suite("The guide's table of options") struct GuideDefaultsTests {
  /// The row of each variable: what stands in its column "default", without marks of code.
  private static let defaults: [String: String] = {
    let guide = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../docs/guide.md").standardizedFileURL
    let text = (try? String(contentsOf: guide, encoding: .utf8)) ?? ""
    var defaults: [String: String] = [:]
    for line in text.split(separator: "\n") where line.hasPrefix("| ") {
      let cells = line.replacing("\\|", with: "/").split(
        separator: "|", omittingEmptySubsequences: false
      ).map { $0.trimmingCharacters(in: .whitespaces).replacing("`", with: "") }
      guard cells.count == 6, cells[2].hasPrefix("PODGET_") else { continue }
      for variable in cells[2].split(separator: ", ") { defaults[String(variable)] = cells[3] }
    }
    return defaults
  }()

  /// Those are in the guide's section about choosing episodes, with their options.
  private static let choices = [
    "latest", "since", "until", "match", "exclude", "min-duration", "max-duration", "type",
  ]

  @Test("its defaults are those of the settings") func same() throws {
    for setting in SettingTable.all where !Self.choices.contains(setting.name) {
      let written = try #require(Self.defaults[setting.variable], "\(setting.variable)")
      let isFlag = setting.schema == JSONSchema.bool
      let expected =
        isFlag ? "" : setting.defaultText.isEmpty ? "none" : setting.defaultText
      // A row of several rules says "none" for their flag too.
      #expect(written == expected || isFlag && written == "none", "\(setting.variable)")
    }
  }

  @Test("its variables are those of the settings") func variables() {
    let known = SettingTable.all.map(\.variable)
    for variable in Self.defaults.keys { #expect(known.contains(variable), "\(variable)") }
  }
}
