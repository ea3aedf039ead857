internal import CFiles
package import FoundationEssentials
public import PodcastModel
import PodcastTransfer

/// A download that was planned and is not finished.
public struct UnfinishedDownload: Sendable {
  /// The plan.
  public var plan: DownloadPlan
  /// The permanent failure; nil when it was interrupted, cancelled or never begun.
  public var failure: PodgetError.Code?
  /// When it failed in that way; nil if that was not recorded.
  package var failedAt: Date?
  /// When it failed in such a way for the first time in a row; nil if that was not recorded.
  package var failingSince: Date?
  /// What the last accepted answer said.
  package var state: ResumeState?
  /// The time of the removal that it overrides; nil if it overrides none.
  package var overridesRemoval: String?
}

extension Library {
  /// A reading as lists show it: with the planned episodes of which nothing is on the disk, also those
  /// whose files are gone, and removed ones that the user has asked for again. A complete file that is
  /// downloaded again stays complete.
  public func withPlanned(_ reading: LibraryReading) -> LibraryReading {
    var planned = reading.unfinished.map { LocalEpisode(planned: $0.plan) }
    reading.facts.correct(&planned)
    guard !planned.isEmpty else { return reading }
    var result = reading
    let places = UniqueEpisodes.places(of: planned, among: reading.episodes)
    for (unfinished, planned) in zip(reading.unfinished, planned) {
      var planned = planned
      guard let place = places[planned.key] else {
        let plan = unfinished.plan
        let entry = try? recordedEntry(plan.episodeKey, in: plan.file.folder)
        planned.marks = entry?.marks ?? EpisodeMarks()
        result.episodes.append(planned)
        continue
      }
      let known = reading.episodes[place]
      switch known.status {
      case .complete, .partial, .planned: continue
      case .removed where !known.isOverridden(by: unfinished.overridesRemoval): continue
      case .missing, .removed:
        planned.marks = known.marks
        result.episodes[place] = planned
      }
    }
    return result
  }
}

extension Library {
  /// How many bytes those unfinished downloads have that are being written now, by the keys of their
  /// episodes. It blocks on the disk.
  ///
  /// - Parameter seconds: how long ago the last byte was written at most.
  package func partialBytes(writtenWithin seconds: Int64) -> [String: Int64] {
    guard let folder = try? existingPartialFolder()?.folder else { return [:] }
    let ending = ".part"
    let start = Int64(Date().timeIntervalSince1970) - seconds
    var bytes: [String: Int64] = [:]
    for name in folder.entries() where name.hasSuffix(ending) {
      guard let status = folder.status(of: name), status.is_regular,
        status.modified / 1_000_000_000 >= start
      else { continue }
      bytes[String(name.dropLast(ending.count))] = status.size
    }
    return bytes
  }
}

extension Library {
  /// Forgets unfinished downloads: their plans, and the bytes that arrived. A complete file that one
  /// of them was to replace stays. It blocks on the disk.
  ///
  /// - Returns: the keys of those that are kept, because somebody is downloading them now.
  /// - Throws: a ``PodgetError`` with the code `disk`; some may be forgotten by then.
  package func forget(_ plans: [DownloadPlan]) throws(PodgetError) -> Set<String> {
    do throws(DiskError) {
      let partials = try PartialFolder(library: root)
      var kept: Set<String> = []
      for plan in plans {
        guard let part = try partials.openPart(plan.key) else {
          kept.insert(plan.key)
          continue
        }
        // Bytes without a record are worthless, so a kill between these two leaves nothing that would
        // be continued.
        partials.removeRecord(plan.key)
        part.remove()
      }
      try partials.synchronizeFolder()
      return kept
    } catch {
      throw error.podgetError
    }
  }
}

extension UnfinishedDownload {
  /// Whether the server sent a body without an end. Only the user tries it again: each time would
  /// fill the disk again.
  package var isEndless: Bool { failure == .incomplete }

  /// Reads a record.
  init(_ record: PartialRecord) {
    self.init(
      plan: record.plan, failure: record.failureForGood,
      failedAt: record.failedAt.flatMap { Date(timestamp: $0) },
      failingSince: record.failingSince.flatMap { Date(timestamp: $0) }, state: record.state,
      overridesRemoval: record.overridesRemoval)
  }
}
