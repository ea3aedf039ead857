import PodcastKit

/// What is left to the end of the process, which gives memory back all at once.
enum ProcessEnd {
  private final class Remains {
    let episodes: [LocalEpisode]

    init(_ episodes: [LocalEpisode]) { self.episodes = episodes }
  }

  /// Keeps a command from giving back the episodes of a large library one by one, which takes a
  /// tenth of its time: only for what it does last.
  static func keep(_ lists: [LocalEpisode]...) {
    for list in lists { _ = Unmanaged.passRetained(Remains(list)) }
  }
}
