import Foundation
import PodcastModel

@testable import PodcastFeeds

/// A captured feed read by podget, compared with what a reference parser read from it.
struct CorpusComparison {
  /// A field of a feed, or of its episodes, that podget reads differently.
  struct Deviation: Hashable {
    var file: String
    var field: String
    /// How many episodes it concerns.
    var count: Int
    /// The first value as podget reads it.
    var ours: String
    /// The same value of the reference.
    var theirs: String
  }

  private(set) var deviations: [Deviation] = []
  /// How many fields were compared.
  private(set) var fields = 0

  init(file: String, feed: Data, expected: Expected) {
    guard case .feed(let document)? = try? FeedReader.read(feed) else {
      note(file, "feed", ours: nil, theirs: expected.title ?? "a feed")
      return
    }
    compare(
      file, "title",
      ours: document.podcast.title == "Untitled podcast" ? nil : document.podcast.title,
      theirs: expected.title.flatMap(Self.line))
    compare(
      file, "episodes", ours: String(document.episodes.count),
      theirs: String(expected.itemsWithEnclosure))
    compare(
      file, "items", ours: String(document.episodes.count + document.unplayableCount),
      theirs: String(expected.items))
    var rest = document.episodes[...]
    for theirs in expected.episodes where theirs.enclosure != nil {
      let place = rest.firstIndex { Self.isSame($0, theirs) }
      guard let place else {
        note(file, "missing episode", ours: nil, theirs: theirs.enclosure)
        continue
      }
      compare(file, rest[place], theirs)
      rest.remove(at: place)
    }
  }

  private mutating func compare(_ file: String, _ ours: Episode, _ theirs: ExpectedEpisode) {
    // What has no title gets one of ours.
    let title = theirs.title.flatMap(Self.line) == nil ? nil : ours.title
    compare(file, "episode title", ours: title, theirs: theirs.title.flatMap(Self.line))
    compare(file, "guid", ours: ours.guid, theirs: theirs.guid.flatMap { $0.isEmpty ? nil : $0 })
    compare(file, "enclosure", ours: ours.enclosure.url, theirs: theirs.enclosure)
    compare(file, "date", ours: ours.date?.timestamp, theirs: theirs.pubDate)
    // A duration of zero is none.
    let seconds = theirs.duration.flatMap { $0 == 0 ? nil : $0 }
    compare(
      file, "duration", ours: ours.duration.map { String($0.components.seconds) },
      theirs: seconds.map { String($0) })
  }

  private mutating func compare(_ file: String, _ field: String, ours: String?, theirs: String?) {
    fields += 1
    if ours != theirs { note(file, field, ours: ours, theirs: theirs) }
  }

  private mutating func note(_ file: String, _ field: String, ours: String?, theirs: String?) {
    if let place = deviations.firstIndex(where: { $0.field == field }) {
      deviations[place].count += 1
    } else {
      deviations.append(
        Deviation(
          file: file, field: field, count: 1, ours: Self.shown(ours), theirs: Self.shown(theirs)))
    }
  }

  private static func isSame(_ ours: Episode, _ theirs: ExpectedEpisode) -> Bool {
    ours.enclosure.url == theirs.enclosure || (ours.guid != nil && ours.guid == theirs.guid)
      || ours.title == theirs.title.flatMap(line)
  }

  /// A text on one line, as podget keeps titles.
  private static func line(_ text: String) -> String? {
    let words = text.unicodeScalars.split { $0.value <= 0x20 }
    let line = words.map { String($0) }.joined(separator: " ")
    return line.isEmpty ? nil : line
  }

  /// A value in a line of the list.
  private static func shown(_ text: String?) -> String {
    guard let text else { return "none" }
    return String(text.prefix(120)).replacing("\t", with: " ").replacing("\n", with: " ")
  }
}

extension CorpusComparison {
  /// What the reference read from a feed.
  struct Expected: Decodable {
    var title: String?
    var items: Int
    var itemsWithEnclosure: Int
    var episodes: [ExpectedEpisode]
  }

  /// What the reference read from an item.
  struct ExpectedEpisode: Decodable {
    var guid: String?
    var title: String?
    var enclosure: String?
    var pubDate: String?
    var duration: Int?
  }

  /// The reference's reading of a file.
  static func expected(of file: String, in corpus: URL) throws -> Expected {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(
      Expected.self, from: Data(contentsOf: corpus.appending(path: "expected/feeds/\(file).json")))
  }
}
