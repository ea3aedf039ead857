import Foundation
import PodcastModel
import TestSupport

/// A podcast of a simulated year: what its server answers at each time, and which episodes belong in a
/// library that follows it. Everything follows from its number.
struct YearPodcast: Sendable {
  /// What is special about a podcast, or goes wrong with it.
  enum Kind: Int, CaseIterable, Sendable {
    case plain, daily, monthly, irregular, pausing, shortList
    case noValidators, changesAlways, noGUIDs, undated, futureDates, laterDates, newTitles
    case staleCopies, oldestOnly, emptyList, foreignFeed, webPage, cutShort
    case newGUIDs, newHost, reposts, archive
    case redirectedForGood, redirectedForNow, announcedMove
    case serverError, missing, goneBriefly, limited, lateFiles
  }

  struct Episode: Sendable {
    /// Its place, from 1.
    var place: Int
    var date: Date
  }

  /// How many episodes there are before the year.
  static let before = 8
  /// How many episodes a short list has.
  private static let shortLength = 3
  /// Episodes of one podcast have numbers that begin with its own.
  static let spread = 10_000
  /// What is added to the number of an episode whose file is at another address.
  static let elsewhere = 5000

  let number: Int
  let kind: Kind
  let start: Date
  /// All episodes, the oldest one first.
  let episodes: [Episode]

  init(number: Int, start: Date, days: Double) {
    self.number = number
    self.start = start
    kind = Kind.allCases[number % Kind.allCases.count]
    var random = SeededGenerator(seed: UInt64(number) &+ 77)
    let rhythm: Double =
      switch kind {
      case .daily: 1
      case .monthly: 30
      default: [7, 7, 3, 14].randomElement(using: &random) ?? 7
      }
    // The hour of the day at which its episodes come.
    let hour = Double.random(in: 0..<24, using: &random) / 24
    var episodes: [Episode] = []
    var day = -Double(Self.before) * rhythm + hour
    while day < days {
      let isAway = kind == .pausing && (day > 35 && day < 75)
      if !isAway || day < 0 {
        episodes.append(
          Episode(place: episodes.count + 1, date: start.addingTimeInterval(day * 86_400)))
      }
      day += kind == .irregular ? Double.random(in: 0.5..<15, using: &random) : rhythm
    }
    self.episodes = episodes
  }

  var path: String { "/p\(number)" }
  private var newPath: String { "/q\(number)" }
  var title: String { "Podcast \(number)" }

  /// The path that the subscription has in the end.
  var lastPath: String {
    kind == .redirectedForGood || kind == .announcedMove ? newPath : path
  }

  /// The places of the episodes that a library has in the end, which takes the newest `latest` first.
  func wanted(latest: Int, until end: Date) -> Set<Int> {
    let listed = kind == .shortList ? Self.shortLength : latest
    let old = episodes.filter { $0.date <= start }.suffix(min(listed, latest))
    let new = episodes.filter { $0.date > start && $0.date <= end }
    return Set((old + new).map(\.place))
  }

  /// Whether the file of an episode is not there yet.
  func lacks(_ episode: Int, at now: Date) -> Bool {
    guard kind == .lateFiles, episodes.indices.contains(episode - 1) else { return false }
    return now.timeIntervalSince(episodes[episode - 1].date) < 6 * 3600
  }

  /// When its host publishes old episodes again: between two new ones.
  private var archiveStart: Date {
    let late = start.addingTimeInterval(50 * 86_400)
    return (episodes.first { $0.date > late }?.date ?? late).addingTimeInterval(1.5 * 86_400)
  }

