import Glibc
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

  /// The sources as named, `-` replaced by the lines of stdin. Blank lines and those that begin
  /// with `#` are passed over.
  static func expanded(_ sources: [String]) -> [String] {
    sources.flatMap { source -> [String] in
      guard source == "-" else { return [source] }
      var lines: [String] = []
      while let line = readLine() {
        let text = line.trimmingPrefix { $0.isWhitespace }
        if !text.isEmpty, text.first != "#" { lines.append(line) }
      }
      return lines
    }
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
        throw PodgetError(
          .notFound,
          "There is no subscription called \(name); podget search \(name) may find its id.")
      case .standardInput:
        throw PodgetError(.notFound, "Standard input cannot name itself.")
      }
    } catch {
      return .failed(error)
    }
  }
}
