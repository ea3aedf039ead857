import Foundation
import LoopbackServer
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
    case toHTTPS, shrinking, paged, deadHost, goneForGood, wantsLogin, privateFeed, unreliable
    case wrongServerClock, signedFiles, retriesLater, duplicated
  }

  /// What a request is for, by its address.
  struct Address: Sendable {
    var isSecure: Bool
    var host: Substring
    /// The number of the podcast.
    var podcast: Int
    /// The place of the episode; nil for the feed.
    var episode: Int?
    /// Whether it is the second address of the feed.
    var isNew = false
    /// The page of the feed, from 1.
    var page = 1

    init?(_ url: String) {
      let parts = url.split(separator: "/", maxSplits: 2)
      guard parts.count == 3, let name = parts[2].split(separator: "/").last else { return nil }
      isSecure = parts[0] == "https:"
      host = parts[1]
      guard parts[2].hasPrefix("media/") else {
        guard let number = Int(name.dropFirst().prefix { $0.isNumber }) else { return nil }
        podcast = number
        isNew = name.hasPrefix("q")
        if let page = name.split(separator: "=").last.flatMap({ Int($0) }) { self.page = page }
        return
      }
      guard let number = Int(name.prefix { $0.isNumber }) else { return nil }
      (podcast, episode) = number.quotientAndRemainder(dividingBy: YearPodcast.spread)
    }
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
  /// How many episodes a feed has at most, old ones included.
  private static let most = 60
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

  var title: String { "Podcast \(number)" }

  /// A few podcasts share a host, but for those that are not to share its fate.
  private var host: String {
    switch kind {
    case .limited, .deadHost, .unreliable, .privateFeed: "h\(number).example"
    default: "shared\(number / 8).example"
    }
  }

  /// The address that is subscribed.
  var address: String {
    switch kind {
    case .toHTTPS: "http://\(host)/p\(number)"
    case .privateFeed: "https://ada:secret@\(host)/p\(number)"
    default: "https://\(host)/p\(number)"
    }
  }

  private var newAddress: String {
    kind == .privateFeed ? "https://elsewhere.example/q\(number)" : "https://\(host)/q\(number)"
  }

  /// The address that the subscription has in the end.
  var lastAddress: String {
    switch kind {
    case .redirectedForGood, .announcedMove: newAddress
    case .toHTTPS: "https://\(host)/p\(number)"
    default: address
    }
  }

  /// Whether a server wants the login of the subscription.
  func takesLogin(at address: Address) -> Bool {
    kind == .privateFeed && address.host == host
  }

  /// The places of the episodes that a library has in the end, which takes the newest `latest` first.
  ///
  /// - Parameter days: how many days before the end what comes does not count yet.
  func wanted(latest: Int, until end: Date, before days: Double = 0) -> Set<Int> {
    let listed =
      switch kind {
      case .shortList: Self.shortLength
      // Each item counts, and two are one episode.
      case .duplicated: (latest + 1) / 2
      default: latest
      }
    let old = episodes.filter { $0.date <= start }.suffix(min(listed, latest))
    // It ends on the sixtieth day.
    let last = kind == .goneForGood ? min(end, start.addingTimeInterval(60 * 86_400)) : end
    let cut = last.addingTimeInterval(-days * 86_400)
    let new = episodes.filter { $0.date > start && $0.date <= cut }
    return Set((old + new).map(\.place))
  }

  /// Whether its server answers at all.
  func isReached(at now: Date) -> Bool {
    let day = now.timeIntervalSince(start) / 86_400
    switch kind {
    case .deadHost: return !(40..<60).contains(day)
    case .paged: return !(40..<70).contains(day)
    case .unreliable: return day <= 2 || !chance(of: 3, each: 3600, now)
    default: return true
    }
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

  /// What is at an address of it.
  func feed(_ address: Address, at now: Date) -> FeedHost.Feed? {
    let day = now.timeIntervalSince(start) / 86_400
    let isTrouble = (40..<44).contains(day)
    switch kind {
    case .redirectedForGood where !address.isNew:
      if day >= 70 { return nil }
      if day >= 40 { return .redirect(301, to: newAddress) }
    case .redirectedForNow where !address.isNew: return .redirect(302, to: newAddress)
    case .announcedMove where !address.isNew && day >= 70: return nil
    case .toHTTPS where !address.isSecure && day >= 20: return .redirect(301, to: lastAddress)
    case .goneForGood where day >= 60: return .error(410)
    case .wantsLogin where isTrouble: return .error(401)
    case .retriesLater where day > 2 && chance(of: 10, each: 86_400, now):
      return .error(503, retryAfter: "86400")
    case .serverError where isTrouble: return .error(503)
    case .missing where (40..<54).contains(day): return .error(404)
    case .goneBriefly where (40..<40.6).contains(day): return .error(410)
    // The first sync takes what is the newest when it can read the feed.
    case .limited where day > 2 && chance(of: 3, each: 86_400, now):
      return .error(429, retryAfter: "7200")
    case .webPage where isTrouble:
      var page = FeedHost.Feed()
      page.body = "<!DOCTYPE html><html><body>Log in</body></html>"
      return page
    default: break
    }
    var listed = episodes.prefix { $0.date <= now }.suffix(Self.most)[...]
    var hasMore = false
    if kind == .staleCopies, day > 20, chance(of: 5, each: 21_600, now) {
      listed = listed.prefix { $0.date <= now.addingTimeInterval(-20 * 86_400) }
    }
    if kind == .oldestOnly, day > 20, chance(of: 6, each: 21_600, now) {
      listed = listed.prefix(3)
    } else if kind == .paged {
      listed = listed.dropLast((address.page - 1) * Self.shortLength)
      hasMore = listed.count > Self.shortLength
      listed = listed.suffix(Self.shortLength)
    } else {
      let isShort = kind == .shortList || kind == .shrinking && day >= 40
      listed = listed.suffix(isShort ? Self.shortLength : 20)
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
    case .announcedMove where day >= 40, .privateFeed where day >= 40:
      feed.head = "<itunes:new-feed-url>\(newAddress)</itunes:new-feed-url>"
    case .paged where hasMore:
      feed.head = "<atom:link rel=\"next\" href=\"p\(number)?page=\(address.page + 1)\"/>"
    case .duplicated: feed.items = feed.items.flatMap { [$0, $0] }
    case .wrongServerClock:
      // Three days ahead, and its feed changed an hour ago.
      let date = Int(now.timeIntervalSince1970) + 3 * 86_400
      feed.fields = [
        Request.Field("Date", HTTPDate.text(date)),
        Request.Field("Last-Modified", HTTPDate.text(date - 3600)),
        Request.Field("Expires", HTTPDate.text(date + 3600)),
      ]
    case .changesAlways: feed.head = "<!-- \(now) -->"
    case .cutShort where isTrouble || day > 2 && chance(of: 6, each: 21_600, now):
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
    if kind == .signedFiles { item.query = "token=\(Int(now.timeIntervalSince1970))" }
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
