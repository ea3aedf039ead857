import FoundationEssentials
import PodcastKit

/// The status of a library as people and Prometheus read it.
enum StatusLines {
  /// The text of `podget status`.
  static func text(_ status: FollowingStatus, _ style: TerminalStyle) -> String {
    var counts = FollowedPodcast.Status.allCases.compactMap { state in
      status.feeds[state].map { "\($0) \(state.rawValue)" }
    }
    if status.deferred > 0 { counts.append("\(status.deferred) deferred") }
    var lines = [
      style.styled("feeds", status.matters.isEmpty ? .green : .yellow)
        + "        \(counts.isEmpty ? "none" : counts.joined(separator: ", "))",
      "last check   \(status.lastCheck?.timestamp ?? "never")",
      "next check   \(status.nextCheck?.timestamp ?? "now")",
      "episodes     \(status.unfinished) unfinished, \(status.failed) failed, "
        + "\(status.waiting) waiting",
    ]
    if let free = status.freeBytes { lines.append("free         \(ByteText.size(free))") }
    lines += status.matters.map { matter in
      let podcast = matter.podcast.subscription
      return style.styled("needs you", .yellow) + "    \(TerminalText.safe(podcast.title)): "
        + TerminalText.safe(AddressRedaction.shown(in: sentence(matter)))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func sentence(_ matter: FollowingStatus.Matter) -> String {
    let (podcast, name) = (matter.podcast, matter.podcast.subscription.name)
    switch matter.kind {
    case .login, .failing:
      let since = podcast.failingSince.map { "Failing since \(CivilDay($0)): " } ?? ""
      return since + (podcast.lastError?.sentence ?? "It failed.")
    case .gone:
      return "It has ended (410); podget unsubscribe \(name) forgets it, and the files stay."
    case .waiting:
      return
        "\(EventText.episodes(podcast.waiting)) waiting; podget sync \(name) --accept downloads "
        + (podcast.waiting == 1 ? "it." : "them.")
    case .move:
      return
        "Its feed has moved to \(podcast.waitingMove?.withoutCredentials ?? "another address"); "
        + "podget subscribe --accept-move \(name) takes it there."
    }
  }

  /// The same for the textfile collector of Prometheus.
  static func metrics(_ status: FollowingStatus) -> String {
    var text = ""
    func family(_ name: String, _ help: String, _ samples: [(label: String, value: Int64)]) {
      text += "# HELP podget_\(name) \(help)\n# TYPE podget_\(name) gauge\n"
      for sample in samples { text += "podget_\(name)\(sample.label) \(sample.value)\n" }
    }
    func seconds(_ date: Date) -> Int64 { Int64(clamping: Int(date.timeIntervalSince1970)) }
    family(
      "feeds", "The feeds that are followed, by state.",
      FollowedPodcast.Status.allCases.map {
        ("{state=\"\($0.rawValue)\"}", Int64(status.feeds[$0] ?? 0))
      })
    family(
      "feeds_deferred", "The feeds whose servers want no request now.",
      [("", Int64(status.deferred))])
    family(
      "episodes", "The episodes that are not complete, by state.",
      [
        ("{state=\"unfinished\"}", Int64(status.unfinished)),
        ("{state=\"failed\"}", Int64(status.failed)),
        ("{state=\"waiting\"}", Int64(status.waiting)),
      ])
    family(
      "needs_person", "What waits for a person, as podget status lists it.",
      FollowingStatus.Matter.Kind.allCases.map { kind in
        ("{kind=\"\(kind.rawValue)\"}", Int64(status.matters.count { $0.kind == kind }))
      })
    if let last = status.lastCheck {
      family("last_check_timestamp_seconds", "When a feed was last asked.", [("", seconds(last))])
    }
    family(
      "status_timestamp_seconds", "When these figures were written.", [("", seconds(status.time))])
    if let free = status.freeBytes {
      family("free_bytes", "The space that is left on the library's disk.", [("", free)])
    }
    return text
  }
}
