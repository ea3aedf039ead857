public import FoundationEssentials

/// One playable episode of a podcast.
///
/// It carries no description on purpose: a selection may hold many thousands of episodes.
public struct Episode: Sendable, Hashable {
  /// What sort of episode the publisher calls it (`itunes:episodeType`).
  public enum Kind: String, Sendable, Hashable, CaseIterable, Codable {
    /// A regular episode; also what an absent or unknown value means.
    case full
    /// A teaser for the show or a season.
    case trailer
    /// Extra content beside the regular episodes.
    case bonus
  }

  /// Apple's track id, when the episode is known from Apple's directory.
  public var id: Int64?
  /// The publisher's guid, verbatim and trimmed (RSS 2.0, `guid`).
  public var guid: String?
  /// The title as published: any Unicode, unsafe for a terminal or a file name as it stands.
  public var title: String
  /// The publication date (UTC), when it could be read.
  public var date: Date?
  /// The published playing time.
  public var duration: Duration?
  /// The media file.
  public var enclosure: Enclosure
  /// The season's number, from 1.
  public var season: Int?
  /// The episode's number in its season or show, from 1.
  public var number: Int?
  /// What sort of episode it is.
  public var kind: Kind
  /// The address of the episode's own artwork.
  public var artworkURL: String?

  /// Makes an episode; the title and the enclosure are required.
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
