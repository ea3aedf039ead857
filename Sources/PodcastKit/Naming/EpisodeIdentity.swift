internal import COpenSSL
internal import FoundationEssentials

/// Tells episodes apart, and gives each a key that stays the same for as long as the publisher
/// keeps the episode's identity.
public enum EpisodeIdentity {
  /// The key of an episode: 32 lower-case hex digits, half of a SHA-256.
  ///
  /// It is made from the podcast (Apple's id, else the feed's address, else the title) and from the
  /// first of these that the episode has: its guid, Apple's track id, the enclosure's address
  /// without query and fragment, its title and date. A guid comes first because hosts move:
  /// addresses and titles change under a guid that stays.
  public static func key(podcast: Podcast, episode: Episode) -> String {
    // Every part carries its length, so that no two different lists of parts are the same bytes.
    let parts = podcastParts(podcast) + episodeParts(episode)
    return digest(parts.map { "\($0.utf8.count):\($0)" }.joined(separator: ","))
  }

  /// Whether two descriptions, of one podcast, mean the same episode.
  ///
  /// The first of these that both have decides: guid, Apple's track id, the enclosure's address
  /// without query and fragment, title with date.
  public static func isSame(_ first: Episode, _ second: Episode) -> Bool {
    if let one = present(first.guid), let other = present(second.guid) { return one == other }
    if let one = first.id, let other = second.id { return one == other }
    if let one = address(first), let other = address(second) { return one == other }
    return first.title == second.title && first.date == second.date
  }

  /// The short form of a key that tells clashing file names apart.
  ///
  /// - Parameters:
  ///   - key: the episode's key.
  ///   - length: how many hex digits; six unless those clash as well.
  public static func suffix(_ key: String, length: Int = 6) -> String {
    String(key.prefix(length))
  }
}

extension EpisodeIdentity {
  private static func podcastParts(_ podcast: Podcast) -> [String] {
    if let id = podcast.id { return ["apple", String(id)] }
    if let feed = present(podcast.feedURL) { return ["feed", feed] }
    return ["title", podcast.title]
  }

  private static func episodeParts(_ episode: Episode) -> [String] {
    if let guid = present(episode.guid) { return ["guid", guid] }
    if let id = episode.id { return ["apple", String(id)] }
    if let address = address(episode) { return ["enclosure", address] }
    let seconds = episode.date.map { String($0.timeIntervalSince1970) }
    return ["title", episode.title, seconds ?? ""]
  }

  private static func present(_ text: String?) -> String? {
    text.flatMap { $0.isEmpty ? nil : $0 }
  }

  private static func address(_ episode: Episode) -> String? {
    present(String(episode.enclosure.url.prefix { $0 != "?" && $0 != "#" }))
  }

  private static func digest(_ text: String) -> String {
    let bytes = Array(text.utf8)
    var hash = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    EVP_Digest(bytes, bytes.count, &hash, nil, EVP_sha256(), nil)
    return hash.prefix(16).hexadecimal
  }
}
