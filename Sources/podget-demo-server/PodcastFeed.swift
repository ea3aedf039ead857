import FoundationEssentials
import LoopbackServer

/// The feed of a podcast of the directory, as RSS: what the directory names as its feed is on the
/// internet.
enum PodcastFeed {
  /// Where the feed of a podcast is.
  static func path(ofPodcast id: Int64) -> String { "/feed/\(id).xml" }

  /// The podcast whose feed is at a path; nil for another path.
  static func podcast(at path: String) -> Int64? {
    let number = path.hasPrefix("/feed/") ? path.dropFirst(6).prefix { $0 != "." } : ""
    return Int64(number).flatMap { Self.path(ofPodcast: $0) == path ? $0 : nil }
  }

  /// The feed.
  ///
  /// - Parameters:
  ///   - podcast: the entry of the podcast.
  ///   - episodes: those of its episodes.
  ///   - size: the size of the file at a path.
  static func text(
    _ podcast: JSONValue, _ episodes: [JSONValue], origin: String, size: (String) -> Int64?
  ) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"
      xmlns:content="http://purl.org/rss/1.0/modules/content/">
    <channel>
    \(element("title", podcast["collectionName"]?.text))
    \(element("itunes:author", podcast["artistName"]?.text))
    <itunes:image href="\(origin + DemoArtwork.path)"/>
    \(episodes.map { item($0, origin, size) }.joined())</channel>
    </rss>

    """
  }

  private static func item(
    _ episode: JSONValue, _ origin: String, _ size: (String) -> Int64?
  ) -> String {
    guard let path = episode.path else { return "" }
    let date = episode["releaseDate"]?.text.flatMap { try? Date($0, strategy: .iso8601) }
    let seconds = episode["trackTimeMillis"]?.integer.map { "\($0 / 1000)" }
    let about = element("p", episode["description"]?.text)
    let notes = """
      \(about)<p>On this server:</p><ul><li><a href="\(origin)/episodes">the list of episodes</a></li>\
      <li><a href="\(origin + DemoArtwork.path)">the artwork</a></li></ul>
      """
    return """
      <item>
      \(element("title", episode["trackName"]?.text))
      \(element("guid", episode["episodeGuid"]?.text ?? path, " isPermaLink=\"false\""))
      \(element("pubDate", date.map { HTTPDate.text(Int($0.timeIntervalSince1970)) }))
      \(element("itunes:duration", seconds))
      \(element("content:encoded", notes))
      <enclosure url="\(escaped(origin + path))" type="audio/mpeg" length="\(size(path) ?? 0)"/>
      </item>

      """
  }

  /// An element with a text; nothing without one.
  private static func element(_ name: String, _ text: String?, _ attributes: String = "") -> String
  {
    text.map { "<\(name)\(attributes)>\(escaped($0))</\(name)>" } ?? ""
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;")
  }
}
