internal import FoundationEssentials

extension FilenameTemplate {
  /// The fields of a template.
  public enum Field: String, Sendable, Hashable, CaseIterable {
    /// The podcast's title.
    case podcast
    /// The podcast's author or network.
    case author
    /// The episode's title.
    case title
    /// The time of publication in UTC; by default the day, as `2024-03-01`.
    case date
    /// The season's number.
    case season
    /// The episode's number.
    case episode
    /// `full`, `trailer` or `bonus`.
    case type
    /// The published duration in whole minutes.
    case duration
    /// Apple's track id, otherwise the guid.
    case id
    /// The publisher's guid.
    case guid
    /// The name of the file in the enclosure's address, without its extension.
    case filename
  }
}

extension FilenameTemplate.Field {
  /// The type of format that a field supports.
  package enum Style {
    case text, number, date
  }

  /// The field for a name: its own, or its name in podcast-archiver, whose templates work here
  /// unchanged.
  package init?(named name: some StringProtocol) {
    let others: [String: Self] = [
      "show.title": .podcast, "show.author": .author, "episode.title": .title,
      "episode.published_time": .date, "episode.guid": .guid,
      "episode.original_filename": .filename,
    ]
    guard let field = Self(rawValue: String(name)) ?? others[String(name)] else { return nil }
    self = field
  }

  package var style: Style {
    switch self {
    case .podcast, .author, .title, .type, .id, .guid, .filename: .text
    case .season, .episode, .duration: .number
    case .date: .date
    }
  }

  /// The field's text; nil for numbers, dates, and missing values.
  package func text(_ podcast: Podcast, _ episode: Episode) -> String? {
    switch self {
    case .podcast: podcast.shownTitle
    case .author: podcast.author
    case .title: episode.title
    case .type: episode.kind.rawValue
    case .id: episode.id.map { String($0) } ?? Self.guid(of: episode)
    case .guid: Self.guid(of: episode)
    case .filename: Self.fileName(of: episode.enclosure.url)
    case .date, .season, .episode, .duration: nil
    }
  }

  /// The field's number; nil for everything else, and for missing values.
  package func number(_ episode: Episode) -> Int64? {
    switch self {
    case .season: episode.season.map(Int64.init)
    case .episode: episode.number.map(Int64.init)
    case .duration: episode.duration.map { ($0.components.seconds + 30) / 60 }
    default: nil
    }
  }

  /// The guid, which may be the private address of an episode.
  private static func guid(of episode: Episode) -> String? {
    episode.guid.map { AddressRedaction.withoutCredentials($0) }
  }

  private static func fileName(of address: String) -> String? {
    guard let path = WebAddress(address)?.path, let name = path.split(separator: "/").last else {
      return nil
    }
    return FileName.stem(of: PercentEncoding.decoded(name))
  }
}
