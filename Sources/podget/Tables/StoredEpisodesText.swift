import FoundationEssentials
import PodcastKit

/// What is stored beside the episodes of a podcast whose feed cannot be read.
struct StoredEpisodesText: Sendable {
  /// What may be shown.
  let style: TerminalStyle

  /// A part for each episode, the newest first; nil if nothing is stored. It blocks on the disk.
  ///
  /// - Parameters:
  ///   - source: the podcast, as it was named.
  ///   - limit: how many episodes are shown; nil for all.
  func text(of source: String, limit: Int?, in library: Library) -> String? {
    guard let meaning = try? LibrarySources([source], in: library) else { return nil }
    let episodes = library.reading().episodes
    let table = meaning.table(of: episodes.lazy.map(\.podcast))
    let stored = episodes.filter { local in
      local.otherBytes != nil && local.status == .complete && !table.places(of: local).isEmpty
    }.sorted { ($0.date ?? .distantPast, $1.key) > ($1.date ?? .distantPast, $0.key) }
    guard !stored.isEmpty else { return nil }
    return stored.prefix(limit ?? .max).map { local in
      let lines = lines(local, StoredDocuments(of: local, in: library))
      return lines.map { $0 + "\n" }.joined()
    }.joined(separator: "\n")
  }

  private func lines(_ local: LocalEpisode, _ documents: StoredDocuments) -> [String] {
    var lines = [style.styled(TerminalText.safe(local.title), .bold)]
    for chapter in documents.chapters ?? [] {
      let title = TerminalText.safe(chapter.title)
      lines.append("  Chapter: \(DurationText.clock(chapter.start)) \(title)")
    }
    for line in documents.notes ?? [] where !line.isEmpty {
      lines.append("  \(TerminalText.safe(line))")
    }
    return lines + documents.paths.map { "  Stored: \(TerminalText.safe($0))" }
  }
}

extension PodgetError {
  /// Whether no answer came that says what the feed is.
  var isOfNetwork: Bool {
    switch code {
    case .network, .timeout, .tls, .httpStatus: true
    default: false
    }
  }
}
