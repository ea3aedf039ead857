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

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: "\(packageRoot)/\(name)", encoding: .utf8)
  }
}
