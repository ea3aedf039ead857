import FoundationEssentials
import PodcastKit

/// What commands write about the library's episodes and files.
extension JSONForms {
  /// An element of the commands that change the library's episodes.
  static let localEpisode = JSONForm { localMembers }

  private static let localMembers: [JSONMember<LocalEpisode>] = members {
    JSONMember("podcast", podcast, \.podcast)
    JSONMember("episode", timedEpisode, \.episode)
    JSONMember("path", .string, \.path)
    JSONMember("bytes", .count, \.bytes)
    JSONMember("total", .count, \.total)
    JSONMember("status", .word, \.status)
    JSONMember("starred", .flag, \.isStarred)
    JSONMember("played", .flag, \.isPlayed)
    JSONMember("position", .seconds, \.position)
    JSONMember("downloadedAt", .date, \.downloadedAt)
    JSONMember("sha256", .string, \.sha256)
  }

  private static let timedEpisode = JSONForm<Episode> {
    episodeMembers
    JSONMember("duration", .seconds, \.duration)
  }

  /// An element of `list`: an episode as other commands have it, and until when a removed one is in
  /// the trash.
  static let listedEpisode = JSONForm<(local: LocalEpisode, keptUntil: Date?)> {
    localMembers.map { $0.of { $0.local } }
    JSONMember("keptUntil", .date) { $0.keptUntil }
  }

  /// An element of `trash`.
  static let trashedFile = JSONForm<TrashedEpisode> {
    JSONMember("podcast", podcast, \.local?.podcast)
    JSONMember("episode", episode, \.local?.episode)
    JSONMember("path", .string, \.file.path)
    JSONMember("bytes", .count, \.file.bytes)
    JSONMember("keptUntil", .date, \.file.keptUntil)
  }

  /// An element of `prune`: an episode as `list` has it, and the decision about it.
  static let prunedEpisode = JSONForm<PruneDecision> {
    localMembers.map { $0.of(\.local) }
    JSONMember("decision", .words(["remove", "keep"])) { $0.isRemoved ? "remove" : "keep" }
    JSONMember(
      "reason",
      .words(RetentionPolicy.Rule.allCases.map(\.rawValue) + ["starred", "partial", "missing"])
    ) { decision -> String? in
      switch decision.decision {
      case .remove(let rule): rule.rawValue
      case .keepStarred: "starred"
      case .keepUnfinished: decision.local.status.rawValue
      case .keep: nil
      }
    }
    JSONMember("frees", .count, \.freedBytes)
    JSONMember("error", error, \.error)
  }

  /// An element of `verify`.
  static let finding = JSONForm<FileFinding> {
    JSONMember("path", .string, \.path)
    JSONMember("podcast", podcast, \.podcast)
    JSONMember("episode", episode, \.plan?.episode)
    JSONMember("status", .word, \.status)
    JSONMember("problem", .string, \.problem)
    JSONMember("bytes", .count, \.bytes)
    JSONMember("sha256", .string, \.sha256)
    JSONMember("duration", .seconds, \.duration)
    JSONMember("publishedDuration", .seconds, \.plan?.episode.duration)
    JSONMember("repaired", .flag, \.isRepaired)
  }

  /// An element of `adopt`: a file that was found.
  static let adoption = JSONForm<AdoptedFile> {
    JSONMember("file", .string, \.file)
    JSONMember("path", .string, \.path)
    JSONMember("podcast", podcast, \.plan?.podcast)
    JSONMember("episode", episode, \.plan?.episode)
    JSONMember("status", .word, \.status)
    JSONMember("reason", .string, \.obstacle?.sentence)
    JSONMember("bytes", .count, \.bytes)
    JSONMember("sha256", .string, \.sha256)
  }

  /// An element of `rename`.
  static let renamedFile = JSONForm<(file: RenamedFile, local: LocalEpisode)> {
    JSONMember("podcast", podcast) { $0.local.podcast }
    JSONMember("episode", episode) { $0.local.episode }
    JSONMember("from", .string) { $0.file.move.from.text }
    JSONMember("to", .string) { $0.file.move.to.text }
    JSONMember("status", .words(["planned", "moved", "failed"])) { $0.file.outcome.word }
    JSONMember("error", error) { $0.file.outcome.failure }
  }
}

extension JSONForms {
  /// An element of `merge`: two podcasts that are one now, or two again.
  static let mergedPodcast = JSONForm<MergedPodcast> {
    JSONMember("podcast", podcast, \.podcast)
    JSONMember("into", podcast, \.into)
    JSONMember("status", .word, \.status)
  }
}

extension RenamedFile.Outcome {
  fileprivate var word: String {
    switch self {
    case .planned: "planned"
    case .moved: "moved"
    case .failed: "failed"
    }
  }

  fileprivate var failure: PodgetError? {
    if case .failed(let failure) = self { failure } else { nil }
  }
}
