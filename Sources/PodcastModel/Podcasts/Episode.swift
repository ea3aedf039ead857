public import FoundationEssentials

/// One playable episode of a podcast.
///
/// It has no description on purpose: a selection may contain many thousands of episodes. Its hash has
/// all properties: a feed may give most of them to each of its items.
public struct Episode: Sendable, Hashable {
  /// The type of the episode by its publisher (`itunes:episodeType`).
  public enum Kind: String, Sendable, Hashable, CaseIterable, Codable {
    /// A regular episode; also for a missing or unknown value.
    case full
    /// A teaser for the show or a season.
    case trailer
    /// Extra content beside the regular episodes.
    case bonus
  }

  /// Apple's track id, if the episode is from Apple's catalog.
  public var id: Int64?
  /// The publisher's guid, verbatim and trimmed (RSS 2.0, `guid`).
  public var guid: String?
  /// The title as published: any Unicode, not safe for a terminal or a file name.
  public var title: String
  /// The publication date (UTC), if it could be parsed.
  public var date: Date?
  /// The published duration.
  public var duration: Duration?
  /// The media file.
  public var enclosure: Enclosure
  /// The season's number, from 1.
  public var season: Int?
  /// The episode's number in its season or show, from 1.
  public var number: Int?
  /// The type of the episode.
  public var kind: Kind
  /// The address of the episode's own artwork.
  public var artworkURL: String?

  /// Creates an episode; the title and the enclosure are required.
  public init(
    id: Int64? = nil, guid: String? = nil, title: String, date: Date? = nil,
    duration: Duration? = nil, enclosure: Enclosure, season: Int? = nil, number: Int? = nil,
    kind: Kind = .full, artworkURL: String? = nil
  ) {
    self.id = id
    self.guid = guid
    self.title = title
    self.date = date
    self.duration = duration
    self.enclosure = enclosure
    self.season = season
    self.number = number
    self.kind = kind
    self.artworkURL = artworkURL
  }
}
