import ArgumentParser
import PodcastKit

/// `podget restore`: bring removed episodes back from the trash.
struct RestoreCommand: PodgetCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Bring removed episodes back from the trash.",
    usage: "podget restore [<options>] <episode> ...",
    discussion: """
      podget list --removed shows what was removed. If a file is no longer in the \
      trash, podget download --episode ID downloads the episode again.
      """)

  @OptionGroup var episodes: EpisodeArguments
  @OptionGroup(title: "Library") var library: LibraryOptions
  @OptionGroup(title: "Output") var output: BriefOutputOptions

  func run(in context: CommandContext) async throws -> Outcome {
    let settings = try context.settings()
    let path = try library.resolved(settings)
    let output = ListingOutput(try output.resolved(settings), context)
    return try await output.reporting {
      let selection = LibrarySelection(output: output, library: path)
      let library = try selection.open()
      try library.requireWritable()
      let episodes = try await episodes.expanded(from: context.input)
      let reading = library.reading(episodes.query) { local in
        episodes.areNames(of: local.filter { $0.status == .removed })
      }
      try await output.working(on: reading) { local in
        // Existing episodes need nothing; for the removed ones a part of a title is enough.
        let chosen = try selection.episodes(episodes, among: local, areRemoved: true)
        var restored: [(verb: String, episode: LocalEpisode)] = []
        var errors: [PodgetError] = []
        for episode in chosen {
          do throws(PodgetError) {
            restored.append(
              episode.status == .removed
                ? ("restored", try library.restore(episode, at: context.now()))
                : ("is there", episode))
            // Copies that were removed together are restored together; the trash may have only some
            // of them.
            for copy in reading.copies(of: [episode]) where copy.status == .removed {
              do throws(PodgetError) {
                _ = try library.restore(copy, at: context.now())
              } catch {
                guard error.code == .notFound else { throw error }
              }
            }
          } catch {
            errors.append(
              PodgetError(error.code, "\(episode.title): \(error.sentence)"))
          }
        }
        if restored.isEmpty { try output.require(noneOf: errors) }
        try output.writeResults {
          try output.write(
            restored.map { JSONValue($0.episode) },
            lines: restored.map { RemovalText.line($0.verb, $0.episode) })
        } then: {
          try output.require(noneOf: errors)
        }
      }
    }
  }
}
