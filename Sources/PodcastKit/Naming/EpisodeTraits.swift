internal import FoundationEssentials

/// What two descriptions of an episode are compared by.
struct EpisodeTraits: Sendable {
  let guid: String?
  let id: Int64?
  let address: ComparableAddress?
  let title: String
  let date: Date?
  let duration: Duration?

  init(_ episode: Episode) {
    guid = episode.guid.map { $0.trimmingWhitespace() }.flatMap { $0.isEmpty ? nil : $0 }
    id = episode.id
    address = ComparableAddress(episode.enclosure.url)
    title = ComparableTitle.text(episode.title)
    date = episode.date
    duration = episode.duration
  }

  /// The UTC day of publication, in whole days since 1970.
  var day: Int64? {
    let days = (date?.timeIntervalSince1970 ?? .nan) / 86_400
    return days.magnitude < 1e9 ? Int64(days.rounded(.down)) : nil
  }

  func hasTitle(of other: EpisodeTraits) -> Bool { !title.isEmpty && title == other.title }

  func hasDay(of other: EpisodeTraits) -> Bool { day != nil && day == other.day }

  func hasPlace(of other: EpisodeTraits) -> Bool {
    address != nil && address?.place == other.address?.place
  }

  /// Whether more than a title and a day speaks for one episode: the very second, the playing time,
  /// or the name of the file.
  func isSupported(by other: EpisodeTraits) -> Bool {
    if let date, date == other.date { return true }
    if let duration, let length = other.duration, duration > .zero,
      (duration - length).magnitude <= .seconds(2)
    {
      return true
    }
    guard let name = address?.fileName else { return false }
    return name == other.address?.fileName
  }
}

extension Duration {
  fileprivate var magnitude: Duration { self < .zero ? .zero - self : self }
}
