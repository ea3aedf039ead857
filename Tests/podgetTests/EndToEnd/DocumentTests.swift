import Foundation
import TestSupport
import Testing

/// What the documents repeat of other files.
@Suite("Documents") struct DocumentTests {
  @Test("name the version of Swift that Package.swift requires")
  func swiftVersion() throws {
    let first = try #require(try text("Package.swift").split(separator: "\n").first)
    let version = try #require(first.split(separator: " ").last)
    for name in [
      "README.md", "CONTRIBUTING.md", "Sources/PodcastKit/PodcastKit.docc/GettingStarted.md",
    ] {
      let named = try text(name).matches(of: /Swift ([0-9]+\.[0-9]+)/).map(\.1)
      #expect(!named.isEmpty && named.allSatisfy { $0 == version }, "\(name): \(named)")
    }
  }

  @Test("the README has at most 200 lines")
  func readmeLength() throws {
    #expect(
      try text("README.md").split(separator: "\n", omittingEmptySubsequences: false).count <= 201)
  }

  @Test("name suites and tests that exist")
  func namedTests() throws {
    var suites: [Substring: String] = [:]
    for folder in ["Tests", "Fuzz/Tests"] {
      let files = try #require(FileManager.default.enumerator(atPath: "\(packageRoot)/\(folder)"))
      for case let file as String in files where file.hasSuffix(".swift") {
        let source = try text("\(folder)/\(file)")
        // Documents name some suites by their files.
        if let name = file.split(separator: "/").last?.dropLast(6) {
          suites[name, default: ""] += source
        }
        for match in source.matches(of: /(?:struct|class|extension|enum) (\w+)/) {
          suites[match.1, default: ""] += source
        }
      }
    }
    for name in ["SECURITY.md", "docs/promises.md", "docs/threats.md", "CONTRIBUTING.md"] {
      // After "Tests/" it is the folder of a module.
      for match in try text(name).matches(of: /`([A-Z]\w+Tests)`/) {
        #expect(suites[match.1] != nil, "\(name) names \(match.1)")
      }
    }
    let threats = try text("docs/threats.md")
    // What it says of each claim: `Suite`: `the name of a test`, or several of them by semicolons.
    for match in threats.matches(of: /`([A-Z]\w+)`: `([^`]+)`/) {
      let source = suites[match.1] ?? ""
      #expect(
        source.contains("\"\(match.2)\"") || source.contains("`\(match.2)`"),
        "there is no test \(match.1): \(match.2)")
    }
    for row in threats.split(separator: "\n")
    where row.hasPrefix("| ") && row.split(separator: "|").count == 2 {
      let last = try #require(row.split(separator: "|").last)
      #expect(
        last.contains(/`[A-Z]\w+`: `/) || last.contains("none: ") || last == " tested by ",
        "no test: \(row)")
    }
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: "\(packageRoot)/\(name)", encoding: .utf8)
  }
}
