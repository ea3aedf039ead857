import PodcastKit

/// Shows what a command does, to people or to scripts.
///
/// The one loop that consumes events owns the renderer and calls it; nothing else does, so it needs
/// no lock and is no `Sendable`. Texts may hold anything a network sent: a renderer makes them safe.
protocol Renderer {
  /// Whether data for a script could not be written though somebody may still want it.
  var hasLostOutput: Bool { get }

  /// A source was read: this podcast, of which so many episodes are chosen.
  mutating func listing(_ podcast: Podcast, episodes: Int)

  /// Something happened to one planned episode.
  mutating func show(_ event: DownloadEvent)

  /// A source could not be read.
  mutating func sourceFailed(_ source: String, _ error: PodgetError)

  /// A sentence for people, such as “2 episodes are for subscribers only.”
  mutating func note(_ text: String)

  /// Time has passed, or the window has another size; called about ten times a second.
  mutating func tick()

  /// The end of the work; nothing but ``close()`` follows.
  mutating func summary(_ summary: Summary)

  /// Leaves the screen to others, before the process is stopped.
  mutating func suspend()

  /// Takes the screen up again; harmless without a ``suspend()`` before it.
  mutating func continueDrawing()

  /// Writes what is still held back and leaves the screen tidy; nothing follows.
  mutating func close()
}

extension Renderer {
  /// Text for people is no data.
  var hasLostOutput: Bool { false }
}

/// How much of what happens is told in words.
enum Verbosity: Sendable, Hashable, Comparable {
  /// Failures only.
  case quiet
  /// What people want to know.
  case normal
  /// Also what helps to find a fault.
  case verbose
}
