import Foundation
import TestSupport

/// What is in a library, compared with what the server really has.
struct LibraryAudit {
  let library: String
  let episodes: [ExpectedEpisode]

  /// An episode as it must be in the library.
  struct ExpectedEpisode: Sendable {
    let title: String
    let path: String
    let bytes: [UInt8]
    let sha256: String
  }

  private static let podcast = "The Symbolic World"

  /// What contradicts the promise at any moment: a final name of anything but the complete file, or
  /// a record of a file that is not there.
  func contradictions() -> [String] {
    var found: [String] = []
    for name in visibleFiles {
      guard let episode = episodes.first(where: { $0.path == name }) else {
        found.append("\(name) (\(bytes(name)?.count ?? 0) bytes) belongs to no episode")
        continue
      }
      let bytes = bytes(name) ?? []
      if bytes != episode.bytes {
        let same = zip(bytes, episode.bytes).prefix { $0 == $1 }.count
        found.append("\(name) has \(bytes.count) bytes, the first \(same) of them right")
      }
    }
    for fact in facts {
      guard let episode = episodes.first(where: { $0.title == fact.title }) else {
        found.append("a record of the unknown episode \(fact.title)")
        continue
      }
      if "\(Self.podcast)/\(fact.file)" != episode.path || bytes(episode.path) == nil {
        found.append("a record of \(fact.file), which is not there")
      }
      if fact.bytes != episode.bytes.count || fact.sha256 != episode.sha256 {
        found.append("a wrong record of \(fact.file): \(fact.bytes) bytes, \(fact.sha256)")
      }
    }
    return found
  }

  /// What is missing or left over after podget reported success.
  func shortcomings() -> [String] {
    var found = contradictions()
    for episode in episodes {
      if bytes(episode.path) == nil { found.append("\(episode.path) is not there") }
      let records = facts.count { $0.title == episode.title }
      if records != 1 { found.append("\(episode.title) is on record \(records) times") }
    }
    found += partials.map { "\($0) is left in the folder of partial files" }
    let hidden = names(in: Self.podcast).filter { $0.hasPrefix(".") && $0 != ".podget.ndjson" }
    return found + hidden.map { "\($0) is left in the podcast's folder" }
  }

  /// The titles of the episodes that are complete and recorded.
  var complete: Set<String> {
    let recorded = Set(facts.map(\.title))
    return Set(
      episodes.filter { recorded.contains($0.title) && bytes($0.path) == $0.bytes }.map(\.title))
  }

  /// The sizes of the part files by the titles of their episodes; those without a record have none.
  var parts: [String: Int64] {
    var sizes: [String: Int64] = [:]
    for name in partials where name.hasSuffix(".json") {
      guard let part = bytes(".podget/partial/\(name.dropLast(5)).part"),
        let record = bytes(".podget/partial/\(name)"),
        // The lines after the first one have nothing about the episode.
        let first = record.split(separator: 0x0A).first,
        let episode = Self.object(Array(first))?["episode"] as? [String: Any],
        let title = episode["title"] as? String
      else { continue }
      sizes[title] = Int64(part.count)
    }
    return sizes
  }

  /// The names in the folder of partial files.
  var partials: [String] { names(in: ".podget/partial") }
}

extension LibraryAudit {
  private struct Fact {
    var title: String
    var file: String
    var bytes: Int
    var sha256: String
  }

  /// The readable lines that record a finished episode.
  private var facts: [Fact] {
    (bytes("\(Self.podcast)/.podget.ndjson") ?? []).split(separator: 0x0A).compactMap { line in
      guard let fact = Self.object(Array(line)), fact["fact"] as? String == "finished",
        let episode = fact["episode"] as? [String: Any]
      else { return nil }
      let files = fact["files"] as? [[String: Any]] ?? []
      let media = files.first { $0["role"] as? String == "media" }
      return Fact(
        title: episode["title"] as? String ?? "", file: media?["path"] as? String ?? "",
        bytes: media?["bytes"] as? Int ?? -1, sha256: media?["sha256"] as? String ?? "")
    }
  }

  private var visibleFiles: [String] {
    names(in: "").filter { !$0.hasPrefix(".") }.flatMap { folder in
      names(in: folder).filter { !$0.hasPrefix(".") }.map { "\(folder)/\($0)" }
    }
  }

  private func names(in folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: "\(library)/\(folder)")) ?? []).sorted()
  }

  private func bytes(_ name: String) -> [UInt8]? {
    (try? Data(contentsOf: URL(filePath: "\(library)/\(name)"))).map(Array.init)
  }

  private static func object(_ bytes: [UInt8]) -> [String: Any]? {
    try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
  }
}
