import ArgumentParser
import PodcastKit

/// What `merge` did with two podcasts.
struct MergedPodcast: Sendable {
  /// The result; the raw values are the contract with scripts.
  enum Status: String, Sendable, CaseIterable {
    case merged, separated, unchanged
  }

  var podcast: Podcast
  var into: Podcast
  var status: Status
}

/// `podget merge`: make two podcasts of the library one.
struct MergeCommand: ArrangingCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Make two podcasts of the library one, or two again.",
    usage: "podget merge [<options>] <podcast> <into>",
    discussion: """
      The first podcast becomes a part of the second one and gets its title: lists, prune and the \
      rules of sync count the episodes of both as those of one podcast. An episode that both have is \
      one; it is not downloaded again. No file moves: podget rename names the files by the common \
      title. --undo makes them two again.

      Only one of the two can be followed. --unsubscribe stops following the first one.
        podget merge 'The Old Feed' the-new-feed
        podget merge --undo 'The Old Feed' the-new-feed
      """)

  @Argument(help: SourceArguments.help("The podcast that becomes a part", isList: false))
  var podcast: String

  @Argument(help: SourceArguments.help("The podcast that it becomes a part of", isList: false))
  var into: String

  @Flag(help: "Make them two podcasts again.")
  var undo = false

  @Flag(help: "If both are followed, stop following the first one.")
  var unsubscribe = false

  @OptionGroup(title: "Library") var library: LibraryOptions
  @OptionGroup(title: "Output") var output: BriefOutputOptions

  func validate() throws {
    try ValidationError.requireNames([podcast, into])
    guard podcast != "-", into != "-" else { throw ValidationError("Name two podcasts.") }
    if undo, unsubscribe { throw ValidationError("--undo and --unsubscribe exclude each other.") }
  }

  func run(in context: CommandContext) async throws -> Outcome {
    let settings = try context.settings()
    let path = try library.resolved(settings)
    let output = ListingOutput(try output.resolved(settings), context)
    return try await output.reporting {
      let library = try LibrarySelection(output: output, library: path).open()
      try library.requireWritable()
      let reading = library.withPlanned(library.reading())
      try await output.working(on: reading) { local in
        guard reading.errors.isEmpty else { throw ReportedFailure() }
        let named = try NamedPodcasts(
          [podcast, into], among: local, in: library, warn: output.warn)
        let (part, whole) = (try named.required(at: 0), try named.required(at: 1))
        let status =
          undo
          ? try separate(part, whole, named, in: library)
          : try merge(part, whole, named, in: library)
        if status == .merged, unsubscribe, whole.subscription != nil,
          let name = part.subscription?.name
        {
          let change = try Subscriber.unsubscribe([name], from: library, warn: output.warn).first
          if let error = change?.error { throw error }
        }
        try write(part, whole, status, named, to: output)
      }
    }
  }
}

extension MergeCommand {
  private func merge(
    _ part: NamedPodcast, _ whole: NamedPodcast, _ named: NamedPodcasts, in library: Library
  ) throws(PodgetError) -> MergedPodcast.Status {
    let facts = named.facts
    guard !part.isSame(as: whole) else {
      throw PodgetError(.notFound, "\(podcast) and \(into) are the same podcast.")
    }
    guard !facts.areOne(part.podcast, whole.podcast) else { return .unchanged }
    if part.subscription != nil, whole.subscription != nil, !unsubscribe {
      throw PodgetError(
        .notFound,
        "Both are followed, and one podcast has one subscription. To stop following the first one: "
          + "podget merge --unsubscribe \(ShellText.quoted(podcast)) \(ShellText.quoted(into))")
    }
    guard let own = facts.key(for: part.podcasts), let target = facts.key(for: whole.podcasts),
      own != target
    else { throw PodgetError(.notFound, "\(podcast) and \(into) have one address.") }
    var (first, second) = (
      PodcastFact(own, names: part.podcasts), PodcastFact(target, names: whole.podcasts)
    )
    var lines = [second]
    // What it was merged into goes with it.
    if let root = facts.wholeKey(of: part.podcast), root != own {
      second = PodcastFact(root, names: [])
      second.into = PodcastFact.Said(target)
      lines += [first, second]
    } else {
      first.into = PodcastFact.Said(target)
      lines.append(first)
    }
    try library.say(lines, after: facts)
    return .merged
  }

  private func separate(
    _ part: NamedPodcast, _ whole: NamedPodcast, _ named: NamedPodcasts, in library: Library
  ) throws(PodgetError) -> MergedPodcast.Status {
    let facts = named.facts
    guard facts.areOne(part.podcast, whole.podcast),
      let own = facts.key(for: part.podcasts), let other = facts.key(for: whole.podcasts)
    else {
      throw PodgetError(.notFound, "\(podcast) and \(into) are not merged; nothing is undone.")
    }
    // Two machines may have merged each into the other.
    let last = [(own, other), (other, own)].compactMap { start, end -> EpisodeKey? in
      let path = facts.path(from: start)
      return path.firstIndex(of: end).flatMap { $0 > 0 ? path[$0 - 1] : nil }
    }
    guard !last.isEmpty else {
      let root = facts.wholeKey(of: part.podcast).flatMap { facts.names(of: $0).last }
      throw PodgetError(
        .notFound,
        "Both are parts of \(root?.title ?? "another podcast"), and neither was merged into the "
          + "other; name it as the second one.")
    }
    let lines = last.map { key in
      var line = PodcastFact(key, names: [])
      line.into = PodcastFact.Said(nil)
      return line
    }
    try library.say(lines, after: facts)
    return .separated
  }

  private func write(
    _ part: NamedPodcast, _ whole: NamedPodcast, _ status: MergedPodcast.Status,
    _ named: NamedPodcasts, to output: ListingOutput
  ) throws {
    func shown(_ podcast: NamedPodcast) -> String {
      named.typed(podcast).map { "\(podcast.podcast.shownTitle) (\($0))" }
        ?? podcast.podcast.shownTitle
    }
    let result = MergedPodcast(podcast: part.podcast, into: whole.podcast, status: status)
    try output.writeResults {
      try output.write(
        [JSONForms.mergedPodcast(result)],
        lines: [
          ResultLine(
            verb: status.rawValue,
            name: "\(shown(part)) \(undo ? "from" : "into") \(shown(whole))")
        ])
    }
  }
}

extension NamedPodcasts {
  /// The podcast that the name at a place means.
  ///
  /// - Throws: a ``PodgetError`` when there is none, or several.
  func required(at place: Int) throws(PodgetError) -> NamedPodcast {
    do throws(PodgetError) {
      guard let podcast = try podcast(at: place) else { throw PodgetError.noEpisode }
      return podcast
    } catch {
      throw PodgetError(error.code, error.sentence, of: name(at: place))
    }
  }
}