  /// What is at a path of it.
  func feed(_ path: String, at now: Date, origin: String) -> FeedHost.Feed? {
    let day = now.timeIntervalSince(start) / 86_400
    let isTrouble = (40..<44).contains(day)
    switch kind {
    case .redirectedForGood where path == self.path:
      if day >= 70 { return nil }
      if day >= 40 { return .redirect(301, to: newPath) }
    case .redirectedForNow where path == self.path: return .redirect(302, to: newPath)
    case .announcedMove where path == self.path && day >= 70: return nil
    case .serverError where isTrouble: return .error(503)
    case .missing where (40..<54).contains(day): return .error(404)
    case .goneBriefly where (40..<40.6).contains(day): return .error(410)
    case .limited where chance(of: 3, each: 86_400, now): return .error(429, retryAfter: "7200")
    case .webPage where isTrouble:
      var page = FeedHost.Feed()
      page.body = "<!DOCTYPE html><html><body>Log in</body></html>"
      return page
    default: break
    }
    var listed = episodes.filter { $0.date <= now }
    if kind == .staleCopies, day > 20, chance(of: 5, each: 21_600, now) {
      listed = listed.filter { $0.date <= now.addingTimeInterval(-20 * 86_400) }
    }
    if kind == .oldestOnly, day > 20, chance(of: 6, each: 21_600, now) {
      listed = Array(listed.prefix(3))
    } else {
      listed = listed.suffix(kind == .shortList ? Self.shortLength : 20)
    }
    if kind == .emptyList, isTrouble { listed = [] }
    var feed = FeedHost.Feed(title: title, listed.reversed().map { item($0, at: now, day) })
    switch kind {
    // Those that come again are at the top.
    case .reposts: feed.items.sort { ($0.date ?? "") > ($1.date ?? "") }
    case .foreignFeed where isTrouble:
      feed = FeedHost.Feed(
        title: "Another one", (0..<4).map { FeedHost.Item(number * Self.spread + 4000 + $0) })
    case .archive where now >= archiveStart:
      feed.items += (0..<60).map { place in
        FeedHost.Item(
          number * Self.spread + 4000 + place, title: "Old \(place)",
          date: start.addingTimeInterval(49 * 86_400 + Double(place) * 60).timestamp)
      }
    case .announcedMove where day >= 40:
      feed.head = "<itunes:new-feed-url>\(origin)\(newPath)</itunes:new-feed-url>"
    case .changesAlways: feed.head = "<!-- \(now) -->"
    case .cutShort where isTrouble || chance(of: 6, each: 21_600, now):
      feed.body = String(feed.xml.prefix(feed.xml.utf8.count / 2))
    case .noValidators: feed.hasValidators = false
    default: break
    }
    return feed
  }

  private func item(_ episode: Episode, at now: Date, _ day: Double) -> FeedHost.Item {
    let own = number * Self.spread + episode.place
    let age = now.timeIntervalSince(episode.date) / 86_400
    var title = "Show \(number) episode \(episode.place)"
    var date = episode.date
    if kind == .newTitles, age > 2 { title += " (updated)" }
    if kind == .laterDates, age > 3 { date.addTimeInterval(86_400) }
    if kind == .futureDates { date.addTimeInterval(3 * 86_400) }
    let isElsewhere = kind == .newHost && day >= 60
    var item = FeedHost.Item(
      isElsewhere ? own + Self.elsewhere : own, guid: "g-\(own)", title: title,
      date: date.timestamp)
    if isElsewhere || kind == .newGUIDs && day >= 60 { item.guid = "new-\(own)" }
    if kind == .reposts, (10..<12).contains(age) {
      // Under another guid it would be a new one, as the next bulletin at one address is.
      item.date = episode.date.addingTimeInterval(10 * 86_400).timestamp
    }
    if kind == .noGUIDs { item.guid = nil }
    if kind == .undated { item.date = nil }
    return item
  }

  /// Whether something happens that does so once in `count` times on average, in a span of time.
  private func chance(of count: UInt64, each seconds: Double, _ now: Date) -> Bool {
    let span = Int(now.timeIntervalSince(start) / seconds)
    var random = SeededGenerator(seed: UInt64(number) &* 1_000_003 &+ UInt64(max(span, 0)))
    return random.next() % count == 0
  }
}
