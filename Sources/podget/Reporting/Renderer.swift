import PodcastKit

/// Shows what a command does, to people or to scripts.
///
/// Only the loop that consumes events owns the renderer and calls it, so it needs no lock and is
/// not `Sendable`. Texts may contain anything from the network: a renderer makes them safe.
protocol Renderer {
  /// Whether data for a script could not be written although it may still be needed.
  var hasLostOutput: Bool { get }

  /// A source was read: the podcast, and the number of chosen episodes.
  mutating func listing(_ podcast: Podcast, episodes: Int)

  /// Something happened to one planned episode.
  mutating func show(_ event: DownloadEvent)

  /// A source could not be read.
  mutating func sourceFailed(_ source: String, _ error: PodgetError)

  /// How many feeds are checked, and how many there are.
  mutating func checking(_ done: Int, of total: Int)

  /// The feed of a followed podcast was checked.
  mutating func checked(_ check: FeedCheck)

  /// The feed of a followed podcast could not be read.
  mutating func feedFailed(_ name: String, _ podcast: Podcast, _ error: PodgetError)

  /// All feeds of a round were checked; downloads may go on.
  mutating func feedsChecked()

  /// A rule removed an episode, or would.
  mutating func removed(_ episode: RetiredEpisode)

  /// A file was stored beside an episode, or could not be.
  mutating func belonging(_ event: BelongingEvent)

  /// A sentence for people, such as “2 episodes are for subscribers only.”
  mutating func note(_ text: String)

  /// Time has passed, or the window has another size; called about ten times a second.
  mutating func tick()

  /// The end of the work, or of one of its rounds.
  mutating func summary(_ summary: Summary)

  /// Releases the screen, before the process is stopped.
  mutating func suspend()

  /// Uses the screen again; harmless without a ``suspend()`` before it.
  mutating func continueDrawing()

  /// Writes everything that is buffered and leaves the screen clean; the last call.
  mutating func close()
}

extension Renderer {
  /// Only a live display shows it.
  mutating func checking(_ done: Int, of total: Int) {}

  /// A line for people.
  mutating func removed(_ episode: RetiredEpisode) {
    let verb = TerminalText.padded(episode.isRemoved ? "removed" : "would remove", to: 11)
    let local = episode.local
    note(
      "\(verb)  \(local.title)  \(ByteText.size(local.bytes)), "
        + episode.policy.reason(of: episode.rule))
  }

  /// Only what is kept for the end is written now.
  mutating func feedsChecked() {}

  /// Text for people is not data.
  var hasLostOutput: Bool { false }
}

/// How much is written in words.
enum Verbosity: Sendable, Hashable, Comparable {
  /// Failures only.
  case quiet
  /// The normal messages.
  case normal
  /// Also messages that help to find a fault.
  case verbose
}
