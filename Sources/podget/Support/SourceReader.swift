import PodcastKit

/// Turns what the user named into podcasts, many at a time.
struct SourceReader: Sendable {
  /// What came of one source.
  enum Result: Sendable {
    case listing(PodcastListing, episode: Int64?)
    case failed(PodgetError)
  }

  private static let requestsAtOnce = 4

  private let directory: ITunesDirectory

  /// Makes a reader that asks a directory.
  init(_ directory: ITunesDirectory) { self.directory = directory }

  /// What stands for the sources on standard input.
  static let standardInput = "-"

  /// The sources as named, `-` replaced by those on standard input, which is read once.
  ///
  /// Nil where none is named: that often means all, and an empty standard input must never mean that.
  /// - Throws: a ``PodgetError`` when standard input is no list of sources.
  static func expanded(_ sources: [String]) async throws(PodgetError) -> [String]? {
    guard !sources.isEmpty else { return nil }
    guard let place = sources.firstIndex(of: standardInput) else { return sources }
    var expanded = sources
    expanded.replaceSubrange(place...place, with: try await StandardInput.sources())
    return expanded.prefix(place) + expanded[place...].filter { $0 != standardInput }
  }

  /// Reads each source once; results come in the order of the sources. Cancelling the task leaves
  /// out what was not read by then.
  func read(_ sources: [String]) async -> [(source: String, result: Result)] {
    var results = [Result?](repeating: nil, count: sources.count)
    await withTaskGroup(of: (Int, Result).self) { group in
      var next = 0
      func addNext() {
        guard next < sources.count, !Task.isCancelled else { return }
        let (index, source) = (next, sources[next])
        group.addTask { (index, await read(source)) }
        next += 1
      }
      for _ in 0..<Self.requestsAtOnce { addNext() }
      for await (index, result) in group {
        // A request that the user stopped is no failure of its source.
        if !Task.isCancelled { results[index] = result }
        addNext()
      }
    }
    return zip(sources, results).compactMap { source, result in result.map { (source, $0) } }
  }

  /// Reads one source.
  func read(_ source: String) async -> Result {
    do throws(PodgetError) {
      switch try Source.parse(source) {
      case .apple(let id, let country, let episode):
        return .listing(try await directory.podcast(id: id, country: country), episode: episode)
      case .feed, .file:
        throw PodgetError(
          .notFound, "Feeds are not read by this version; name the Apple Podcasts id instead.")
      case .name(let name):
        let shown = AddressRedaction.shown(name)
        throw PodgetError(
          .notFound,
          "There is no subscription called \(shown); podget search \(shown) may find its id.")
      case .standardInput:
        throw PodgetError(.notFound, "Standard input cannot name itself.")
      }
    } catch {
      return .failed(error)
    }
  }
}
