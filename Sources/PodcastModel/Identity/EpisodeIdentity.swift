internal import COpenSSL
internal import FoundationEssentials

/// Gives each episode a key that stays the same as long as the publisher keeps the episode's
/// identity.
///
/// The key algorithm is frozen: libraries store its keys. If an identity has changed, several rules
/// compare a listed episode with the known ones, and it gets the key of the one that matches.
public enum EpisodeIdentity {
  /// The key of an episode: 32 lower-case hex digits, half of a SHA-256.
  ///
  /// It is computed from the podcast (Apple's id, otherwise the feed's address, otherwise the
  /// title) and from the first of these that the episode has: its guid, Apple's track id, the
  /// enclosure's address without query and fragment, its title and date. A guid comes first because
  /// hosts move: addresses and titles change while the guid stays.
  public static func key(podcast: Podcast, episode: Episode) -> String {
    digest(podcastParts(podcast) + episodeParts(episode))
  }

  /// The key of a podcast in what a person says of it: 32 lower-case hex digits.
  package static func key(of podcast: Podcast) -> String { digest(podcastParts(podcast)) }

  /// A key of an episode whose own key is taken by another one, by the number of the trial.
  ///
  /// The first, number 0, is computed from the address without its query and the title as well;
  /// later ones also from the query, the date and the number.
  package static func key(podcast: Podcast, repeated episode: Episode, number: Int) -> String {
    var parts =
      podcastParts(podcast) + episodeParts(episode)
      + ["repeated", address(episode) ?? "", episode.title]
    if number > 0 {
      let query = ComparableAddress(episode.enclosure.url)?.query ?? ""
      parts += [query, seconds(episode), String(number)]
    }
    return digest(parts)
  }

  /// The short form of a key that makes conflicting file names unique.
  ///
  /// - Parameters:
  ///   - key: the episode's key.
  ///   - length: how many hex digits; six unless those conflict as well.
  public static func suffix(_ key: String, length: Int = 6) -> String {
    String(key.prefix(length))
  }

  /// Suffixes for an episode's planned stem, in the order of trial: none, and if that name is taken
  /// in the meantime, longer and longer ones.
  package static func nameEndings(_ key: String) -> [String] {
    [""] + [6, 12, 32].map { " [\(suffix(key, length: $0))]" }
  }
}

extension EpisodeIdentity {
  private static func podcastParts(_ podcast: Podcast) -> [String] {
    if let id = podcast.id { return ["apple", String(id)] }
    if let feed = present(podcast.feedURL?.text) { return ["feed", feed] }
    return ["title", podcast.title]
  }

  private static func episodeParts(_ episode: Episode) -> [String] {
    if let guid = present(episode.guid) { return ["guid", guid] }
    if let id = episode.id { return ["apple", String(id)] }
    if let address = address(episode) { return ["enclosure", address] }
    return ["title", episode.title, seconds(episode)]
  }

  private static func seconds(_ episode: Episode) -> String {
    episode.date.map { String($0.timeIntervalSince1970) } ?? ""
  }

  private static func present(_ text: String?) -> String? {
    text.flatMap { $0.isEmpty ? nil : $0 }
  }

  private static func address(_ episode: Episode) -> String? {
    present(String(episode.enclosure.url.prefix { $0 != "?" && $0 != "#" }))
  }

  /// Every part is written with its length, so that no two different lists of parts are the same
  /// bytes.
  private static func digest(_ parts: [String]) -> String {
    let bytes = Array(parts.map { "\($0.utf8.count):\($0)" }.joined(separator: ",").utf8)
    var hash = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    podget_sha256(bytes, bytes.count, &hash)
    return hash.prefix(16).hexadecimal
  }
}
