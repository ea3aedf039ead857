import PodcastModel
import PodcastTransfer

/// The state of a library when it was read, without its episodes. Further readings with it look only into
/// the index: in a library of thousands of folders, looking at each of them costs more than all the rest.
///
/// What was recorded since may be in them or not. After some seconds it counts no longer: other processes
/// and people change a library too.
package struct LibraryMoment: Sendable {
  private static let longest = Duration.seconds(5)

  /// When it was.
  var time = ContinuousClock.now
  /// The records of unfinished downloads, and why others are refused.
  let records: (kept: [PartialRecord], refused: [DiskError])
  /// The episodes with bytes on disk.
  let partials: [LocalEpisode]
  /// What a person said of the podcasts.
  var facts = PodcastFacts()
  /// Why that could not be read.
  var factsError: PodgetError?
  /// What was found in the folders, beside episodes; nil until they are read.
  var found: FoundEpisodes?

  /// Whether further readings may use it.
  var isRecent: Bool { time.duration(to: .now) < Self.longest }

  /// The same for further readings. Copies of records were merged by the first one.
  func later(_ found: FoundEpisodes) -> LibraryMoment {
    var moment = self
    moment.found = found
    moment.found?.episodes = UniqueEpisodes()
    moment.found?.conflicts = []
    return moment
  }
}
