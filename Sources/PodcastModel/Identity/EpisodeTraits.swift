internal import FoundationEssentials

/// The properties by which two descriptions of an episode are compared.
struct EpisodeTraits: Sendable {
  /// The maximum difference, in seconds, of two dates of one publication: hosts round them.
  private static let nearness: Double = 5 * 60
  /// The difference in seconds from which two dates cannot differ by the time zone only.
  private static let farness: Double = 18 * 3600

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
    // Dates outside all calendars are ignored.
    date = episode.date.flatMap { $0.timeIntervalSince1970.magnitude < 1e13 ? $0 : nil }
    duration = episode.duration.flatMap { $0 > .zero ? $0 : nil }
  }

  var hasGUID: Bool { guid != nil }

  /// The UTC day of publication, in whole days since 1970.
  var day: Int? { date.map { Int(($0.timeIntervalSince1970 / 86_400).rounded(.down)) } }

  /// The second of publication since 1970.
  var second: Int? { date.map { Int($0.timeIntervalSince1970.rounded(.down)) } }

  func hasTitle(of other: EpisodeTraits) -> Bool { !title.isEmpty && title == other.title }

  func hasDay(of other: EpisodeTraits) -> Bool { day != nil && day == other.day }

  /// Whether the addresses are equal, including their queries.
  func hasAddress(of other: EpisodeTraits) -> Bool { address != nil && address == other.address }

  /// Whether the addresses are equal except for their queries.
  func hasPlace(of other: EpisodeTraits) -> Bool {
    address != nil && address?.place == other.address?.place
  }

  /// Whether both have the same duration. All news bulletins of one show do.
  func hasDuration(of other: EpisodeTraits) -> Bool {
    guard let duration, let length = other.duration else { return false }
    return (duration > length ? duration - length : length - duration) <= .seconds(2)
  }
}

/// Whether two descriptions that share a property are one episode. A wrong "yes" loses an episode,
/// a wrong "no" costs a download.
extension EpisodeTraits {
  /// For an equal guid or track id that no third description has.
  ///
  /// One more property must agree. Shows that give one guid to every episode often give one title
  /// and one length to it too: those do not count if both the address and the day differ.
  func isOneUnderOneName(_ other: EpisodeTraits) -> Bool {
    if hasAddress(of: other) { return true }
    return (hasTitle(of: other) || hasDay(of: other) || hasDuration(of: other))
      && !isFar(from: other)
  }

  /// For an equal address that no third description has, with other guids or without them.
  func isOneAtOneAddress(_ other: EpisodeTraits) -> Bool {
    // Some hosts serve the latest episode from one address.
    guard haveOtherNames(other) else { return hasTitle(of: other) || !isFar(from: other) }
    return distance(to: other) == nil ? hasTitle(of: other) : isNear(other)
  }

  /// For an equal title on one day, or without any day, that no third description has.
  func isOneOfOneDay(_ other: EpisodeTraits) -> Bool {
    let hasFile = hasPlace(of: other) || hasFileName(of: other)
    guard let distance = distance(to: other), hasTimeOfDay, other.hasTimeOfDay else {
      if date != nil, !haveOtherNames(other) { return true }
      return hasAddress(of: other) || hasFile && hasDuration(of: other)
    }
    // News bulletins with one title differ only by the hour.
    guard distance <= Self.nearness else { return false }
    return !haveOtherNames(other) || distance == 0 || hasFile || hasDuration(of: other)
  }

  /// Whether two properties agree, which is required for podcasts that share only a title. Where the
  /// guids or ids are others, a title and a time are not enough: two shows called News have the same ones
  /// every morning.
  ///
  /// - Parameter isPart: whether a person made them one. Both may number their episodes, so the title or
  ///   the address must be one of the two.
  func isOfOnePodcast(_ other: EpisodeTraits, isPart: Bool = false) -> Bool {
    if isPart, !hasPlace(of: other), !hasTitle(of: other) { return false }
    let hasFile = hasDuration(of: other) || hasFileName(of: other)
    if !isPart, haveOtherNames(other), !hasFile, !hasPlace(of: other) { return false }
    let signs = [
      guid != nil && guid == other.guid, hasPlace(of: other), hasTitle(of: other), hasFile,
      hasDay(of: other),
    ]
    return signs.count(where: { $0 }) >= 2
  }

  /// Whether both dates are known and are one publication.
  func isNear(_ other: EpisodeTraits) -> Bool {
    distance(to: other).map { $0 <= Self.nearness } ?? false
  }

  /// Whether both dates are known and cannot be one publication.
  private func isFar(from other: EpisodeTraits) -> Bool {
    !hasDay(of: other) && distance(to: other).map { $0 >= Self.farness } ?? false
  }

  /// Whether the publisher, or Apple, gave the two different names of their own.
  private func haveOtherNames(_ other: EpisodeTraits) -> Bool {
    if let guid, let name = other.guid { return guid != name }
    if let id, let name = other.id { return id != name }
    return false
  }

  private func hasFileName(of other: EpisodeTraits) -> Bool {
    guard let name = address?.fileName else { return false }
    return name == other.address?.fileName
  }

  /// Whether the date has a time.
  private var hasTimeOfDay: Bool { second.map { $0 % 86_400 != 0 } ?? false }

  /// The seconds between the dates.
  private func distance(to other: EpisodeTraits) -> Double? {
    guard let date, let moment = other.date else { return nil }
    return date.timeIntervalSince(moment).magnitude
  }
}
