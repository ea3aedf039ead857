import FoundationEssentials
import PodcastModel

/// The metadata file of another tool: `NAME.info.json`, as yt-dlp and podcast-archiver write it, or
/// `NAME.meta.json`, as podcast-dl does.
///
/// Any member may be missing or of another type; then it is ignored.
package struct Sidecar: Decodable, Sendable, Hashable {
  var title: String?
  var guids: [String] = []
  /// The tool's own id, often only a number or a part of the address.
  var ids: [String] = []
  var addresses: [String] = []
  var podcast: String?
  var day: CivilDay?
  /// When it was published, if the tool says the time too (UTC).
  var date: Date?
  /// The address of the file itself.
  var enclosure: String?

  private enum Name: String, CodingKey {
    case title, guid, id, url, href, enclosure, show
    case webpageAddress = "webpage_url"
    case originalAddress = "original_url"
    case series, album
    case playlist = "playlist_title"
    case uploadDay = "upload_date"
    case releaseDay = "release_date"
    case timestamp
    case publishedTime = "published_time"
    case published
    case isoDate
  }

  /// Nothing is known.
  init() {}

  package init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Name.self)
    func text(_ name: Name) -> String? {
      (try? members.decode(String.self, forKey: name))
        .flatMap { $0.isEmpty ? nil : $0.limitingCombiningMarks }
    }
    title = text(.title)
    guids = [text(.guid)].compactMap(\.self)
    ids = [text(.id)].compactMap(\.self)
    addresses = [.url, .webpageAddress, .originalAddress].compactMap(text)
    if let enclosure = try? members.nestedContainer(keyedBy: Name.self, forKey: .enclosure) {
      let inner = [Name.url, .href].compactMap { try? enclosure.decode(String.self, forKey: $0) }
      addresses += inner
      self.enclosure = inner.first
    }
    if let show = try? members.nestedContainer(keyedBy: Name.self, forKey: .show) {
      podcast = try? show.decode(String.self, forKey: .title)
    }
    podcast = podcast ?? text(.series) ?? text(.album) ?? text(.playlist)
    let seconds = try? members.decode(Double.self, forKey: .timestamp)
    let times = [Name.isoDate, .publishedTime, .published].lazy.compactMap(text)
    date =
      seconds.flatMap { Date.calendarRange.contains($0) ? Date(timeIntervalSince1970: $0) : nil }
      ?? times.compactMap { Date(timestamp: $0) }.first
    day =
      date.map { CivilDay($0) }
      ?? [.publishedTime, .published, .releaseDay, .uploadDay].lazy.compactMap(text)
      .compactMap { FileDay.day($0) }.first
  }

  /// The sidecar in these bytes; nil when there is none.
  static func read(_ data: Data) -> Sidecar? {
    try? JSONDecoder().decode(Sidecar.self, from: data)
  }
}
