import FoundationEssentials
import PodcastLibrary
import PodcastModel

/// The unfinished downloads of a podcast whose feed is being asked: its answer may have other addresses
/// for them.
struct HeldDownloads: Sendable {
  /// One of them.
  struct Download: Sendable {
    /// The plan, with the address that was listed before.
    var plan: DownloadPlan
    /// Whether it is time to try it again at that address.
    var isDue: Bool
    /// Whether it is not tried again at that address if it fails once more.
    var isLastTime: Bool
  }

  /// In the order in which they were planned.
  var downloads: [Download]
  /// What is known of the library.
  var known: KnownEpisodes

  /// What is to be tried: what is due, and what has another address now, which is due at once. An
  /// address that differs only in its query is another signature of the same one.
  ///
  /// - Parameter listed: those that the feed lists, as it lists them.
  func settled(by listed: [DownloadPlan]) -> [Download] {
    let listed = Dictionary(listed.map { ($0.key, $0) }) { first, _ in first }
    return downloads.compactMap { download in
      guard let new = listed[download.plan.key] else { return download.isDue ? download : nil }
      let (old, now) = (download.plan.episode.enclosure.url, new.episode.enclosure.url)
      guard old == now || Self.place(old) == Self.place(now) else {
        return Download(plan: new, isDue: true, isLastTime: false)
      }
      guard download.isDue else { return nil }
      return old == now
        ? download : Download(plan: new, isDue: true, isLastTime: download.isLastTime)
    }
  }

  private static func place(_ address: String) -> Substring {
    address.prefix { $0 != "?" && $0 != "#" }
  }
}
