import ArgumentParser
import FoundationEssentials
import PodcastKit

/// `podget restore`: bring removed episodes back from the trash.
struct RestoreCommand: ArrangingCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Bring removed episodes back from the trash.",
    usage: "podget restore [<options>] <episode> ...\npodget restore [<options>] --last|--all",
    discussion: """
      podget list --removed shows what was removed. --last brings back what the last podget remove \
      or podget prune put into the trash, and --all every removed episode that is there. Files that \
      were replaced stay in the trash; podget trash says where. If a file is no longer in the trash, \
      podget download --episode ID downloads the episode again.
      """)

  @OptionGroup var episodes: EpisodeArguments

  @Flag(help: "What was removed last, by one command or within one second.")
  var last = false

  @OptionGroup(title: "Library") var library: LibraryOptions
  @OptionGroup(title: "Output") var output: BriefOutputOptions

  func validate() throws {
    guard last else {
      if !isAll { try episodes.requireNames() }
      return
    }
    guard episodes.episodes.isEmpty, episodes.sources.isEmpty, !episodes.all else {
      throw ValidationError("--last takes no episodes and no --source.")
    }
  }

  func run(in context: CommandContext) async throws -> Outcome {
    let settings = try context.settings()
    let path = try library.resolved(settings)
    let output = ListingOutput(try output.resolved(settings), context)
    return try await output.reporting {
      let selection = LibrarySelection(output: output, library: path)
      let library = try selection.open()
      try library.requireWritable()
      let episodes = try await episodes.expanded(from: context.input)
      let reading = library.merged(
        library.reading(last || isAll ? .all : episodes.query) { local in
          last || isAll || episodes.areNames(of: local.filter { $0.status == .removed })
        })
      try await output.working(on: reading) { local in
        // Existing episodes need nothing; for the removed ones a part of a title is enough.
        let chosen =
          last || isAll
          ? try removed(local, in: library, output, at: context.now())
          : try selection.episodes(episodes, among: local, areRemoved: true)
        var restored: [(verb: String, episode: LocalEpisode)] = []
        var errors: [PodgetError] = []
        let removed = chosen.filter {
          $0.status == .removed && reading.obstacle(to: $0.plan.file) == nil
        }
        var results = library.restore(removed, at: context.now())[...]
        for episode in chosen {
          if let error = Self.absence(of: episode, reading) {
            errors.append(error)
            continue
          }
          guard episode.status == .removed, let result = results.popFirst() else {
            restored.append(("is there", episode))
            continue
          }
          do throws(PodgetError) {
            restored.append(("restored", try result.get()))
          } catch {
            errors.append(PodgetError(error.code, "\(episode.title): \(error.sentence)"))
          }
        }
        // Copies that were removed together are restored together; the trash may have only some of
        // them.
        let copies = reading.copies(of: removed).filter { $0.status == .removed }
        for (copy, result) in zip(copies, library.restore(copies, at: context.now())) {
          if case .failure(let error) = result, error.code != .notFound {
            errors.append(PodgetError(error.code, "\(copy.title): \(error.sentence)"))
          }
        }
        if restored.isEmpty { try output.require(noneOf: errors) }
        try output.writeResults {
          try output.write(
            restored.map { JSONForms.localEpisode($0.episode) },
            lines: restored.map { RemovalText.line($0.verb, $0.episode) })
        } then: {
          try output.require(noneOf: errors)
        }
      }
    }
  }
}

extension RestoreCommand {
  /// Whether everything in the trash is meant.
  private var isAll: Bool { episodes.all && episodes.sources.isEmpty && episodes.episodes.isEmpty }

  /// Why an episode cannot be restored whose disk is missing, or which was not removed with podget.
  private static func absence(
    of episode: LocalEpisode, _ reading: LibraryReading
  ) -> PodgetError? {
    let error: PodgetError
    if let obstacle = reading.obstacle(to: episode.plan.file) {
      error = obstacle
    } else if episode.status == .missing {
      let hint =
        episode.plan.episode.enclosure.url.isEmpty
        ? ", and no address of it is known" : "; podget verify --repair downloads it again"
      error = PodgetError(.notFound, "Its file is gone, and podget did not remove it\(hint).")
    } else {
      return nil
    }
    return PodgetError(error.code, "\(episode.title): \(error.sentence)")
  }

  /// The removed episodes that are in the trash: all, or those of the last removal.
  private func removed(
    _ local: [LocalEpisode], in library: Library, _ output: ListingOutput, at now: Date
  ) throws -> [LocalEpisode] {
    let trashed = Set(library.trashedFiles.map(\.key.text))
    output.noteAbsentTrash(of: library, at: now)
    let removed = local.filter { $0.status == .removed && trashed.contains($0.key) }
    guard let time = removed.compactMap(\.removedAt).max() else {
      throw PodgetError(
        .notFound,
        trashed.isEmpty
          ? "The trash of the library has no removed episode."
          : "The trash of the library has no removed episode, but replaced files; podget trash says "
            + "where they are.")
    }
    return last ? removed.filter { $0.removedAt == time } : removed
  }
}
