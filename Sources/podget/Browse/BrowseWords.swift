import PodcastBrowse
import PodcastKit
import Synchronization

/// Stops a search from elsewhere.
final class SearchStop: Sendable {
  private let stopped = Atomic(false)

  /// Whether nobody waits for the search any more.
  var isStopped: Bool { stopped.load(ordering: .relaxed) }

  func stop() { stopped.store(true, ordering: .relaxed) }
}

/// Words in titles, notes and transcripts: what `podget grep` finds, as a page.
extension BrowseEngine {
  /// More than this nobody reads on a screen.
  private static let mostFound = 1_000

  /// Looks for words, and no longer for those before.
  func findWords(_ text: String) async {
    search?.stop()
    let stop = SearchStop()
    search = stop
    let pattern: TitlePattern
    do throws(OptionValueError) {
      pattern = try TitlePattern(text)
    } catch {
      return send(.words(text, [], failure: error.description))
    }
    let library = library
    let (found, problems) = await disk.perform {
      var found: [FoundText] = []
      let reading = library.locatedReading(recording: false)
      let episodes = ListOrder().sorted(reading.episodes.filter { $0.status != .removed })
      let problems = EpisodeSearch(of: library, for: pattern).run(
        episodes, until: { stop.isStopped || found.count >= Self.mostFound }
      ) { found += $0 }
      return (found, problems)
    }
    guard !stop.isStopped else { return }
    send(.words(text, Self.lines(found)))
    if found.count >= Self.mostFound {
      send(.message("Only the newest \(Self.mostFound) or so are shown."))
    }
    for problem in problems { send(.error(problem.sentence)) }
  }

  /// A line for each episode, and one for each text of it.
  private static func lines(_ found: [FoundText]) -> [WordsPage.Line] {
    var lines: [WordsPage.Line] = []
    var last: String?
    for item in found {
      let episode = item.episode
      if episode.key != last {
        last = episode.key
        let day = episode.date.map { CivilDay($0).description } ?? ""
        lines.append(
          WordsPage.Line(
            key: episode.key,
            DetailLine("\(episode.podcast.shownTitle): \(episode.title)", label: day)))
      }
      guard item.part != .title else { continue }
      let label = item.start.map { DurationText.clock($0) } ?? item.part.rawValue
      lines.append(
        WordsPage.Line(
          key: episode.key, DetailLine(item.opening + item.text, label: label, time: item.start)))
    }
    return lines
  }
}
