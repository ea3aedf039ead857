import FoundationEssentials
import Glibc
package import PodcastModel
import PodcastTransfer

/// What a person said of podcasts, in `.podget/podcasts.ndjson`.
///
/// Copies that synchronizers left beside it are read too: the order of the lines does not matter.
package enum PodcastLog {
  /// The file's name in `.podget`.
  package static let name = "podcasts.ndjson"
  /// Only people write lines, one for each word of theirs.
  private static let maximumBytes: Int64 = 16 << 20
  private static let maximumLineBytes = 1 << 20
  /// How many copies are read.
  private static let mostCopies = 20

  private static func log(_ name: String, in folder: OpenFile) -> RecordLog<PodcastFact> {
    // What a person said stays: there are few lines.
    RecordLog(
      name, in: folder, maximumBytes: maximumBytes, maximumLineBytes: maximumLineBytes,
      compacted: { _ in nil })
  }

  /// What was said of the podcasts of a library; nothing without the file. It blocks on the disk.
  ///
  /// - Throws: also if a line is refused: without a merge, or without the end of one, episodes would be
  ///   downloaded again or removed.
  static func facts(of root: OpenFile) throws(DiskError) -> PodcastFacts {
    guard root.status(of: ".podget/\(name)") != nil else { return PodcastFacts() }
    let folder = try OpenFile.ownFolder(nil, in: root, creating: false)
    do throws(DiskError) {
      var facts: [PodcastFact] = []
      let copies = folder.entries().filter { FolderRecords.isConflictCopy($0, of: "podcasts") }
      for file in [name] + copies.sorted().prefix(mostCopies) {
        let reading = try log(file, in: folder).reading()
        facts += reading.lines
        if let refusal = reading.refusal {
          throw DiskError(EINVAL, "use", file, reason: refusal)
        }
      }
      return PodcastFacts(facts)
    } catch {
      throw error.at(error.operation, ".podget/\(error.path)")
    }
  }

  /// Adds lines in one write and syncs them; their times are later than all that is known.
  static func append(
    _ facts: [PodcastFact], after known: PodcastFacts, in root: OpenFile
  ) throws(DiskError) {
    guard !facts.isEmpty else { return }
    let folder = try OpenFile.ownFolder(nil, in: root, creating: true)
    let written = RecordTime.next(after: known.latest)
    let lines = facts.map { fact in
      var line = fact
      (line.written, line.writer) = (written, RecordWriter.own)
      return line
    }
    _ = try log(name, in: folder).append(
      lines, first: nil, compactingFrom: maximumBytes, where: { _ in true })
  }
}

extension Library {
  /// What a person said of its podcasts. It blocks on the disk.
  package func podcastFacts() throws(PodgetError) -> PodcastFacts {
    do throws(DiskError) {
      return try PodcastLog.facts(of: root)
    } catch {
      throw unreadable(error)
    }
  }

  /// Adds what a person says of podcasts now, later than all that is known. It blocks on the disk.
  package func say(
    _ facts: [PodcastFact], after known: PodcastFacts
  ) throws(PodgetError) {
    do throws(DiskError) {
      try PodcastLog.append(facts, after: known, in: root)
    } catch {
      throw error.podgetError
    }
  }
}

extension LibraryReading {
  /// The same with what a person says of its podcasts.
  func corrected(by facts: PodcastFacts) -> LibraryReading {
    guard !facts.isEmpty else { return self }
    var reading = self
    reading.facts = facts
    facts.correct(&reading.episodes)
    facts.correct(&reading.copies)
    facts.correct(&reading.absent)
    return reading
  }
}

extension PodcastFacts {
  /// Gives episodes their podcasts as a person wants them.
  package func correct(_ episodes: inout [LocalEpisode]) {
    guard !isEmpty else { return }
    var last: (podcast: Podcast, corrected: Podcast)?
    for place in episodes.indices {
      let podcast = episodes[place].podcast
      // The episodes of a podcast are adjacent, as in its folder.
      let corrected = last?.podcast == podcast ? last?.corrected : nil
      let now = corrected ?? self.corrected(podcast)
      last = (podcast, now)
      guard now != podcast else { continue }
      episodes[place] = episodes[place].with(now)
    }
  }
}

extension LocalEpisode {
  /// The same with another description of its podcast.
  package func with(_ podcast: Podcast) -> LocalEpisode {
    var local = self
    let plan = plan
    local.plan = DownloadPlan(
      key: plan.episodeKey, podcast: podcast, episode: plan.episode, file: plan.file)
    local.plan.isNamed = plan.isNamed
    return local
  }
}
