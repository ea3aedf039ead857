import FoundationEssentials
import LoopbackServer

/// A small iTunes directory: answers from a stored lookup, with the episodes served here.
struct PodcastDirectory: Sendable {
  private var results: [JSONValue]

  /// Reads a stored lookup answer.
  init(contentsOf path: String) throws {
    let data = try Data(contentsOf: URL(filePath: path))
    let answer = try JSONDecoder().decode(JSONValue.self, from: data)
    guard case .list(let results) = answer["results"] else {
      throw CocoaError(.fileReadCorruptFile)
    }
    self.results = results
  }

  /// The entries that are episodes with an address.
  var episodes: [JSONValue] { results.filter(\.isEpisode) }

  /// Gives each episode the duration of the file that is served in its place, because `verify`
  /// compares the two.
  mutating func takeDurations(from files: EpisodeFiles) {
    results = results.map { entry in
      guard let path = entry.path, let milliseconds = files.milliseconds(at: path),
        case .object(var members) = entry
      else { return entry }
      members["trackTimeMillis"] = .integer(milliseconds)
      return .object(members)
    }
  }

  /// Answers `/lookup`: the podcast, and with `entity=podcastEpisode` its latest episodes.
  func lookup(_ query: [String: String], origin: String) throws -> [UInt8] {
    let own = results.filter { entry in
      entry["collectionId"]?.integer.map(String.init) == query["id"]
    }
    let podcast = own.filter { !$0.isEpisode }
    let wanted = query["entity"] == "podcastEpisode" ? own.filter(\.isEpisode) : []
    let limit = query["limit"].flatMap { Int($0) } ?? 50
    return try Self.encoded(podcast + wanted.prefix(max(0, limit)), origin: origin)
  }

  /// Answers with the feed of a podcast; nil if there is no such podcast.
  func feed(ofPodcast id: Int64, origin: String, size: (String) -> Int64?) -> String? {
    let own = results.filter { $0["collectionId"]?.integer == id }
    return own.first { !$0.isEpisode }.map { podcast in
      PodcastFeed.text(podcast, own.filter(\.isEpisode), origin: origin, size: size)
    }
  }

  /// Answers `/search`: the podcasts whose title and author contain every word of the term.
  func search(_ query: [String: String], origin: String) throws -> [UInt8] {
    let words = (query["term"] ?? "").lowercased().split(separator: " ")
    let found = results.filter { entry in
      let text = [entry["collectionName"], entry["artistName"]].compactMap { $0?.text }
        .joined(separator: " ").lowercased()
      return !entry.isEpisode && !words.isEmpty && words.allSatisfy { text.contains($0) }
    }
    let limit = query["limit"].flatMap { Int($0) } ?? 50
    return try Self.encoded(Array(found.prefix(max(0, limit))), origin: origin)
  }

  private static func encoded(_ results: [JSONValue], origin: String) throws -> [UInt8] {
    let answer = JSONValue.object([
      "resultCount": .integer(Int64(results.count)),
      "results": .list(results.map { $0.moved(to: origin) }),
    ])
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(answer))
  }
}

extension JSONValue {
  private static let addresses = ["episodeUrl", "previewUrl"]

  /// Whether a result is an episode and not the podcast.
  var isEpisode: Bool { address != nil }

  /// The address of the episode's audio.
  var address: String? {
    Self.addresses.lazy.compactMap { self[$0]?.text }.first
  }

  /// The address without its origin.
  var path: String? { address.map { String(Self.path(of: $0)) } }

  /// The same entry with its addresses on another origin, and nothing else changed.
  func moved(to origin: String) -> JSONValue {
    guard case .object(var members) = self else { return self }
    for name in Self.addresses {
      if let address = members[name]?.text {
        members[name] = .text(origin + Self.path(of: address))
      }
    }
    for name in members.keys where name.hasPrefix(DemoArtwork.member) {
      members[name] = .text(origin + DemoArtwork.path)
    }
    if members["feedUrl"] != nil, let id = self["collectionId"]?.integer {
      members["feedUrl"] = .text(origin + PodcastFeed.path(ofPodcast: id))
    }
    return .object(members)
  }

  private static func path(of address: String) -> Substring {
    guard let scheme = address.firstRange(of: "://"),
      let slash = address[scheme.upperBound...].firstIndex(of: "/")
    else { return "/" }
    return address[slash...]
  }
}
