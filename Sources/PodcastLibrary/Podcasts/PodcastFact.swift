import FoundationEssentials
package import PodcastModel

/// A line of `podcasts.ndjson`: what a person said of one podcast at one time.
///
/// Each member counts by itself, and the last one wins by its time. So the files of two machines can be
/// joined in any order. What a newer podget says stays in the file.
package struct PodcastFact: RecordLine, Hashable {
  /// A member that a line has; its value is nil if it takes an earlier one back.
  package struct Said<Value: Codable & Sendable & Hashable>: Sendable, Hashable {
    package var value: Value?

    package init(_ value: Value?) { self.value = value }
  }

  package static let currentVersion = 1
  /// The most descriptions of a podcast, and lists of moves, that a line has.
  package static let mostNames = 200

  package var version = Self.currentVersion
  /// What identifies the podcast in this file.
  package var key: EpisodeKey
  /// How records and lists describe it: ids, addresses and titles, the present one last.
  var names: [StoredPodcast]
  /// The title that it gets.
  package var title: Said<String>?
  /// The folder that its files get.
  package var folder: Said<String>?
  /// The lists of the files that moved into its folders, below the library, the last one last.
  package var moves: Said<[String]>?
  /// The podcast that it is one with, by its key.
  package var into: Said<EpisodeKey>?
  var written = RecordTime.never
  var writer: String?

  /// Says nothing yet of a podcast.
  package init(_ key: EpisodeKey, names: [Podcast]) {
    self.key = key
    var described: [StoredPodcast] = []
    for podcast in names.reversed() {
      let name = StoredPodcast(
        Podcast(id: podcast.id, title: podcast.title, feedURL: podcast.feedURL))
      if !described.contains(name), described.count < Self.mostNames { described.append(name) }
    }
    self.names = described.reversed()
  }
}

extension PodcastFact {
  private enum CodingKeys: String, CodingKey {
    case version, key, names, title, folder, moves, into, written, writer
  }

  /// Reads a line; a value that podget never writes is a `RecordProblem`.
  package init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    func said<Value: Codable>(_ name: CodingKeys, _ type: Value.Type) throws -> Said<Value>? {
      guard members.contains(name) else { return nil }
      return Said(try members.decodeIfPresent(type, forKey: name))
    }
    version = try members.decode(Int.self, forKey: .version)
    key = try members.decode(EpisodeKey.self, forKey: .key)
    names = try members.decodeIfPresent([StoredPodcast].self, forKey: .names) ?? []
    title = try said(.title, String.self)
    folder = try said(.folder, String.self)
    moves = try said(.moves, [String].self)
    into = try said(.into, EpisodeKey.self)
    let text = try members.decode(String.self, forKey: .written)
    guard let time = RecordTime(text) else { throw RecordProblem("\"written\" is no time") }
    written = time
    writer = try members.decodeIfPresent(String.self, forKey: .writer)
    guard names.count <= Self.mostNames else { throw RecordProblem("\"names\" has too many") }
    if let title = title?.value,
      title.isEmpty || title.utf8.count > PodcastCorrection.longestTitle
    {
      throw RecordProblem("\"title\" is no title")
    }
    if let folder = folder?.value, !PodcastCorrection.isFolder(folder) {
      throw RecordProblem("\"folder\" is not the name of a folder")
    }
    if let moves = moves?.value,
      moves.count > Self.mostNames || !moves.allSatisfy(Self.isList)
    {
      throw RecordProblem("\"moves\" has more than lists of moves")
    }
  }

  /// Whether a path is that of a list of moves, below the library.
  private static func isList(_ path: String) -> Bool {
    let (folder, name) = LibraryPath.split(path)
    return folder == Library.renamesPath && EntryName(name) != nil
  }

  /// Writes the members that it has.
  package func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    func encode<Value>(_ said: Said<Value>?, _ name: CodingKeys) throws {
      guard let said else { return }
      if let value = said.value {
        try members.encode(value, forKey: name)
      } else {
        try members.encodeNil(forKey: name)
      }
    }
    try members.encode(version, forKey: .version)
    try members.encode(key, forKey: .key)
    try members.encode(names, forKey: .names)
    try encode(title, .title)
    try encode(folder, .folder)
    try encode(moves, .moves)
    try encode(into, .into)
    try members.encode(written.text, forKey: .written)
    try members.encodeIfPresent(writer, forKey: .writer)
  }
}
