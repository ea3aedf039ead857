import FoundationEssentials

@testable import PodcastFeeds
@testable import PodcastLibrary
@testable import PodcastModel

/// Answers of Apple's lookup and search: listings with what podget relies on, or an error.
enum LookupFuzzing {
  static func run(_ input: inout FuzzInput) throws {
    let data = Data(input.remaining())
    let listings: [PodcastListing]
    do throws(PodgetError) {
      listings = try ITunesAnswer.listings(from: data)
    } catch {
      try sentence(error)
      return
    }
    do {
      let listing = try ITunesAnswer.listing(from: data, id: 7)
      try FuzzFailure.require(listings == [listing], "One listing is another.")
    } catch let error as PodgetError {
      try FuzzFailure.require(listings.count != 1, "There is a listing, but: \(error.message)")
      try sentence(error)
    }
    if let complaint = ITunesDocument.complaint(in: data) { _ = TerminalText.safe(complaint) }
    for listing in listings { try check(listing) }
  }

  private static func sentence(_ error: PodgetError) throws {
    try FuzzFailure.require(!error.message.isEmpty, "An error without words.")
  }

  private static func check(_ listing: PodcastListing) throws {
    try FuzzFailure.require(!listing.podcast.title.isEmpty, "A podcast without a title.")
    try FuzzFailure.require((listing.podcast.episodeCount ?? 0) >= 0, "A negative count.")
    try FuzzFailure.require(listing.unplayableCount >= 0, "A negative count.")
    var ids: Set<String> = []
    var last: Date?
    for episode in listing.episodes {
      try FuzzFailure.require(!episode.title.isEmpty, "An episode without a title.")
      try FuzzFailure.require(
        WebAddress(episode.enclosure.url)?.isHTTP == true, "The address \(episode.enclosure.url)")
      if let id = episode.id {
        try FuzzFailure.require(
          ids.insert("\(id) \(episode.enclosure.url)").inserted, "Twice the id \(id).")
      }
      if let date = episode.date {
        try FuzzFailure.require(last.map { $0 >= date } ?? true, "Not the newest first.")
        last = date
        _ = date.timestamp
      }
      try FuzzFailure.require(episode.duration.map { $0 > .zero } ?? true, "A negative duration.")
    }
    // What is derived from them must accept any of it.
    let keys = EpisodeKeys(of: listing.episodes, podcast: listing.podcast, known: [])
    let planner = NamePlanner()
    let plans = planner.plans(
      for: listing.podcast, episodes: listing.episodes, among: listing.episodes, keys: keys,
      taken: TakenNames())
    for plan in plans {
      try FuzzFailure.require(
        RelativePath(plan.path) != nil, "The path \(plan.path)")
      _ = StoredEpisode(plan.episode).episode
    }
  }
}
